import SteleModel
import StelePersistence
import StelePredicates

/// Reads the keys and sort values of rows in one view of the store.
struct ResultsRead {
    /// The maximum number of keys in one query.
    static let keysPerQuery = 500

    let query: ResultsQuery
    let reader: any StoreReader

    /// The first rows of the result, at most `limit`, or those after a row.
    /// - Throws: `StoreError`.
    func rows(atMost limit: Int?, after row: ResultRow? = nil) throws(StoreError) -> [ResultRow] {
        var request = query.request
        request.fetchOffset = 0
        request.fetchLimit = limit
        request.after = row.map { $0.position + [.key($0.key)] }
        return try rows(of: request)
    }

    /// The rows of those objects that match, in no particular order.
    /// - Throws: `StoreError`.
    func rows(of keys: [Int64]) throws(StoreError) -> [ResultRow] {
        var found: [ResultRow] = []
        for part in keys.sorted().parts(of: Self.keysPerQuery) {
            var request = query.request
            request.fetchOffset = 0
            request.fetchLimit = nil
            let list = Expression.aggregate(part.map { .constant(.int($0)) })
            let these = Predicate.comparison(Comparison(.key("_id"), .in, list))
            request.predicate = request.predicate.map { .and([these, $0]) } ?? these
            found += try rows(of: request)
        }
        return found
    }

    private func rows(of request: FetchRequest) throws(StoreError) -> [ResultRow] {
        var request = request
        // Column names that cannot be names of the model, so that a store does not confuse them.
        request.propertiesToFetch = request.sortDescriptors.enumerated().map { index, key in
            ExpressionDescription(name: "#\(index)", expression: key.expression)
        }
        let count = request.propertiesToFetch.count
        request.propertiesToFetch.append(
            ExpressionDescription(name: "#\(count)", expression: .key("_id")))
        return try reader.fetchRows(request).compactMap { row in
            guard row.count == count + 1 else { return nil }
            return switch row[count] {
            case .int(let key), .key(let key):
                ResultRow(key: key, position: Array(row.dropLast()))
            default: nil
            }
        }
    }
}
