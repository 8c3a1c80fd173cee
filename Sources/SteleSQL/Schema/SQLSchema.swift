import SteleModel
import StelePersistence

/// The database layout of a model: its tables, columns and join tables, as Core Data has them.
public final class SQLSchema: Sendable {
    /// The model.
    public let model: Model
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

    /// By `TABLE.COLUMN` of a key that may refer to a deleted row: the table that it refers to.
    private let danglingEnds: [String: String]

    /// The slots of each entity's attributes that an index begins with.
    let indexedSlots: [Set<Int>]

    /// Computes the layout of a model.
    public init(model: Model) {
        self.model = model
        externalSlots = model.entities.map { entity in
            entity.slots.indices.filter {
                if case .attribute(let it) = entity.slots[$0] { it.isExternal } else { false }
            }
        }
        indexedSlots = model.entities.map { Self.indexedSlots(of: $0, model) }
        var tables: [Int: SQLTable] = [:]
        var mappings: [Int: EntityMapping] = [:]
        var columns = SQLTableBuilder.ToManyColumns()
        for root in model.entities where root.parent == nil {
            let built = SQLTableBuilder(model: model, root: root).build()
            tables[root.index] = built.table
            mappings.merge(built.mappings) { first, _ in first }
            columns.orders.merge(built.toManys.orders) { first, _ in first }
            columns.owners.merge(built.toManys.owners) { first, _ in first }
        }
        self.tables = tables
        let ordered = model.entities.compactMap { mappings[$0.index] }
        self.mappings = ordered
        let entityTables = model.entities.compactMap { tables[$0.root] }
        self.entityTables = entityTables
        danglingEnds = Self.danglingEnds(model, entityTables, ordered)
        hasEntityColumns = ordered.contains { $0.entityColumns.contains { $0 >= 0 } }
        toManys = model.relationships.map {
            Self.storage(
                of: $0, in: model, tables: entityTables, mappings: ordered, columns: columns)
        }
        shapes = tables.mapValues { Self.shape(of: $0, model, ordered) }
    }

    /// Returns the Z_ENT of an entity.
    @inlinable
    public func number(of entity: Int) -> Int { entity + 1 }

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

    private static func indexedSlots(of entity: Entity, _ model: Model) -> Set<Int> {
        var names: [String] = []
        var declaring: Entity? = entity
        while let declared = declaring?.declaration {
            names += declared.compoundIndexes.compactMap(\.first)
            names += declared.fetchIndexes.compactMap { $0.elements.first?.propertyName }
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
        of table: SQLTable, _ model: Model, _ mappings: [EntityMapping]
    ) -> RowShape {
        let family = model.family(of: model.entities[table.root])
        return RowShape(
            entities: family.map(\.index), firstNumber: table.root + 1,
            sources: family.map { entity in
                mappings[entity.index].slotColumns.map {
                    RowShape.Source(
                        column: Int32($0), kind: $0 < 0 ? .integer : table.columns[$0].kind)
                }
            })
    }

    private static func storage(
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
        if inverse.isToMany { return .join(JoinTable(it, inverse, model)) }
        let column = mappings[inverse.owner].slotColumns[inverse.slot]
        return .column(
            table: table.name, owner: table.columns[column].name,
            order: it.isOrdered ? columns.orders[it.index] : nil, isInverse: true)
    }
}
