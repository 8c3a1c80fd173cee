/// Objects of known keys as the rows of a list.

import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

extension ManagedObjectContext {
    /// The rows of objects, in the order of their keys. Objects that do not exist have none.
    /// - Parameter columns: the columns of the rows, with `_id` as the last; empty for whole objects.
    /// - Throws: `StoreError`, `PredicateError`.
    package func fetchedRows(
        of keys: [Int64], _ entity: Entity, columns: [ExpressionDescription]
    ) throws -> FetchedRows {
        if columns.isEmpty {
            let found = try snapshots(root: entity.root, keys: keys)
            return .objects(keys.compactMap { found[$0] })
        }
        if keys.isEmpty { return .values([]) }
        var request = FetchRequest(entity: entity)
        request.propertiesToFetch = columns
        var found: [Int64: [Value]] = [:]
        for row in try currentRows(request.and(.isOne(of: keys))) {
            if let key = RowKey.id(of: row) { found[key] = row }
        }
        return .values(keys.compactMap { found[$0] })
    }
}
