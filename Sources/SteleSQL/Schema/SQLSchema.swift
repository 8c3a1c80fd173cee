/// A model as tables, columns and join tables, in Core Data's layout.

import SteleModel
import StelePersistence

/// Where everything of a model is in a database.
public final class SQLSchema: Sendable {
    public let model: Model
    /// By index of the root entity.
    public let tables: [Int: SQLTable]
    /// By index of the entity.
    public let mappings: [EntityMapping]
    /// Whether any column holds a to-one's concrete entity.
    let hasEntityColumns: Bool
    /// By index of the relationship; nil for to-ones.
    public let toManys: [ToManyStorage?]
    /// How rows of each family become snapshots, by index of the root entity.
    public let shapes: [Int: RowShape]

    /// The slots of attributes whose values may live in files, by index of the entity.
    public let externalSlots: [[Int]]

    /// The tables that columns lead to which may lead to nothing, by `TABLE.COLUMN`.
    private let danglingEnds: [String: String]

    /// The slots of attributes with which an index begins, by index of the entity.
    let indexedSlots: [Set<Int>]

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
        danglingEnds = Self.danglingEnds(model, tables, ordered)
        hasEntityColumns = ordered.contains { $0.entityColumns.contains { $0 >= 0 } }
        toManys = model.relationships.map {
            Self.storage(of: $0, model, tables, ordered, columns)
        }
        shapes = tables.mapValues { Self.shape(of: $0, model, ordered) }
    }

    /// The Z_ENT of an entity.
    @inlinable
    public func number(of entity: Int) -> Int { entity + 1 }

    /// The table of an entity's family.
    public func table(of entity: Int) -> SQLTable? { tables[model.entities[entity].root] }

    /// The name of the column that holds a slot of an entity.
    public func column(of slot: Int, in entity: Int) -> String? {
        let index = mappings[entity].slotColumns[slot]
        guard index >= 0, let table = table(of: entity) else { return nil }
        return table.columns[index].name
    }

    /// `Z_PK, Z_ENT, Z_OPT` and all columns of the table, each behind the alias; a key that may lead
    /// to nothing is null there.
    public func selectList(of table: SQLTable, alias: String) -> String {
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
        _ model: Model, _ tables: [Int: SQLTable], _ mappings: [EntityMapping]
    ) -> [String: String] {
        var ends: [String: String] = [:]
        for it in model.relationships where model.mayDangle(it) {
            let column = mappings[it.owner].slotColumns[it.slot]
            guard column >= 0, let end = tables[model.destination(of: it).root],
                let table = tables[model.entities[it.owner].root]
            else { continue }
            ends["\(table.name).\(table.columns[column].name)"] = end.name
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
        of it: Relationship, _ model: Model, _ tables: [Int: SQLTable],
        _ mappings: [EntityMapping], _ columns: SQLTableBuilder.ToManyColumns
    ) -> ToManyStorage? {
        guard it.isToMany, let table = tables[model.destination(of: it).root] else { return nil }
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
