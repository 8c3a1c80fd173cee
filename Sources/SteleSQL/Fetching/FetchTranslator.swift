/// From fetch requests to SELECT statements; pure, no connection.

import SteleModel
import StelePersistence
import StelePredicates

/// Translates fetch requests over one schema.
///
/// All of it throws `StoreError.unsupported` for what SQL cannot say yet, naming it, and
/// `StoreError.invalid` for a request that contradicts itself.
public struct FetchTranslator: Sendable {
    /// Where everything is.
    public let schema: SQLSchema
    /// The Decimal attributes that hold values of more than 15 digits, as `Entity.attribute` with
    /// the entity that declares them: they compare and sort through a function.
    public let longDecimals: Set<String>
    /// The select list of each family behind `t0`, by index of the root entity.
    let selectLists: [Int: String]

    /// A translator for one store; made once, used by all threads.
    public init(schema: SQLSchema, longDecimals: Set<String> = []) {
        self.schema = schema
        self.longDecimals = longDecimals
        selectLists = schema.tables.mapValues { schema.selectList(of: $0, alias: "t0") }
    }

    /// The objects that match, in the request's order, for the family's `RowShape`; those of a
    /// statement that `isUnordered` are still to be sorted by key.
    public func snapshots(_ request: FetchRequest) throws(StoreError) -> FetchStatement {
        let select = try Select(self, request)
        return try select.snapshots(selectLists[request.entity.root] ?? "")
    }

    /// The keys of the objects that match, in the request's order.
    public func keys(_ request: FetchRequest) throws(StoreError) -> FetchStatement {
        let select = try Select(self, request)
        return try select.objects("t0.Z_PK", kinds: [.key])
    }

    /// The request's columns of each object or group, in order.
    public func rows(_ request: FetchRequest) throws(StoreError) -> FetchStatement {
        try Select(self, request).rows()
    }

    /// How many objects match, or how many rows a dictionary result has; limit and offset count.
    public func count(_ request: FetchRequest) throws(StoreError) -> FetchStatement {
        try Select(self, request).count()
    }

    /// The values of one object's sort keys, `_id` last: what `FetchRequest.after` takes.
    public func position(
        of key: Int64, in request: FetchRequest
    ) throws(StoreError) -> FetchStatement {
        try Select(self, request).position(of: key)
    }
}
