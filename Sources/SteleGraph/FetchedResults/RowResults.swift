import SteleModel
import StelePersistence
import StelePredicates

/// The rows of a dictionary result as of one save, kept up to date with the store.
///
/// After a save that can change them, all rows are fetched again and compared.
package struct RowResults: Sendable {
    /// The request.
    package let request: FetchRequest
    /// The token of the last save that the result includes.
    package private(set) var token: Int64
    /// The rows, in order.
    package private(set) var rows: [[Value]] = []
    /// A number for each row, which it keeps while it is in the result.
    package private(set) var keys: [Int64] = []

    private let owner: ResultsOwner?
    private let maximumRows: Int
    private let paths: [RelationshipPaths]
    private let entities: Set<Int>
    /// The names of the properties that the request uses.
    private let used: Set<String>
    private let model: Model
    private var numbers: RowNumbers

    /// Fetches the result in a reader's view.
    /// - Parameters:
    ///   - request: a checked request with columns.
    ///   - owner: the object whose members, or whose fetched property's objects, the rows are made
    ///     of; nil for all objects that match.
    ///   - identity: the indexes of the values that identify a row: a group's keys or the columns
    ///     of a distinct row; empty for a single row.
    /// - Throws: `StoreError`; `ResultsError`.
    package init(
        _ request: FetchRequest, of owner: ResultsOwner? = nil, identity: [Int], maximumRows: Int,
        model: Model,
        _ reader: any StoreReader
    ) throws {
        let membership = owner?.membership(in: model)
        let request = membership.map(request.and) ?? request
        self.request = request
        self.owner = owner
        numbers = RowNumbers(identity: identity)
        self.maximumRows = maximumRows
        self.model = model
        let expressions =
            request.propertiesToFetch.map(\.expression) + request.propertiesToGroupBy
        var having = request
        having.predicate = request.havingPredicate
        paths = [
            RelationshipPaths(request, model), RelationshipPaths(having, model),
            RelationshipPaths(expressions, including: [], of: request.entity, model),
        ]
        var entities = Set(request.entity.subtree).union(owner?.entity.subtree ?? 0..<0)
        for index in paths.flatMap({ $0.paths.joined() }) {
            entities.formUnion(model.destination(of: model.relationships[index]).subtree)
        }
        self.entities = entities
        var used = Set<String>()
        let note: ([String]) -> Void = { path in
            for end in path.indices { used.insert(path[...end].joined(separator: ".")) }
        }
        // A variable may stand for the object itself: `SUBQUERY({SELF}, $s, $s.age > 20)`.
        request.predicate?.visitKeyPaths(alsoOfVariables: true, note)
        request.havingPredicate?.visitKeyPaths(alsoOfVariables: true, note)
        for key in request.sortDescriptors {
            key.expression.visitKeyPaths(alsoOfVariables: true, note)
        }
        for expression in expressions { expression.visitKeyPaths(alsoOfVariables: true, note) }
        if let relationship = owner?.relationship { used.insert(relationship.name) }
        self.used = used
        token = try reader.token
        try read(reader)
    }

    /// Advances to the last save of a view.
    /// - Returns: the difference, or nil if nothing has changed.
    /// - Throws: the errors of the initializer and of opening the view.
    package mutating func advance(in view: SavesView) throws -> ResultsDifference? {
        try owner?.check(view.saves(after: token), in: model)
        // All rows are fetched again unless no save can change them.
        let isConcerned =
            !view.isWhole(after: token)
            || view.saves(after: token).contains { $0.changes.contains(where: concerns) }
        guard isConcerned else {
            token = max(token, view.token)
            return nil
        }
        let reader = try view.reader()
        let before = (rows: rows, keys: keys)
        try read(reader)
        token = view.token
        let difference = ListedRows(keys: before.keys).difference(
            to: ListedRows(keys: keys), token: token
        ) { from, to in
            before.rows[from] == rows[to] ? UpdatedKeys() : .unknown
        }
        return difference.isEmpty ? nil : difference
    }

    private func concerns(_ change: HistoryChange) -> Bool {
        if owner?.isSeenByRule == true || paths.contains(where: \.isUnbounded) { return true }
        guard entities.contains(change.entity) else { return false }
        // Properties at the end of a path are not distinguished from the rows' own.
        guard change.kind == .update, request.entity.isKind(change.entity),
            paths.allSatisfy({ $0.paths.isEmpty }), let before = change.before,
            !used.contains("_version")
        else { return true }
        let slots = model.entities[change.entity].slots
        return before.contains { value in
            switch value {
            case .slot(let slot, _):
                !slots.indices.contains(slot) || used.contains(slots[slot].name)
            case .members(let index, _, _):
                !model.relationships.indices.contains(index)
                    || used.contains(model.relationships[index].name)
            }
        }
    }

    private mutating func read(_ reader: any StoreReader) throws {
        try owner?.check(reader)
        var limited = request
        if let owner, owner.membership(in: model) == nil {
            limited = owner.restricting(limited, to: try owner.members(request, reader))
        }
        limited.fetchLimit = min(request.fetchLimit ?? .max, maximumRows + 1)
        let found = try reader.fetchRows(limited)
        guard found.count <= maximumRows else {
            throw ResultsError.tooManyRows(maximum: maximumRows)
        }
        keys = numbers.keys(of: found)
        rows = found
    }
}
