import SteleModel

extension SQLSchema {
    /// The statements that create the tables and indexes of an empty store, with Core Data's names
    /// and spacing.
    package var creation: [String] {
        let entityTables = model.entities.compactMap { tables[$0.index]?.creation }
        let joins = toManys.flatMap { storage -> [String] in
            guard case .join(let table)? = storage, table.isOwningSide else { return [] }
            return table.creation
        }
        return entityTables + joins + keyIndexes + model.entities.flatMap(declaredIndexes)
            + Self.bookkeeping + HistoryTables.creation
    }

    private static let bookkeeping = [
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, "
            + "Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]

    /// The rows of Z_PRIMARYKEY: number, name and parent's number of each entity.
    package var primaryKeyRows: [(number: Int, name: String, parent: Int)] {
        model.entities.map { ($0.index + 1, $0.name, $0.parent.map { $0 + 1 } ?? 0) }
            + HistoryTables.entities.map { ($0.number, $0.name, 0) }
    }

    /// The indexes on keys of to-one relationships and of owners, and on Z_ENT where a table has
    /// several entities.
    private var keyIndexes: [String] {
        tables.values.sorted { $0.root < $1.root }.flatMap { table in
            var made: [String] = []
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

    private static func index(on table: String, _ column: String) -> String {
        "CREATE INDEX \(table)_\(column)_INDEX ON \(table) (\(column))"
    }

    /// The indexes that the model declares: for indexed attributes, compound and fetch indexes, and
    /// uniqueness constraints.
    private func declaredIndexes(of entity: Entity) -> [String] {
        let table = table(of: entity.index)
        func column(_ name: String) -> String? {
            switch entity.property(named: name) {
            case .attribute(let it): self.column(of: it.slot, in: entity.index)
            case .relationship(let it) where !it.isToMany:
                self.column(of: it.slot, in: entity.index)
            default: nil
            }
        }
        let single = entity.declaration.properties.compactMap { property -> String? in
            guard case .attribute(let it) = property, it.isIndexed, let name = column(it.name)
            else { return nil }
            return Self.index(on: table.name, name)
        }
        let compound = entity.declaration.compoundIndexes.map { names in
            let columns = names.compactMap(column)
            return "CREATE INDEX \(table.name)_\(columns.joined(separator: "_")) "
                + "ON \(table.name) (\(columns.joined(separator: ", ")))"
        }
        let fetch = entity.declaration.fetchIndexes.map { index in
            let columns = index.elements.compactMap { element in
                element.propertyName.flatMap(column).map {
                    "\($0) COLLATE BINARY \(element.isAscending ? "ASC" : "DESC")"
                }
            }
            return "CREATE INDEX Z_\(entity.name)_\(index.name) "
                + "ON \(table.name) (\(columns.joined(separator: ", ")))"
        }
        let unique = entity.declaration.uniquenessConstraints.map { names in
            let columns = names.compactMap(column).map { "\($0) COLLATE BINARY ASC" }
            return "CREATE UNIQUE INDEX \(Self.uniqueIndex(entity.name, names)) "
                + "ON \(table.name) (\(columns.joined(separator: ", ")))"
        }
        return single + compound + fetch + unique
    }

    /// Returns the name of a uniqueness constraint's index.
    static func uniqueIndex(_ entity: String, _ names: [String]) -> String {
        "Z_\(entity)_UNIQUE_\(names.joined(separator: "_"))"
    }
}
