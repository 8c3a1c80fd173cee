/// A long fetch, read batch by batch.

import SteleModel
import StelePredicates

/// The rows of one fetch in its reader's view; used by one thread at a time. It ends with its
/// reader, and what is asked afterwards throws.
public protocol FetchCursor: AnyObject {
    /// The next rows, in the request's order: as many as asked for, fewer only at the end.
    /// - Throws: `StoreError`.
    func next(_ count: Int) throws(StoreError) -> FetchedRows
}

/// Rows of a fetch: objects, or the columns of a dictionary result.
public enum FetchedRows: Sendable {
    case objects([Snapshot])
    case values([[Value]])

    /// How many there are.
    public var count: Int {
        switch self {
        case .objects(let rows): rows.count
        case .values(let rows): rows.count
        }
    }
}

/// A cursor over rows that are in memory anyway.
final class WholeCursor: FetchCursor {
    private let rows: FetchedRows
    private var place = 0

    init(_ rows: FetchedRows) { self.rows = rows }

    func next(_ count: Int) throws(StoreError) -> FetchedRows {
        let start = place
        place = min(rows.count, start + max(0, count))
        return switch rows {
        case .objects(let all): .objects(Array(all[start..<place]))
        case .values(let all): .values(Array(all[start..<place]))
        }
    }
}

extension StoreReader {
    /// For a store that holds everything in memory.
    public func cursor(_ request: FetchRequest) throws(StoreError) -> any FetchCursor {
        request.propertiesToFetch.isEmpty
            ? WholeCursor(.objects(try fetch(request)))
            : WholeCursor(.values(try fetchRows(request)))
    }

    /// Source by source, for a store that has no better way.
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
