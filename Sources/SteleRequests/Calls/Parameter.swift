/// The query parameters there are, and which routes take which.

/// A parameter of the query string; `var.NAME` stands beside them.
package enum Parameter: String, Sendable, Hashable, CaseIterable {
    case `where`, sort, limit, offset, after, select, groupBy, having, distinct, include
    case subentities, count, format, numbers
    case at, mergePolicy
    case since, before, entity, values, updated
    case sectionBy
    /// `q.NAME`, a query of `/live`.
    case q

    /// What other services call some of them.
    private static let otherNames: [String: [Parameter]] = [
        "page": [.offset, .after], "filter": [.where], "order": [.sort], "orderBy": [.sort],
        "fields": [.select],
    ]

    /// The hint for a parameter that other services have, where the route has its like.
    static func meant(by name: String, among known: Set<Parameter>) -> String? {
        let own = (otherNames[name] ?? []).filter(known.contains).map(\.rawValue)
        return own.isEmpty ? nil : "here it is \(own.joined(separator: " or "))"
    }

    /// What a list takes.
    package static let list: Set<Parameter> = [
        .where, .sort, .limit, .offset, .after, .select, .groupBy, .having, .distinct, .include,
        .subentities, .count, .format, .numbers,
    ]
    /// What a list that may be followed takes.
    package static let followed: Set<Parameter> = list.union([.sectionBy])
    /// What several live queries on one stream take.
    package static let live: Set<Parameter> = [.q]
    /// What a count takes.
    static let counting: Set<Parameter> = [.where, .subentities, .format]
    /// What a single object takes.
    package static let object: Set<Parameter> = [.select, .include, .format, .numbers]
    /// What a write takes.
    package static let write: Set<Parameter> = [.mergePolicy, .format, .numbers]
    /// What a change of all objects that match takes.
    package static let writeAll: Set<Parameter> = [
        .where, .subentities, .mergePolicy, .format, .numbers,
    ]
    /// What the deletion of all objects that match takes.
    package static let deleteAll: Set<Parameter> = [.where, .subentities, .format]
    /// What deleting old history takes.
    static let purge: Set<Parameter> = [.before]
    /// What the change feed takes.
    package static let changes: Set<Parameter> = [
        .since, .entity, .where, .updated, .values, .limit,
    ]
}
