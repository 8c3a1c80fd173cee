import SteleModel
import StelePredicates

/// One fetch of objects that are in several stores of a group.
///
/// Objects and their columns are fetched from each store and merged in the request's order. Groups
/// and distinct rows are made in memory, of all objects that they may need.
struct GroupFetch {
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
            return try loaded().rows()
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

    /// The request over the objects of all stores that have them.
    private func loaded() throws(StoreError) -> LoadedFetch {
        try LoadedFetch(
            request, in: model,
            because: "in groups or distinct rows of \(request.entity.name), which is in several "
                + "stores",
            from: reader.readers(of:)
        ) { (relationship, owners) throws(StoreError) in
            try reader.members(of: relationship, owners: owners)
        }
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
