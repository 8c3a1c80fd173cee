import SteleModel

extension SQLSchema {
    /// The statements that create the tables and indexes of an empty store, with Core Data's names
    /// and spacing.
    package var creation: [String] {
        let entityTables = model.storedEntities.compactMap { tables[$0.index]?.creation() }
        let joins = joinTables.flatMap { [$0.creation(), $0.index.creation] }
        return entityTables + joins + tableIndexes.map(\.creation) + Self.bookkeeping
            + HistoryTables.creation
    }

    /// The join tables, each seen from the side that names it.
    var joinTables: [JoinTable] {
        let stored = Set(model.storedEntities.map(\.index))
        return zip(model.relationships, toManys).compactMap { relationship, storage in
            guard case .join(let table)? = storage, table.isOwningSide,
                stored.contains(relationship.owner)
            else { return nil }
            return table
        }
    }

    /// All indexes of the model's tables.
    var indexes: [SQLIndex] { joinTables.map(\.index) + tableIndexes }

    /// The indexes of the entities' tables.
    private var tableIndexes: [SQLIndex] {
        keyIndexes + model.storedEntities.flatMap(declaredIndexes)
    }

    private static let bookkeeping = [
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, "
            + "Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]

    /// The rows of Z_PRIMARYKEY: number, name and parent's number of each entity.
    package var primaryKeyRows: [(number: Int, name: String, parent: Int)] {
        model.storedEntities.map {
            (number(of: $0.index), $0.name, $0.parent.map(number(of:)) ?? 0)
        }
            + HistoryTables.entities.map { ($0.number, $0.name, 0) }
    }

    /// The indexes on keys of to-one relationships and of owners, and on Z_ENT where a table has
    /// several entities.
    private var keyIndexes: [SQLIndex] {
        storedTables.flatMap { table in
            var made: [SQLIndex] = []
            for entity in model.family(of: model.entities[table.root]) {
                for property in entity.slots {
                    guard case .relationship(let it) = property, it.owner == entity.index,
                        let column = column(of: it.slot, in: entity.index)
                    else { continue }
                    made.append(Self.index(on: table.name, column))
                }
            }
            for storage in toManys {
                if case .column(table.name, let owner, _, false)? = storage {
                    made.append(Self.index(on: table.name, owner))
                }
            }
            if model.entities[table.root].hasSubentities {
                made.append(Self.index(on: table.name, "Z_ENT"))
            }
            return made
        }
    }

    private static func index(on table: String, _ column: String) -> SQLIndex {
        SQLIndex("\(table)_\(column)_INDEX", on: table, [column])
    }

    /// The indexes that the model declares: for indexed attributes, compound and fetch indexes, and
    /// uniqueness constraints.
    private func declaredIndexes(of entity: Entity) -> [SQLIndex] {
        let table = table(of: entity.index)
        func column(_ name: String) -> String? { self.column(of: name, in: entity) }
        let single = entity.declaration.properties.compactMap { property -> SQLIndex? in
            guard case .attribute(let it) = property, it.isIndexed, let name = column(it.name)
            else { return nil }
            return Self.index(on: table.name, name)
        }
        let compound = entity.declaration.compoundIndexes.map { names in
            let columns = columns(of: names, in: entity)
            return SQLIndex(
                "\(table.name)_\(columns.joined(separator: "_"))", on: table.name, columns)
        }
        let fetch = entity.declaration.fetchIndexes.map { index in
            let elements = index.elements.compactMap { element in
                element.propertyName.flatMap(column).map { ($0, element.isAscending) }
            }
            return SQLIndex(
                "Z_\(entity.name)_\(index.name)", on: table.name, elements.map { $0.0 },
                orders: elements.map { " COLLATE BINARY \($0.1 ? "ASC" : "DESC")" })
        }
        let unique = entity.declaration.uniquenessConstraints.map { names in
            let columns = columns(of: names, in: entity)
            return SQLIndex(
                Self.uniqueIndex(entity.name, names), on: table.name, columns,
                orders: columns.map { _ in " COLLATE BINARY ASC" }, isUnique: true)
        }
        return single + compound + fetch + unique
    }

    /// Returns the column of a property; nil for one without a column.
    private func column(of name: String, in entity: Entity) -> String? {
        switch entity.property(named: name) {
        case .attribute(let it): column(of: it.slot, in: entity.index)
        case .relationship(let it) where !it.isToMany: column(of: it.slot, in: entity.index)
        default: nil
        }
    }

    /// Returns the columns of an entity's properties, without those that have none.
    func columns(of names: [String], in entity: Entity) -> [String] {
        names.compactMap { column(of: $0, in: entity) }
    }

    /// Returns the name of a uniqueness constraint's index.
    static func uniqueIndex(_ entity: String, _ names: [String]) -> String {
        "Z_\(entity)_UNIQUE_\(names.joined(separator: "_"))"
    }
}
