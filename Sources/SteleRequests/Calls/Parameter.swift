/// The query parameters, and which routes take which.

/// A query parameter. `var.NAME` is not one of them.
package enum Parameter: Sendable, CaseIterable {
    case `where`, sort, limit, offset, after, select, groupBy, having, distinct, include
    case subentities, count, format, numbers
    case at, mergePolicy
    case since, until, before, entity, values, updated, changeLimit
    case from, to
    case sectionBy
    /// The queries of `/live`, as `q.NAME`.
    case q
    /// A ticket of `POST /tickets`, in the place of the header `Authorization`.
    case ticket

    private static let table = KeyTable(allCases.map { ($0.name, $0) })

    /// The parameter with that name.
    static func named(_ name: String) -> Parameter? { table[name] }

    /// The parameter with that name in UTF-8.
    package static func named(_ name: UnsafeBufferPointer<UInt8>) -> Parameter? { table[name] }

    /// The name of the parameter in an address.
    package var name: String { "\(self)" }

    /// The names of parameters in other services.
    private static let otherNames: [String: [Parameter]] = [
        "page": [.offset, .after], "filter": [.where], "order": [.sort], "orderBy": [.sort],
        "fields": [.select],
    ]

    /// The hint for a parameter of other services, if the route has an equivalent.
    static func meant(by name: String, among known: Set<Parameter>) -> String? {
        let own = (otherNames[name] ?? []).filter(known.contains).map(\.name)
        return own.isEmpty ? nil : "here it is \(own.joined(separator: " or "))"
    }

    static let list: Set<Parameter> = [
        .where, .sort, .limit, .offset, .after, .select, .groupBy, .having, .distinct, .include,
        .subentities, .count, .format, .numbers,
    ]
    /// The parameters of a list that can be followed.
    package static let followed: Set<Parameter> = list.union([.sectionBy, .ticket])
    /// The parameters of several live queries on one stream.
    static let live: Set<Parameter> = [.q, .ticket]
    static let counting: Set<Parameter> = [.where, .subentities, .format]
    static let object: Set<Parameter> = [.select, .include, .format, .numbers]
    static let write: Set<Parameter> = [.mergePolicy, .format, .numbers]
    /// The parameters of a change of all objects that match.
    static let writeAll: Set<Parameter> = [
        .where, .subentities, .mergePolicy, .format, .numbers,
    ]
    /// The parameters of a deletion of all objects that match.
    static let deleteAll: Set<Parameter> = [.where, .subentities, .format]
    /// The parameters of a deletion of old history.
    static let purge: Set<Parameter> = [.before]
    /// The parameters of the difference between two versions of the model.
    package static let modelChanges: Set<Parameter> = [.from, .to]
    /// The parameters of the change feed.
    package static let changes: Set<Parameter> = [
        .since, .until, .entity, .where, .updated, .values, .limit, .changeLimit, .ticket,
    ]
}
