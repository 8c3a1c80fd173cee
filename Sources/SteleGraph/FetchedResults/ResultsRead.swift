/// What a followed result asks of a store: rows' places, and nothing else of them.

import SteleModel
import StelePersistence
import StelePredicates

/// Reads places of rows in one view.
struct ResultsRead {
    /// Keys that one query names at most.
    static let keysPerQuery = 500

    let query: ResultsQuery
    let reader: any StoreReader

    /// The first rows of the result, as many at most.
    /// - Throws: `StoreError`.
    func rows(atMost limit: Int?, after row: ResultRow? = nil) throws(StoreError) -> [ResultRow] {
        var request = query.request
        request.fetchOffset = 0
        request.fetchLimit = limit
        request.after = row.map { $0.position + [.key($0.key)] }
        return try rows(of: request)
    }

    /// Those of the objects that match, with their places; in no order.
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
        // Names of columns that are none of the model's, which a store might mix up.
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
