import SteleModel
import StelePersistence

/// The database layout of a model: its tables, columns and join tables, as Core Data has them.
public final class SQLSchema: Sendable {
    /// The model.
    public let model: Model
    /// The SQL of the database.
    package let dialect: SQLDialect
    /// The tables by index of the root entity.
    package let tables: [Int: SQLTable]
    /// The table of each entity.
    private let entityTables: [SQLTable]
    /// The columns of each entity.
    let mappings: [EntityMapping]
    /// Whether a column has the concrete entity of a to-one destination.
    let hasEntityColumns: Bool
    /// The storage of each relationship; nil for a to-one.
    package let toManys: [ToManyStorage?]
    /// The row shapes by index of the root entity.
    public let shapes: [Int: RowShape]

    /// The slots of each entity's attributes with external storage.
    package let externalSlots: [[Int]]
    /// The slots whose columns begin with a marker byte (`Attribute.hasMarker`), by entity.
    let markedSlots: [[Int]]

    /// By `TABLE.COLUMN` of a key that may refer to a deleted row: the table that it refers to.
    private let danglingEnds: [String: String]

    /// The slots of each entity's attributes that an index begins with.
    let indexedSlots: [Set<Int>]

    /// The slots of each entity that a uniqueness constraint of its inheritance tree has.
    let uniqueSlots: [Set<Int>]

    /// Whether the history's texts are rows of ATRANSACTIONSTRING; older stores of Core Data have
    /// them in ATRANSACTION.
    let internsHistoryTexts: Bool

    /// The Z_ENT of each entity.
    @usableFromInline let numbers: [Int]
    /// The index of the entity of each Z_ENT; negative for a number that no entity has.
    private let entitiesByNumber: [Int]

    /// Computes the layout of a new store.
    /// - Parameter isForApp: whether Core Data is to open it: columns of composite attributes have
    ///   its names for them, where these are known.
    public convenience init(
        model: Model, dialect: SQLDialect = .sqlite, isForApp: Bool = false
    ) {
        self.init(
            model, dialect, numbers: model.entities.map { $0.index + 1 },
            internsHistoryTexts: true,
            table: { isForApp ? $0.namingElements(in: model) : $0 },
            join: { either, _ in either[0] })
    }

    /// Fits a model to the layout of a store's file.
    /// - Throws: `StoreError.incompatible` (134100) with the entity, table or column that the model
    ///   needs and the file does not have.
    package convenience init(model: Model, layout: StoreLayout) throws(StoreError) {
        try self.init(model: model, layout: layout) { lack throws(StoreError) in throw lack }
    }

    /// Fits a model to the layout of a store's file.
    /// - Parameter lacking: called with each entity, table or column that the model needs and the
    ///   file does not have. If it returns, the schema has the names of a new store for them.
    /// - Throws: what `lacking` throws.
    package convenience init<Failure: Error>(
        model: Model, layout: StoreLayout, lacking: (StoreError) throws(Failure) -> Void
    ) throws(Failure) {
        let stored = Set(model.storedEntities.map(\.root))
        try self.init(
            model, layout.dialect, numbers: try layout.numbers(of: model, lacking),
            internsHistoryTexts: layout.internsHistoryTexts,
            table: { table throws(Failure) in
                stored.contains(table.root) ? try layout.fitting(table, model, lacking) : table
            },
            join: { either, it throws(Failure) in
                stored.contains(model.entities[it.owner].root)
                    ? try layout.fitting(either, of: it, model, lacking) : either[0]
            })
    }

    /// - Parameters:
    ///   - numbers: the Z_ENT of each entity.
    ///   - fit: gives a table the names that the file has.
    ///   - fitJoin: chooses the join table of a relationship, and gives it these names.
    private init<Failure: Error>(
        _ model: Model, _ dialect: SQLDialect, numbers: [Int], internsHistoryTexts: Bool,
        table fit: (SQLTable) throws(Failure) -> SQLTable,
        join fitJoin: ([JoinTable], Relationship) throws(Failure) -> JoinTable
    ) throws(Failure) {
        self.model = model
        self.dialect = dialect
        self.numbers = numbers
        self.internsHistoryTexts = internsHistoryTexts
        var byNumber = [Int](repeating: -1, count: (numbers.max() ?? 0) + 1)
        for (index, number) in numbers.enumerated() { byNumber[number] = index }
        entitiesByNumber = byNumber
        func slots(_ holds: (Attribute) -> Bool) -> [[Int]] {
            model.entities.map { entity in
                entity.slots.indices.filter {
                    if case .attribute(let it) = entity.slots[$0] { holds(it) } else { false }
                }
            }
        }
        externalSlots = slots(\.isExternal)
        markedSlots = slots(\.hasMarker)
        indexedSlots = model.entities.map { Self.indexedSlots(of: $0, model) }
        uniqueSlots = model.entities.map { entity in
            let family = model.family(of: model.entities[entity.root])
            let names = Set(family.flatMap(\.uniquenessConstraints).joined())
            return Set(entity.slots.indices.filter { names.contains(entity.slots[$0].name) })
        }
        var tables: [Int: SQLTable] = [:]
        var mappings: [Int: EntityMapping] = [:]
        var columns = SQLTableBuilder.ToManyColumns()
        for root in model.entities where root.parent == nil {
            let builder = SQLTableBuilder(model: model, root: root, numbers: numbers)
            let table = try fit(builder.table())
            tables[root.index] = table
            let places = builder.places(in: table)
            mappings.merge(places.mappings) { first, _ in first }
            columns.orders.merge(places.toManys.orders) { first, _ in first }
            columns.owners.merge(places.toManys.owners) { first, _ in first }
        }
        self.tables = tables
        let ordered = model.entities.compactMap { mappings[$0.index] }
        self.mappings = ordered
        let entityTables = model.entities.compactMap { tables[$0.root] }
        self.entityTables = entityTables
        danglingEnds = Self.danglingEnds(model, entityTables, ordered)
        hasEntityColumns = ordered.contains { $0.entityColumns.contains { $0 >= 0 } }
        var toManys: [ToManyStorage?] = []
        for it in model.relationships {
            if let inverse = model.inverse(of: it), it.isToMany, inverse.isToMany {
                toManys.append(
                    .join(try fitJoin(JoinTable.either(it, inverse, model, numbers), it)))
            } else {
                toManys.append(
                    Self.column(
                        of: it, in: model, tables: entityTables, mappings: ordered,
                        columns: columns))
            }
        }
        self.toManys = toManys
        shapes = tables.mapValues { Self.shape(of: $0, model, ordered, numbers) }
    }

    /// Returns the Z_ENT of an entity.
    @inlinable
    public func number(of entity: Int) -> Int { numbers[entity] }

    /// Returns the index of the entity of a Z_ENT; nil for a number that no entity has.
    func entity(numbered number: Int64) -> Int? {
        guard let number = Int(exactly: number), entitiesByNumber.indices.contains(number),
            entitiesByNumber[number] >= 0
        else { return nil }
        return entitiesByNumber[number]
    }

    /// The tables that a store has, by root entity.
    package var storedTables: [SQLTable] {
        model.storedEntities.compactMap { tables[$0.index] }
    }

    /// Returns the table of an entity.
    package func table(of entity: Int) -> SQLTable { entityTables[entity] }

    /// Returns the name of a slot's column; nil for a slot without a column.
    package func column(of slot: Int, in entity: Int) -> String? {
        let index = mappings[entity].slotColumns[slot]
        return index < 0 ? nil : table(of: entity).columns[index].name
    }

    /// Returns the name of the column with the concrete entities of a to-one relationship's
    /// destinations; nil where there is none.
    func entityColumn(of slot: Int, in entity: Int) -> String? {
        let index = mappings[entity].entityColumns[slot]
        return index < 0 ? nil : table(of: entity).columns[index].name
    }

    /// Returns the table of a to-many relationship's links, and its columns.
    /// - Throws: `.unsupported` for a to-one relationship.
    func links(
        of it: Relationship
    ) throws(StoreError) -> (table: String, owner: String, member: String, order: String?) {
        guard let links = toManys[it.index]?.links else {
            throw .unsupported("\(it.name) as a to-many relationship")
        }
        return links
    }

    /// Returns `Z_PK, Z_ENT, Z_OPT` and the table's columns, qualified by the alias. A key that may
    /// refer to a deleted row is null there.
    func selectList(of table: SQLTable, alias: String) -> String {
        let own = ["Z_PK", "Z_ENT", "Z_OPT"].map { "\(alias).\($0)" }
        let columns = table.columns.map { column in
            let value = "\(alias).\(column.name)"
            guard let end = danglingEnds["\(table.name).\(column.name)"] else { return value }
            return "(SELECT e.Z_PK FROM \(end) e WHERE e.Z_PK = \(value))"
        }
        return (own + columns).joined(separator: ", ")
    }

    /// Returns a row's version as a read of Z_OPT converts it, so that a statement compares what was
    /// read: another program may store any content. NULL is 0.
    static func version(in column: String = "Z_OPT") -> String {
        "CAST(COALESCE(\(column), 0) AS BIGINT)"
    }

    private static func indexedSlots(of entity: Entity, _ model: Model) -> Set<Int> {
        var names: [String] = []
        var declaring: Entity? = entity
        while let declared = declaring?.declaration {
            let indexes =
                declared.compoundIndexes.map { $0.map(Optional.some) }
                + declared.madeIndexes.map { $0.elements.map(\.name) }
            for elements in indexes where elements.allSatisfy(entity.hasColumn(ofElement:)) {
                if case let name?? = elements.first { names.append(name) }
            }
            names += declared.uniquenessConstraints.compactMap(\.first)
            for case .attribute(let it) in declared.properties where it.isIndexed {
                names.append(it.name)
            }
            declaring = declaring?.parent.map { model.entities[$0] }
        }
        return Set(
            names.compactMap { name in
                if case .attribute(let it)? = entity.property(named: name) { it.slot } else { nil }
            })
    }

    private static func danglingEnds(
        _ model: Model, _ tables: [SQLTable], _ mappings: [EntityMapping]
    ) -> [String: String] {
        var ends: [String: String] = [:]
        for it in model.relationships where model.mayDangle(it) {
            let (table, column) = (tables[it.owner], mappings[it.owner].slotColumns[it.slot])
            if column < 0 { continue }
            ends["\(table.name).\(table.columns[column].name)"] = tables[it.destination].name
        }
        return ends
    }

    private static func shape(
        of table: SQLTable, _ model: Model, _ mappings: [EntityMapping], _ numbers: [Int]
    ) -> RowShape {
        let family = model.family(of: model.entities[table.root])
        let own = family.map { numbers[$0.index] }
        let first = own.min() ?? 0
        let count = (own.max() ?? -1) - first + 1
        var entities = [Int](repeating: -1, count: count)
        var sources = [[RowShape.Source]](repeating: [], count: count)
        for (entity, number) in zip(family, own) {
            entities[number - first] = entity.index
            sources[number - first] = mappings[entity.index].slotColumns.map {
                RowShape.Source(
                    column: Int32($0), kind: $0 < 0 ? .integer : table.columns[$0].kind)
            }
        }
        return RowShape(
            entities: entities, firstNumber: first, sources: sources,
            root: numbers[table.root] - first)
    }

    /// Returns the columns of a to-many relationship's links in its members' rows; nil for a to-one
    /// relationship.
    private static func column(
        of it: Relationship, in model: Model, tables: [SQLTable], mappings: [EntityMapping],
        columns: SQLTableBuilder.ToManyColumns
    ) -> ToManyStorage? {
        guard it.isToMany else { return nil }
        let table = tables[it.destination]
        guard let inverse = model.inverse(of: it) else {
            guard let owner = columns.owners[it.index] else { return nil }
            return .column(
                table: table.name, owner: owner, order: columns.orders[it.index], isInverse: false)
        }
        let column = mappings[inverse.owner].slotColumns[inverse.slot]
        return .column(
            table: table.name, owner: table.columns[column].name,
            order: it.isOrdered ? columns.orders[it.index] : nil, isInverse: true)
    }
}
