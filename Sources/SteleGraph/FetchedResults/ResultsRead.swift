import SteleModel
import StelePersistence
import StelePredicates

/// Reads the keys and sort values of rows in one view of the store.
struct ResultsRead {
    /// The maximum number of keys in one query.
    static let keysPerQuery = 500

    let query: ResultsQuery
    let reader: any StoreReader

    /// The first rows of the result, at most `limit`, or those after a row; all of them if they are
    /// known by the owner alone.
    /// - Throws: `StoreError`; `ResultsError.ownerDeleted`.
    func rows(atMost limit: Int?, after row: ResultRow? = nil) throws -> [ResultRow] {
        if let owner = query.owner {
            try owner.check(reader)
            if query.readsMembers { return try members(of: owner) }
        }
        var request = query.request
        request.fetchOffset = 0
        request.fetchLimit = limit
        request.after = row.map { $0.position + [.key($0.key)] }
        return try rows(of: request)
    }

    /// The rows of the owner's members that match, in order.
    private func members(of owner: ResultsOwner) throws(StoreError) -> [ResultRow] {
        let members = try owner.members(query.request, reader)
        var found: [ResultRow] = []
        for part in members.sorted().parts(of: Self.keysPerQuery) {
            found += try rows(of: unlimited(owner.restricting(query.request, to: part)))
        }
        if owner.relationship?.isOrdered == true {
            // Members that are no rows have no place: a role must not see that they move.
            let keys = Set(found.map(\.key))
            let places = Dictionary(
                members.filter(keys.contains).enumerated().map { ($1, $0) },
                uniquingKeysWith: { first, _ in first })
            found = found.map { row in
                let place = Value.int(Int64(places[row.key] ?? members.count))
                return ResultRow(key: row.key, position: row.position + [place])
            }
        }
        return found.sorted { query.order.compare($0, $1) < 0 }
    }

    /// The rows of those objects that match, in no particular order.
    /// - Throws: `StoreError`.
    func rows(of keys: [Int64]) throws(StoreError) -> [ResultRow] {
        var found: [ResultRow] = []
        for part in keys.sorted().parts(of: Self.keysPerQuery) {
            found += try rows(of: unlimited(query.request.and(.isOne(of: part))))
        }
        return found
    }

    private func unlimited(_ request: FetchRequest) -> FetchRequest {
        var request = request
        (request.fetchOffset, request.fetchLimit) = (0, nil)
        return request
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
