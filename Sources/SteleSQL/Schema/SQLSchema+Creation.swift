import SteleModel

extension SQLSchema {
    /// The statements that create the tables and indexes of an empty store, with Core Data's names
    /// and spacing.
    package var creation: [String] { creation(as: .newest) }

    /// The statements of an empty store as a version of Core Data makes them, in its order.
    package func creation(as version: FrameworkVersion) -> [String] {
        let entityTables = storedTables.map {
            $0.creation(constraints: version.hasFetchIndexes ? [] : constraints(of: $0))
        }
        let joins = joinTables.flatMap { [$0.creation(), $0.index.creation] }
        let indexes = storedTables.flatMap { self.indexes(of: $0, version) }.map(\.creation)
        let rest =
            version.hasFetchIndexes ? indexes + Self.bookkeeping : Self.bookkeeping + indexes
        return entityTables + joins + rest + HistoryTables.creation
    }

    /// The join tables, each seen from the side that names it.
    package var joinTables: [JoinTable] {
        let stored = Set(model.storedEntities.map(\.index))
        return zip(model.relationships, toManys).compactMap { relationship, storage in
            guard case .join(let table)? = storage, table.isOwningSide,
                stored.contains(relationship.owner)
            else { return nil }
            return table
        }
    }

    /// All indexes of the model's tables.
    package var indexes: [SQLIndex] { indexes(as: .newest) }

    /// All indexes of the model's tables as a version of Core Data makes them.
    func indexes(as version: FrameworkVersion) -> [SQLIndex] {
        joinTables.map(\.index) + storedTables.flatMap { indexes(of: $0, version) }
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

    /// The indexes of a table, each name once.
    private func indexes(of table: SQLTable, _ version: FrameworkVersion) -> [SQLIndex] {
        let family = Array(model.family(of: model.entities[table.root]))
        let keys = keyIndexes(of: table, family)
        var made: [SQLIndex]
        if version.hasFetchIndexes {
            made = keys
            for entity in family {
                made += compoundIndexes(of: entity) + fetchIndexes(of: entity)
                made += ownIndexes(of: entity) + uniqueIndexes(of: entity)
            }
        } else {
            made = family.flatMap(attributeIndexes) + keys
            for entity in family { made += compoundIndexes(of: entity) + fetchIndexes(of: entity) }
        }
        // SQLite does not tell names apart by case.
        var names = Set<String>()
        return made.filter { names.insert($0.name.uppercased()).inserted }
    }

    /// The indexes on keys of to-one relationships and of owners, and on Z_ENT where a table has
    /// several entities.
    private func keyIndexes(of table: SQLTable, _ family: [Entity]) -> [SQLIndex] {
        var made: [SQLIndex] = []
        for entity in family {
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

    private static func index(on table: String, _ column: String) -> SQLIndex {
        SQLIndex("\(table)_\(column)_INDEX", on: table, [column])
    }

    /// Returns the column of an element of an index; nil for one without.
    private func column(ofElement name: String?, in entity: Entity) -> String? {
        guard let name else { return nil }
        return entity.isEntityElement(name) ? "Z_ENT" : column(name, of: entity)
    }

    /// Returns the column of an attribute or of a to-one relationship; nil for a property without
    /// one.
    func column(_ name: String, of entity: Entity) -> String? {
        switch entity.property(named: name) {
        case .attribute(let it): column(of: it.slot, in: entity.index)
        case .relationship(let it) where !it.isToMany: column(of: it.slot, in: entity.index)
        default: nil
        }
    }

    /// The names of the attributes that the model marks as indexed.
    private func indexedAttributes(of entity: Entity) -> [String] {
        entity.declaration.properties.compactMap { property in
            guard case .attribute(let it) = property, it.isIndexed else { return nil }
            return it.name
        }
    }

    /// The indexes of indexed attributes in versions without fetch indexes.
    private func attributeIndexes(of entity: Entity) -> [SQLIndex] {
        let table = table(of: entity.index).name
        return indexedAttributes(of: entity).compactMap { name in
            column(name, of: entity).map { Self.index(on: table, $0) }
        }
    }

    /// The fetch indexes that Core Data makes by itself: one for each indexed attribute, and for
    /// each attribute that a fetch index has as its only element.
    private func ownIndexes(of entity: Entity) -> [SQLIndex] {
        let alone = entity.declaration.madeIndexes.compactMap { index -> String? in
            guard index.elements.count == 1, index.elements[0].collation == .binary,
                let name = index.elements[0].propertyName,
                case .attribute? = entity.property(named: name)
            else { return nil }
            return name
        }
        let table = table(of: entity.index).name
        return (indexedAttributes(of: entity) + alone).compactMap { name in
            guard let column = column(name, of: entity) else { return nil }
            return SQLIndex(
                "Z_\(entity.name)_\(name.replacing(".", with: "_"))", on: table, [column],
                orders: [Self.ascending])
        }
    }

    private static let ascending = " COLLATE BINARY ASC"

    private func compoundIndexes(of entity: Entity) -> [SQLIndex] {
        let table = table(of: entity.index).name
        return entity.declaration.compoundIndexes.compactMap { names in
            let columns = names.compactMap { column(ofElement: $0, in: entity) }
            guard columns.count == names.count, !columns.isEmpty else { return nil }
            return SQLIndex("\(table)_\(columns.joined(separator: "_"))", on: table, columns)
        }
    }

    private func fetchIndexes(of entity: Entity) -> [SQLIndex] {
        entity.declaration.madeIndexes.compactMap { index in
            let elements = index.elements.compactMap { element in
                column(ofElement: element.name, in: entity).map { ($0, element.isAscending) }
            }
            // Without a column for one of them, as for a to-many, Core Data makes no index.
            guard elements.count == index.elements.count else { return nil }
            return SQLIndex(
                "Z_\(entity.name)_\(index.name)", on: table(of: entity.index).name,
                elements.map { $0.0 },
                orders: elements.map { $0.1 ? Self.ascending : " COLLATE BINARY DESC" })
        }
    }

    /// The indexes of uniqueness constraints.
    private func uniqueIndexes(of entity: Entity) -> [SQLIndex] {
        entity.declaration.uniquenessConstraints.map { names in
            let columns = columns(of: names, in: entity)
            return SQLIndex(
                Self.uniqueIndex(entity.name, names), on: table(of: entity.index).name, columns,
                orders: columns.map { _ in Self.ascending }, isUnique: true)
        }
    }

    /// The uniqueness constraints of a table in versions that have them in the table's statement.
    private func constraints(of table: SQLTable) -> [[String]] {
        model.family(of: model.entities[table.root]).flatMap { entity in
            entity.declaration.uniquenessConstraints.map { names in
                columns(of: names, in: entity)
            }
        }
    }

    /// Returns the columns of an entity's properties, without those that have none.
    func columns(of names: [String], in entity: Entity) -> [String] {
        names.compactMap { column($0, of: entity) }
    }

    /// Returns the name of a uniqueness constraint's index.
    static func uniqueIndex(_ entity: String, _ names: [String]) -> String {
        "Z_\(entity)_UNIQUE_\(names.joined(separator: "_"))"
    }
}
