import SteleModel
import StelePredicates

/// One fetch of objects that are in several stores of a group.
///
/// Objects and their columns are fetched from each store and merged in the request's order. Groups
/// and distinct rows are made in memory, of all objects that they may need.
struct GroupFetch {
    /// The most objects that groups and distinct rows are made of.
    static let objects = 1_000_000

    private let reader: GroupReader
    private let request: FetchRequest
    private var model: Model { reader.model }

    init(_ reader: GroupReader, _ request: FetchRequest) {
        self.reader = reader
        self.request = request
    }

    func snapshots() throws(StoreError) -> [Snapshot] {
        try snapshots(try keys())
    }

    /// Returns the keys of the objects, in order.
    func keys() throws(StoreError) -> [Int64] {
        var positions = request
        positions.propertiesToFetch = []
        return try merged(positions).map { $0.first?.asKey ?? 0 }
    }

    /// Returns objects in the order of their keys' list.
    func snapshots(_ keys: [Int64]) throws(StoreError) -> [Snapshot] {
        var found: [Int64: Snapshot] = [:]
        for row in try reader.snapshots(root: request.entity.root, keys: keys) {
            found[row.key] = row
        }
        return keys.compactMap { found[$0] }
    }

    func rows() throws(StoreError) -> [[Value]] {
        let isGrouped: Bool
        do throws(PredicateError) { isGrouped = try request.isGrouped(in: model) } catch {
            throw .predicate(error)
        }
        if isGrouped || request.returnsDistinctResults {
            return try InMemoryFetch(InMemoryView(try contents()), request).rows()
        }
        return try merged(request).map { Array($0.dropFirst()) }
    }

    func count() throws(StoreError) -> Int {
        if !request.propertiesToFetch.isEmpty { return try rows().count }
        var whole = request
        whole.fetchLimit = nil
        whole.fetchOffset = 0
        var count = 0
        for reader in reader.readers(of: request.entity) { count += try reader.count(whole) }
        count = max(0, count - max(0, request.fetchOffset))
        return request.fetchLimit.map { min(count, max(0, $0)) } ?? count
    }

    /// Returns the key and the columns of each object of the page, in order.
    private func merged(_ request: FetchRequest) throws(StoreError) -> [[Value]] {
        let (limit, offset) = (request.fetchLimit, max(0, request.fetchOffset))
        let order = request.sortDescriptors.map(\.expression) + [.key("_id")]
        var each = request
        each.fetchOffset = 0
        each.fetchLimit = limit.map { max(0, $0).addingReportingOverflow(offset) }
            .map { $0.overflow ? Int.max : $0.partialValue }
        each.propertiesToFetch += order.enumerated().map { place, expression in
            ExpressionDescription(name: "\(place)", expression: expression)
        }
        // The expressions come from a checked request.
        each.isChecked = true
        var found: [(position: [Value], row: [Value])] = []
        for reader in reader.readers(of: request.entity) {
            for row in try reader.fetchRows(each) {
                let position = Array(row.suffix(order.count))
                let columns = row.dropLast(order.count)
                found.append((position, (position.last.map { [$0] } ?? []) + columns))
            }
        }
        let sorting = RowOrder(request)
        found.sort { sorting.precedes($0.position, $1.position) }
        let rest = found.dropFirst(offset)
        return (limit.map { rest.prefix(max(0, $0)) } ?? rest).map(\.row)
    }

    // MARK: In memory

    /// Returns the objects that the request may need, of all stores that have them.
    private func contents() throws(StoreError) -> InMemoryContents {
        let text = words
        var (roots, toManys): (Set<Int>, [Relationship]) = ([], [])
        var next = [request.entity.root]
        while let root = next.popLast() {
            guard roots.insert(root).inserted else { continue }
            for it in model.relationships
            where model.entities[it.owner].root == root && text.contains(it.name) {
                if it.isToMany { toManys.append(it) }
                next.append(model.destination(of: it).root)
            }
        }
        var families: [[Int64: Snapshot]] = Array(repeating: [:], count: model.entities.count)
        var room = Self.objects
        for root in roots {
            var all = FetchRequest(entity: model.entities[root])
            all.isChecked = true
            for store in reader.readers(of: all.entity) {
                room -= try store.count(all)
                guard room >= 0 else {
                    throw .tooLarge(
                        "\(Self.objects) objects in groups or distinct rows of "
                            + "\(request.entity.name), which is in several stores")
                }
                for row in try store.fetch(all) { families[root][row.key] = row }
            }
        }
        var members: [InMemoryContents.Place: [Int64]] = [:]
        for it in toManys {
            let owners = families[model.entities[it.owner].root].values
                .filter { model.entities[it.owner].isKind($0.entity) }.map(\.key)
            for (owner, keys) in try reader.members(of: it, owners: owners) {
                members[.init(relationship: it.index, owner: owner)] = keys
            }
        }
        return InMemoryContents(
            model: model, families: families, members: members,
            nextKeys: Array(repeating: 1, count: model.entities.count),
            metadata: StoreMetadata(model: model, generation: "", storeType: InMemoryStore.type))
    }

    /// The text of all expressions of the request. A relationship that they use is named in it.
    private var words: String {
        let expressions =
            request.propertiesToFetch.map(\.expression) + request.propertiesToGroupBy
            + request.sortDescriptors.map(\.expression)
        let predicates = [request.predicate, request.havingPredicate].compactMap { $0 }
        return (expressions.map(\.description) + predicates.map(\.description))
            .joined(separator: " ")
    }
}

extension Value {
    /// The key of an object; nil for any other value.
    fileprivate var asKey: Int64? {
        switch self {
        case .key(let key), .int(let key): key
        default: nil
        }
    }
}

/// The rows of a fetch from several stores. The keys of objects are in memory, the objects are not.
final class GroupCursor: FetchCursor {
    private let fetch: GroupFetch
    private let keys: [Int64]
    private let rows: WholeCursor?
    private var place = 0

    init(_ reader: GroupReader, _ request: FetchRequest) throws(StoreError) {
        fetch = GroupFetch(reader, request)
        if request.source != nil {
            keys = []
            rows = WholeCursor(.objects(try reader.fetch(request)))
        } else if request.propertiesToFetch.isEmpty {
            keys = try fetch.keys()
            rows = nil
        } else {
            keys = []
            rows = WholeCursor(.values(try fetch.rows()))
        }
    }

    func next(_ count: Int) throws(StoreError) -> FetchedRows {
        if let rows { return try rows.next(count) }
        let start = place
        place = min(keys.count, start + max(0, count))
        return .objects(try fetch.snapshots(Array(keys[start..<place])))
    }
}
