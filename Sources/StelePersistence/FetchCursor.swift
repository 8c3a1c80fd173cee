import SteleModel
import StelePredicates

/// The rows of one fetch in its reader's view, read in batches (NSFetchRequest.fetchBatchSize).
/// Used by one thread at a time.
public protocol FetchCursor: AnyObject {
    /// Returns the next `count` rows in the request's order; fewer only at the end.
    /// - Throws: `StoreError`, as each fetch of a `StoreReader`; `.closed` where the reader is
    ///   closed, unless all rows are in memory.
    func next(_ count: Int) throws(StoreError) -> FetchedRows
}

/// Rows of a fetch.
public enum FetchedRows: Sendable {
    /// Objects, as snapshots.
    case objects([Snapshot])
    /// The columns of dictionary results (`propertiesToFetch`), a row each.
    case values([[Value]])

    /// The number of rows.
    public var count: Int {
        switch self {
        case .objects(let rows): rows.count
        case .values(let rows): rows.count
        }
    }
}

/// A cursor over rows in memory.
package final class WholeCursor: FetchCursor {
    private let rows: FetchedRows
    private var place = 0

    package init(_ rows: FetchedRows) { self.rows = rows }

    package func next(_ count: Int) throws(StoreError) -> FetchedRows {
        let start = place
        place = min(rows.count, start + max(0, count))
        return switch rows {
        case .objects(let all): .objects(Array(all[start..<place]))
        case .values(let all): .values(Array(all[start..<place]))
        }
    }
}

extension StoreReader {
    /// Fetches all rows at once: for a store that holds everything in memory.
    /// - Throws: as `fetch` and `fetchRows`.
    public func cursor(_ request: FetchRequest) throws(StoreError) -> any FetchCursor {
        request.propertiesToFetch.isEmpty
            ? WholeCursor(.objects(try fetch(request)))
            : WholeCursor(.values(try fetchRows(request)))
    }

    /// Runs one fetch per source object: for a store without a faster way.
    /// - Throws: as `fetch`.
    public func fetchedSnapshots(
        _ request: FetchRequest
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        guard let source = request.source else { return [] }
        var found: [(owner: Int64, member: Snapshot)] = []
        for key in source.keys.sorted() {
            var one = request
            one.source = FetchSource(entity: source.entity, keys: [key])
            one.fetchLimit = request.fetchLimit.map { max(0, $0 - found.count) }
            found += try fetch(one).map { (owner: key, member: $0) }
        }
        return found
    }
}
