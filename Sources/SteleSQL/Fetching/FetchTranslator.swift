import SteleModel
import StelePersistence
import StelePredicates

/// Translates fetch requests to SELECT statements over one schema, without a connection.
///
/// A request that has no statement throws `StoreError`: `.unsupported` for an expression that has
/// no translation to SQL, `.invalid` for a contradictory request, `.predicate` for one that every
/// store refuses or whose expressions are too deep or have too many values, `.tooLarge` for a list
/// that is too long.
public struct FetchTranslator: Sendable {
    /// The database layout.
    public let schema: SQLSchema
    /// The Decimal attributes with values of more than 15 digits, as `Entity.attribute` with the
    /// declaring entity. They are compared and sorted by a function.
    public let longDecimals: Set<String>
    /// The columns that are read by an expression.
    package let foreign: ForeignValues
    /// What is read in the place of tables with such columns, by the table's name.
    private let sources: [String: String]
    /// The columns by which members are searched where the relationship's own is such a column.
    private let storedKeys: [String: String]
    /// The columns of each table, qualified by `t0`, by index of the root entity.
    let selectLists: [Int: String]
    /// The SELECT of one object by key (?1), by index of the root entity.
    private(set) var selectsByKey: [Int: SQLText] = [:]
    /// The columns of each entity, qualified by `t0`, by entity and slot.
    private let columns: [[Column?]]

    /// Creates a translator for one store, to be shared by all threads.
    public init(schema: SQLSchema, longDecimals: Set<String> = []) {
        self.init(schema: schema, longDecimals: longDecimals, foreign: ForeignValues())
    }

    package init(schema: SQLSchema, longDecimals: Set<String>, foreign: ForeignValues) {
        self.schema = schema
        self.foreign = foreign
        sources = schema.sources(reading: foreign)
        storedKeys = schema.storedKeys(reading: foreign)
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
        for root in schema.tables.keys {
            selectsByKey[root] = SQLText(select(root, Self.isKey))
        }
    }

    // The alias of the requested entity's table, and its key.
    static let firstAlias = "t0"
    static let firstKey = "t0.Z_PK"

    /// Returns what a statement reads for a table: the table, or a SELECT where it has foreign values.
    func source(_ table: String) -> String {
        sources.isEmpty ? table : sources[table] ?? table
    }

    /// Returns the column of a to-many relationship's owners by which the members of a row are
    /// searched.
    func owners(_ column: String, in table: String) -> String {
        storedKeys.isEmpty ? column : storedKeys["\(table).\(column)"] ?? column
    }

    /// Returns the column of an attribute of the requested objects; nil where it is not stored.
    func firstColumn(_ it: Attribute, of entity: Entity) -> Column? {
        let known = columns[entity.index]
        return known.indices.contains(it.slot) ? known[it.slot] : nil
    }

    /// Returns the SELECT of the matching objects, in the request's order. The rows of a statement
    /// that `isUnordered` must be sorted by key.
    /// - Throws: `StoreError`, as described at the type.
    public func snapshots(_ request: FetchRequest) throws(StoreError) -> FetchStatement {
        try statement(request) { (select) throws(StoreError) in
            try select.snapshots(selectLists[request.entity.root] ?? "")
        }
    }

    /// Returns the SELECT of the matching objects, whose rows are in the request's order.
    /// - Throws: `StoreError`, as described at the type.
    public func objects(_ request: FetchRequest) throws(StoreError) -> FetchStatement {
        try statement(request) { (select) throws(StoreError) in
            try select.objects(selectLists[request.entity.root] ?? "")
        }
    }

    /// Returns the SELECT of the request's columns for each object or group, in order.
    /// - Throws: `StoreError`, as described at the type.
    public func rows(_ request: FetchRequest) throws(StoreError) -> FetchStatement {
        try statement(request) { (select) throws(StoreError) in try select.rows() }
    }

    /// Returns the SELECT of the number of objects or dictionary rows, with limit and offset
    /// applied.
    /// - Throws: `StoreError`, as described at the type.
    public func count(_ request: FetchRequest) throws(StoreError) -> FetchStatement {
        try statement(request) { (select) throws(StoreError) in try select.count() }
    }

    /// Returns the SELECT of one object's sort keys, `_id` last, for `FetchRequest.after`.
    /// - Throws: `StoreError`, as described at the type.
    public func position(
        of key: Int64, in request: FetchRequest
    ) throws(StoreError) -> FetchStatement {
        try Select(self, request).position(of: key)
    }

    /// Makes a statement, and refuses one with more parameters than SQLite takes.
    private func statement(
        _ request: FetchRequest, _ make: (Select) throws(StoreError) -> FetchStatement
    ) throws(StoreError) -> FetchStatement {
        let statement = try make(Select(self, request))
        guard statement.bindings.count <= Translation.parameterLimit else {
            throw .predicate(
                PredicateError(
                    .limit,
                    "the request compares with more than \(Translation.parameterLimit) values",
                    hint: "split it into several requests"))
        }
        return statement
    }
}
