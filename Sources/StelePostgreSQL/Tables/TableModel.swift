import SteleModel

/// The model of tables: entities with attributes, and the relationships of their foreign keys. Its
/// user info tells the tables and columns (`TableKey`).
struct TableModel {
    let model: ManagedObjectModel
    /// What the model does not have, and why.
    let notes: [String]

    /// - Parameter name: the name of the model's version.
    init(_ tables: [CatalogTable], name: String) {
        var draft = TableModelDraft(tables)
        draft.addColumns()
        draft.addReferences()
        draft.addJoins()
        var model = ManagedObjectModel(name: name)
        model.entities = draft.entities
        self.model = model
        notes = draft.notes
    }
}

/// A model in the making.
struct TableModelDraft {
    /// What the model does not have, and why.
    let notes: [String]
    /// The tables that become entities, sorted by name.
    let tables: [CatalogTable]
    /// The tables that become many-to-many relationships.
    let joins: [CatalogTable]
    /// The foreign keys that become relationships, in the order of their columns.
    let foreignKeys: [TableName: [CatalogForeignKey]]
    /// The names of the entities.
    let names: [TableName: String]
    private var entityDrafts: [TableName: EntityDraft] = [:]

    /// Chooses what becomes of each table, and the names of the entities.
    init(_ all: [CatalogTable]) {
        let (mapped, unfit) = Self.mappable(all)
        var notes = unfit
        let known = Set(mapped.map(\.name))
        var foreignKeys: [TableName: [CatalogForeignKey]] = [:]
        for table in mapped {
            let (kept, left) = Self.foreignKeys(of: table, known)
            foreignKeys[table.name] = kept
            notes += left
        }
        let targets = Set(mapped.flatMap { $0.foreignKeys.map(\.table) })
        let isJoin = { (table: CatalogTable) in
            !targets.contains(table.name)
                && Self.isJoin(table, foreignKeys[table.name] ?? [])
        }
        tables = mapped.filter { !isJoin($0) }
        joins = mapped.filter(isJoin)
        self.foreignKeys = foreignKeys
        var taken = DistinctNames()
        var names: [TableName: String] = [:]
        for table in tables {
            names[table.name] = taken.take([TableNaming.entity(table.name.name)])
        }
        self.names = names
        self.notes = notes
        for table in tables {
            entityDrafts[table.name] = EntityDraft(table, name: names[table.name] ?? "")
        }
    }

    /// The tables whose names user info can have, sorted by name.
    private static func mappable(
        _ all: [CatalogTable]
    ) -> (tables: [CatalogTable], notes: [String]) {
        let sorted = all.sorted { ($0.name.schema, $0.name.name) < ($1.name.schema, $1.name.name) }
        let (fit, others) = (sorted.filter(\.hasPlainNames), sorted.filter { !$0.hasPlainNames })
        let notes = others.map {
            "the table \($0.name) is left out: a model cannot name a schema with a point, a column "
                + "with a comma, and control characters"
        }
        return (fit, notes)
    }

    // MARK: Foreign keys

    /// The foreign keys of a table that become relationships, and notes on the others.
    private static func foreignKeys(
        of table: CatalogTable, _ known: Set<TableName>
    ) -> (kept: [CatalogForeignKey], notes: [String]) {
        var notes: [String] = []
        func leaveOut(_ key: CatalogForeignKey, _ reason: String) {
            notes.append("the foreign key \(key.name) of \(table.name) is left out: \(reason)")
        }
        var distinct: [CatalogForeignKey] = []
        for key in table.foreignKeys {
            if !known.contains(key.table) {
                leaveOut(key, "its other table \(key.table) is not in the model")
            } else if !distinct.contains(where: { $0.isSame(as: key) }) {
                distinct.append(key)
            }
        }
        let users = Dictionary(grouping: distinct.flatMap(\.columns)) { $0 }
        let kept = distinct.filter { key in
            guard let shared = key.columns.first(where: { users[$0]?.count ?? 0 > 1 }) else {
                return true
            }
            leaveOut(key, "its column \(shared) is also one of another foreign key")
            return false
        }
        let places = Dictionary(
            table.columns.enumerated().map { ($1.name, $0) }, uniquingKeysWith: min)
        let place = { (key: CatalogForeignKey) in key.columns.compactMap { places[$0] }.min() ?? 0 }
        return (kept.sorted { place($0) < place($1) }, notes)
    }

    /// Whether the rows of a table are links of two others and nothing else.
    private static func isJoin(_ table: CatalogTable, _ keys: [CatalogForeignKey]) -> Bool {
        guard keys.count == 2 else { return false }
        let columns = Set(table.columns.map(\.name))
        return Set(keys.flatMap(\.columns)) == columns
            && ([table.key] + table.uniques).contains { Set($0) == columns }
    }

    // MARK: Properties

    /// Adds the attributes and the to-one relationships. Attributes have the first choice of names.
    mutating func addColumns() {
        for table in tables {
            guard var draft = entityDrafts[table.name] else { continue }
            let keys = foreignKeys[table.name] ?? []
            let linked = Set(keys.flatMap(\.columns))
            for column in table.columns where !linked.contains(column.name) {
                draft.add(column)
            }
            for key in keys {
                guard let destination = names[key.table] else { continue }
                draft.add(key, to: destination)
            }
            entityDrafts[table.name] = draft
        }
    }

    /// Adds the inverses of the to-one relationships.
    mutating func addReferences() {
        for table in tables {
            let keys = foreignKeys[table.name] ?? []
            for key in keys {
                guard let owner = entityDrafts[table.name], let name = owner.references[key] else {
                    continue
                }
                let isAlone = keys.filter { $0.table == key.table }.count == 1
                let plain = TableNaming.lowercased(owner.name)
                let by = "\(plain)By\(TableNaming.capitalized(name))"
                let inverse = entityDrafts[key.table]?.add(
                    Inverse(
                        names: isAlone ? [plain, by] : [by], source: owner.name, name: name,
                        isToMany: !table.isUnique(key.columns), deleteRule: key.deleteRule))
                entityDrafts[table.name]?.setInverse(of: name, to: inverse)
            }
        }
    }

    /// Adds the many-to-many relationships.
    mutating func addJoins() {
        for table in joins {
            guard let keys = foreignKeys[table.name], keys.count == 2,
                let first = names[keys[0].table], let second = names[keys[1].table]
            else { continue }
            let by = "By\(TableNaming.entity(table.name.name))"
            // The name of each one's destination; the columns tell those of one entity apart.
            func wanted(_ key: CatalogForeignKey, _ destination: String) -> [String] {
                let ofColumns = first == second ? TableNaming.reference(key.columns) : nil
                let name = ofColumns ?? TableNaming.lowercased(destination)
                return [name, name + by]
            }
            let forward = add(
                Side(join: table.name, from: keys[0], to: keys[1], destination: second),
                wanted(keys[1], second))
            let back = add(
                Side(join: table.name, from: keys[1], to: keys[0], destination: first),
                wanted(keys[0], first))
            entityDrafts[keys[0].table]?.setInverse(of: forward, to: back)
            entityDrafts[keys[1].table]?.setInverse(of: back, to: forward)
        }
    }

    /// One of the relationships of a join table.
    private struct Side {
        let join: TableName
        /// The foreign key to the owner.
        let from: CatalogForeignKey
        /// The foreign key to the destination.
        let to: CatalogForeignKey
        /// The name of the destination.
        let destination: String
    }

    private mutating func add(_ side: Side, _ names: [String]) -> String {
        entityDrafts[side.from.table]?.add(
            names, to: side.destination,
            [
                UserInfoEntry(key: TableKey.table, value: side.join.description),
                UserInfoEntry(
                    key: TableKey.columns, value: side.to.columns.joined(separator: ",")),
                UserInfoEntry(
                    key: TableKey.ownerColumns, value: side.from.columns.joined(separator: ",")),
            ]) ?? ""
    }

    /// The entities, sorted by name.
    var entities: [EntityDescription] {
        entityDrafts.values.map(\.entity).sorted { $0.name < $1.name }
    }
}

extension CatalogTable {
    /// Whether user info can have the names of the table and of its columns.
    fileprivate var hasPlainNames: Bool {
        !name.schema.contains(".") && name.description.isInXML
            && columns.allSatisfy { !$0.name.contains(",") && $0.name.isInXML }
    }

    /// Whether no two rows have the same values in the columns.
    fileprivate func isUnique(_ names: [String]) -> Bool {
        ([key] + uniques).contains { !$0.isEmpty && Set($0).isSubset(of: names) }
    }
}

extension CatalogForeignKey {
    /// Whether both are the same but for their names and actions.
    fileprivate func isSame(as other: CatalogForeignKey) -> Bool {
        columns == other.columns && table == other.table && referenced == other.referenced
    }

    /// What the deletion of the other row does, as a rule of the relationship from there.
    fileprivate var deleteRule: DeleteRule {
        switch onDelete {
        case .cascade: .cascade
        case .setNull, .setDefault: .nullify
        case .none, .restrict: .deny
        }
    }
}
