import SteleModel
import StelePersistence

/// Values, in the tables of the destination.
extension StoreMigration {
    /// An attribute of the destination with what it was, for the entities of rows for which both
    /// fulfil a condition.
    struct Change {
        let attribute: Attribute
        let table: String
        let column: String
        /// The condition that a row is of one of the entities.
        let condition: String
        /// The condition that it is an object of one of them. Other rows keep their values.
        let isObject: String
    }

    func changes(where isOne: (_ old: Attribute, _ new: Attribute) -> Bool) -> [Change] {
        let schema = map.destination
        return schema.model.storedEntities.flatMap { owner -> [Change] in
            owner.slots.compactMap { property in
                guard case .attribute(let it) = property, it.owner == owner.index,
                    let column = schema.column(of: it.slot, in: owner.index)
                else { return nil }
                let entities = schema.model.family(of: owner).filter { entity in
                    map.source(of: it, in: entity).map { isOne($0, it) } ?? false
                }
                if entities.isEmpty { return nil }
                return Change(
                    attribute: it, table: schema.table(of: owner.index).name, column: column,
                    condition: schema.isOne(of: entities),
                    isObject: schema.isObject(of: entities))
            }
        }
    }

    /// Gives rows of no entity the number of the root, which they are read as, where the migration
    /// would make something else of them.
    func settleRoots() throws(StoreError) {
        var settled = Set<String>()
        for table in tables {
            guard let old = table.old, readsNumbers(table, old), settled.insert(old.name).inserted
            else { continue }
            let known = map.source.numbers(of: old.root)
            try work.run(
                "UPDATE \(old.name) SET Z_ENT = \(map.source.number(of: old.root)) "
                    + "WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(known))")
        }
    }

    /// Whether what becomes of a row depends on its number, or an entity has a number that none of the
    /// source's table had.
    private func readsNumbers(_ table: TableMigration, _ old: SQLTable) -> Bool {
        if table.way == .copied || table.isComputed || table.isRenumbered || table.losesRows {
            return true
        }
        let known = Set(map.source.familyNumbers(of: old.root))
        return !known.isSuperset(of: map.destination.familyNumbers(of: table.table.root))
    }

    /// The attributes that are no longer optional, and have a default.
    private var filled: [Change] {
        changes { old, new in
            old.isOptional && !new.isOptional && !new.isDerived
                && !new.declaration.defaultValue.isNull
        }
    }

    /// The columns in which values change in their place, so that some may be there twice, by table.
    var rewritten: [String: Set<String>] {
        Dictionary(grouping: filled + settledBooleans, by: \.table)
            .mapValues { Set($0.map(\.column)) }
    }

    /// Gives attributes that are no longer optional their default in the place of null.
    func fillNulls() throws(StoreError) {
        for it in filled {
            let value = map.destination.dialect.literal(
                of: it.attribute.declaration.defaultValue, in: it.attribute)
            try work.run(
                "UPDATE \(it.table) SET \(it.column) = \(value) "
                    + "WHERE \(it.column) IS NULL AND \(it.isObject)")
        }
    }

    /// The attributes whose values no longer have a marker, and are no longer in files.
    private var inlinedChanges: [Change] { changes { $0.hasMarker && !$1.hasMarker } }

    /// The columns of attributes whose values are no longer in files.
    var inlined: [String] { inlinedChanges.map(\.column) }

    /// Moves values out of external files into rows.
    func moveExternalValuesIn() throws(StoreError) {
        let dialect = work.connection.dialect
        for it in inlinedChanges {
            let first = "substr(\(it.column), 1, 1)"
            let (file, inline) = (
                dialect.data("0\(ExternalMarker.file)"), dialect.data("0\(ExternalMarker.inline)")
            )
            let files = try work.connection.rows(
                SQLText(
                    "SELECT Z_PK FROM \(it.table) WHERE length(\(it.column)) = 38 "
                        + "AND \(first) = \(file) AND \(it.condition)"),
                [], [.integer])
            try work.run(
                "UPDATE \(it.table) SET \(it.column) = substr(\(it.column), 2) "
                    + "WHERE \(first) = \(inline) AND \(it.condition)")
            let read = SQLText("SELECT \(it.column) FROM \(it.table) WHERE Z_PK = ?1")
            let write = SQLText("UPDATE \(it.table) SET \(it.column) = ?2 WHERE Z_PK = ?1")
            // One at a time, because the values are large.
            for case .int(let key) in files.map({ $0[0] }) {
                let row = try work.connection.rows(read, [.int(key)], [.external]).first
                guard case .external(let file)? = row?[0] else { continue }
                guard let bytes = file.bytes else {
                    // A row with such a key is no object, and stays as it is.
                    if key < 1 { continue }
                    throw .failed(
                        "\(it.column) of the row \(key) of \(it.table) is to move from a file into "
                            + "the row, and the file cannot be read: \(file.path): restore it, or "
                            + "delete the value")
                }
                try work.connection.execute(write, [.int(key), .data(bytes)])
            }
        }
    }

    /// Whether the migration changes more than columns: rows, links or values.
    private var changesValues: Bool {
        cutsLinks || joins.contains { $0.old == nil }
            || tables.contains {
                $0.losesRows || $0.isComputed || $0.way == .copied || !$0.changed.isEmpty
            }
    }

    /// The number of objects whose derived attributes are computed at once.
    private static let derivedStep = 1_000

    /// The entities whose derived attributes are computed.
    var derivedEntities: [Entity] {
        let isDeep = changesValues
        return map.destination.model.storedEntities.filter { entity in
            map.source(of: entity) != nil
                && entity.slots.contains { property in
                    guard case .attribute(let it) = property, it.isDerived else { return false }
                    return isDeep || map.source(of: it, in: entity) == nil
                }
        }
    }

    /// Computes derived attributes that are new, and all of them where what they are derived from
    /// may have changed.
    func derive() throws(StoreError) {
        let entities = derivedEntities
        if entities.isEmpty { return }
        let saver = try SQLSaver(schema: map.destination, connection: work.connection)
        for entity in entities {
            let table = map.destination.table(of: entity.index)
            guard let shape = map.destination.shapes[entity.root] else { continue }
            let columns = map.destination.selectList(of: table, alias: "t0")
            let next = SQLText(
                "SELECT \(columns) FROM \(table.name) t0 "
                    + "WHERE \(map.destination.dialect.plain("t0.Z_ENT")) = \(map.destination.number(of: entity.index)) AND t0.Z_PK > ?1 "
                    + "ORDER BY t0.Z_PK LIMIT \(Self.derivedStep)")
            var last: Int64 = 0
            while true {
                let objects = try work.connection.snapshots(next, [.int(last)], shape)
                guard let end = objects.last?.key else { break }
                try saver.derive(objects)
                last = end
            }
        }
    }

    // MARK: What the store says of itself

    /// Writes the rows of Z_PRIMARYKEY. A table keeps the highest key that was given out.
    func recordEntities() throws(StoreError) {
        let (source, destination) = (map.source, map.destination)
        var highest: [Int: Int64] = [:]
        let rows = try work.connection.rows(
            SQLText("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY"), [], [.integer, .integer])
        for row in rows {
            guard case .int(let number) = row[0], case .int(let key) = row[1] else { continue }
            if let number = Int(exactly: number) { highest[number] = key }
        }
        try work.run("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < \(HistoryTables.change)")
        let insert = SQLText("INSERT INTO Z_PRIMARYKEY VALUES (?1, ?2, ?3, ?4)")
        for entity in destination.model.storedEntities {
            let old = entity.parent == nil ? map.sourceRoot(of: entity.index) : nil
            try work.connection.execute(
                insert,
                [
                    .int(Int64(destination.number(of: entity.index))), .string(entity.name),
                    .int(Int64(entity.parent.map { destination.number(of: $0) } ?? 0)),
                    .int(old.flatMap { highest[source.number(of: $0)] } ?? 0),
                ])
        }
    }

    /// Writes the metadata: the model's hashes and identifiers, and the names of attributes with
    /// long decimals. All other keys stay.
    func recordMetadata() throws(StoreError) {
        guard var metadata = try StoreMetadata.read(work.connection)?.metadata else {
            throw .failed("the store has no metadata")
        }
        let long = Set(metadata.longDecimals ?? [])
        let new = Set(try newLongDecimals())
        let (source, destination) = (map.source.model, map.destination.model)
        var names: [String] = []
        for owner in destination.entities {
            for case .attribute(let it) in owner.slots
            where it.owner == owner.index && it.type == .decimal {
                let isLong = destination.family(of: owner).contains { entity in
                    map.source(of: it, in: entity).map {
                        long.contains("\(source.entities[$0.owner].name).\($0.name)")
                    } ?? false
                }
                let name = "\(owner.name).\(it.name)"
                if isLong || it.hasLongDefault || new.contains(name) { names.append(name) }
            }
        }
        metadata.longDecimals = names.isEmpty ? nil : names.sorted()
        metadata.migrate(to: destination)
        try metadata.write(to: work.connection)
    }
}

extension Attribute {
    /// Whether the default is a decimal that SQL's own comparison would get wrong.
    fileprivate var hasLongDefault: Bool {
        guard case .decimal(let value) = declaration.defaultValue else { return false }
        return DecimalColumn(value).isLong
    }
}
