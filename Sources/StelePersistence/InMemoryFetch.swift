/// A fetch request answered from an in-memory store's contents.

import SteleModel
import StelePredicates

/// One fetch, worked out on values.
struct InMemoryFetch {
    private let contents: InMemoryContents
    private let request: FetchRequest

    init(_ contents: InMemoryContents, _ request: FetchRequest) {
        self.contents = contents
        self.request = request
    }

    /// An object with what it is sorted by.
    private struct Found {
        var snapshot: Snapshot
        var position: [Value]
    }

    func snapshots() throws(StoreError) -> [Snapshot] { try page().map(\.snapshot) }

    func count() throws(StoreError) -> Int { try page().count }

    func rows() throws(StoreError) -> [[Value]] {
        throw .unsupported("columns and groups in an in-memory store")
    }

    func position(of key: Int64) throws(StoreError) -> [Value] {
        guard let row = contents.row(ObjectID(root: request.entity.root, key: key)) else {
            return []
        }
        return try position(row)
    }

    private func position(_ row: Snapshot) throws(StoreError) -> [Value] {
        var values: [Value] = []
        for sort in request.sortDescriptors {
            guard case .keyPath(.evaluatedObject, let path) = sort.expression, path.count == 1,
                let attribute = model.entities[row.entity].attribute(named: path[0])
            else { throw .unsupported("sorting by more than attributes in an in-memory store") }
            values.append(row.values[attribute.slot])
        }
        return values + [.key(row.key)]
    }

    private var model: Model { contents.model }

    private func page() throws(StoreError) -> [Found] {
        let owners = try owners()
        let family =
            request.includesSubentities
            ? request.entity.subtree : request.entity.index..<request.entity.index + 1
        var found: [Found] = []
        for row in contents.families[request.entity.root].values
        where family.contains(row.entity) && owners?.contains(row.key) != false {
            found.append(Found(snapshot: row, position: try position(row)))
        }
        found.sort { precedes($0.position, $1.position) }
        if let after = request.after { found = found.filter { precedes(after, $0.position) } }
        let rest = found.dropFirst(max(0, request.fetchOffset))
        return Array(request.fetchLimit.map { rest.prefix(max(0, $0)) } ?? rest)
    }

    /// `ANY toMany IN {keys}`, the one predicate that is understood; nil for none.
    private func owners() throws(StoreError) -> Set<Int64>? {
        guard let predicate = request.predicate else { return nil }
        guard case .comparison(let comparison) = predicate, comparison.modifier == .any,
            case .keyPath(.evaluatedObject, let path) = comparison.left, path.count == 1,
            let relationship = request.entity.relationship(named: path[0]), relationship.isToMany,
            case .aggregate(let keys) = comparison.right
        else { throw .unsupported("predicates in an in-memory store") }
        let wanted = Set(keys)
        let found = contents.members.filter { place, members in
            place.relationship == relationship.index
                && members.contains { wanted.contains(.constant(.key($0))) }
        }
        return Set(found.keys.map(\.owner))
    }

    private func precedes(_ a: [Value], _ b: [Value]) -> Bool {
        for (index, (left, right)) in zip(a, b).enumerated() {
            let order = InMemoryFetch.order(left, right)
            if order == 0 { continue }
            let ascending =
                index < request.sortDescriptors.count
                ? request.sortDescriptors[index].ascending : true
            return ascending ? order < 0 : order > 0
        }
        return false
    }

    /// Below, at or above 0; null comes first.
    private static func order(_ a: Value, _ b: Value) -> Int {
        func sign<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a > b ? 1 : 0 }
        switch (a, b) {
        case (.null, .null): return 0
        case (.null, _): return -1
        case (_, .null): return 1
        case (.bool(let a), .bool(let b)): return sign(a ? 1 : 0, b ? 1 : 0)
        case (.int(let a), .int(let b)), (.key(let a), .key(let b)): return sign(a, b)
        case (.double(let a), .double(let b)), (.date(let a), .date(let b)): return sign(a, b)
        case (.decimal(let a), .decimal(let b)): return sign(a, b)
        case (.string(let a), .string(let b)):
            if a.utf8.elementsEqual(b.utf8) { return 0 }
            return a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : 1
        case (.uuid(let a), .uuid(let b)): return sign(a.uuidString, b.uuidString)
        case (.data(let a), .data(let b)):
            return a.lexicographicallyPrecedes(b) ? -1 : a == b ? 0 : 1
        default: return 0
        }
    }
}
