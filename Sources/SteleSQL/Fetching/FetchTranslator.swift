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
    /// The columns of each entity behind `t0`, by its index and the attribute's slot.
    private let columns: [[Column?]]

    /// A translator for one store; made once, used by all threads.
    public init(schema: SQLSchema, longDecimals: Set<String> = []) {
        self.schema = schema
        self.longDecimals = longDecimals
        selectLists = schema.tables.mapValues {
            schema.selectList(of: $0, alias: Self.firstAlias)
        }
        columns = schema.model.entities.map { entity in
            entity.slots.map { slot in
                guard case .attribute(let it) = slot else { return nil }
                return Column(it, of: entity, behind: Self.firstAlias, schema, longDecimals)
            }
        }
    }

    /// What the table of a request's entity is called, and its key.
    static let firstAlias = "t0"
    static let firstKey = "t0.Z_PK"

    /// The column of an attribute behind an alias; nil where the store has none.
    func column(_ it: Attribute, of entity: Entity, behind alias: String) -> Column? {
        Column(it, of: entity, behind: alias, schema, longDecimals)
    }

    /// The column of an attribute of the objects that a request gives; nil where there is none.
    func firstColumn(_ it: Attribute, of entity: Entity) -> Column? {
        let known = columns[entity.index]
        return known.indices.contains(it.slot) ? known[it.slot] : nil
    }

    /// The objects that match, in the request's order, for the family's `RowShape`; those of a
    /// statement that `isUnordered` are still to be sorted by key.
    public func snapshots(_ request: FetchRequest) throws(StoreError) -> FetchStatement {
        try statement(request) { (select) throws(StoreError) in
            try select.snapshots(selectLists[request.entity.root] ?? "")
        }
    }

    /// The keys of the objects that match, in the request's order.
    public func keys(_ request: FetchRequest) throws(StoreError) -> FetchStatement {
        try statement(request) { (select) throws(StoreError) in
            try select.objects("t0.Z_PK", kinds: [.key])
        }
    }

    /// The request's columns of each object or group, in order.
    public func rows(_ request: FetchRequest) throws(StoreError) -> FetchStatement {
        try statement(request) { (select) throws(StoreError) in try select.rows() }
    }

    /// How many objects match, or how many rows a dictionary result has; limit and offset count.
    public func count(_ request: FetchRequest) throws(StoreError) -> FetchStatement {
        try statement(request) { (select) throws(StoreError) in try select.count() }
    }

    /// The values of one object's sort keys, `_id` last: what `FetchRequest.after` takes.
    public func position(
        of key: Int64, in request: FetchRequest
    ) throws(StoreError) -> FetchStatement {
        try Select(self, request).position(of: key)
    }

    /// Makes a statement, and refuses one that SQLite would.
    private func statement(
        _ request: FetchRequest, _ make: (Select) throws(StoreError) -> FetchStatement
    ) throws(StoreError) -> FetchStatement {
        let statement = try make(Select(self, request))
        guard statement.bindings.count <= Translation.parameterLimit else {
            throw .predicate(
                PredicateError(
                    .limit,
                    "the request has more than \(Translation.parameterLimit) values to compare with",
                    hint: "ask in several requests"))
        }
        return statement
    }
}
