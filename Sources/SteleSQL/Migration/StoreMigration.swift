import SteleMigration
import SteleModel
import StelePersistence

/// Migrates the tables of a store in place, within the caller's transaction.
///
/// The steps, after which the schema is that of a new store of the destination's model:
///
/// 1. Rows and links that need new tables are copied, and new columns of altered tables get their
///    values. All of this reads the tables of the source, which are unchanged until then.
/// 2. Indexes that do not stay are dropped; rows, columns and tables too. What stays gets its name.
/// 3. Links to objects that are no longer there are cut, in the tables of the destination, and what
///    depends on them is written: concrete entities of destinations, order keys.
/// 4. New indexes are made; uniqueness constraints are checked by them.
/// 5. Z_PRIMARYKEY, the metadata and the history take the new numbers and names.
/// 6. Derived attributes are computed.
package final class StoreMigration {
    let map: MigrationMap
    let work: MigrationWork
    let tables: [TableMigration]
    let joins: [JoinMigration]
    let requirements: [MigrationRequirement]
    /// What other programs have added to the schema of the source.
    let foreign: ForeignSchema
    /// The time of the migration, in seconds since 2001-01-01T00:00:00Z.
    let time: Double

    /// Whether a mapping model can be carried out in place.
    package static func canCarryOut(
        _ mapping: MappingModel, from source: SQLSchema, to destination: SQLSchema
    ) -> Bool {
        do throws(StoreError) {
            _ = try MigrationMap(from: source, to: destination, by: mapping)
            return true
        } catch { return false }
    }

    /// Plans a migration.
    /// - Parameters:
    ///   - foreign: what other programs have added to the schema of the source. It stays where its
    ///     table does.
    ///   - time: the value of new attributes that are derived by `now()`.
    ///   - report: called with the progress, at most ten times a second, and at the end.
    /// - Throws: `.incompatible` (134190) where the mapping cannot be carried out in place.
    package init(
        from source: SQLSchema, to destination: SQLSchema, by mapping: MappingModel,
        keeping foreign: ForeignSchema = .none, on connection: any SQLConnection, at time: Double,
        report: @escaping (MigrationProgress) -> Void
    ) throws(StoreError) {
        let map = try MigrationMap(from: source, to: destination, by: mapping)
        self.map = map
        self.time = time
        self.foreign = foreign
        work = MigrationWork(connection, report)
        requirements = mapping.requirements(from: source.model, to: destination.model)
        var altered = Set<Int>()
        // The successor of a root keeps the root's table; others take their rows out of it.
        for entity in source.model.storedEntities where entity.parent == nil {
            if let kept = map.successor(of: entity) { altered.insert(kept.root) }
        }
        var kept = Set(altered.compactMap { map.sourceRoot(of: $0) })
        tables = destination.storedTables.map { table in
            let root = map.sourceRoot(of: table.root)
            let isFirst = root.map { kept.insert($0).inserted } ?? false
            return TableMigration(
                table, map, mayAlter: isFirst || altered.contains(table.root),
                keeping: foreign, time: time)
        }
        var taken = Set<String>()
        let stored = Set(destination.model.storedEntities.map(\.index))
        joins = destination.model.relationships.compactMap { relationship in
            guard case .join(let table)? = destination.toManys[relationship.index],
                table.isOwningSide, stored.contains(relationship.owner)
            else { return nil }
            return JoinMigration(table, relationship, map, taken: &taken)
        }
    }

    /// Checks the objects of the source, and writes nothing.
    /// - Throws: as `run`.
    package func check() throws(StoreError) {
        try checkNames()
        try checkVirtualTables()
        try checkNumbers()
        for requirement in requirements { try check(requirement) }
        try checkSingleEnds()
    }

    /// Whether `run` may refuse objects that `check` accepts: by an index, by a value
    /// in a file that is to move into its row, by what is computed of others, or by what other
    /// programs have added.
    package func mayRefuseLater() throws(StoreError) -> Bool {
        if !inlined.isEmpty || !derivedEntities.isEmpty || !foreign.isEmpty { return true }
        let indexes = try newIndexes(besides: presentIndexes())
        // A database also refuses a value that is too long for an index of its.
        return work.connection.dialect.isTyped
            ? !indexes.isEmpty : indexes.contains(where: \.isUnique)
    }

    /// Migrates the store. After an error the caller rolls the transaction back.
    /// - Throws: `.incompatible` (134110) where the objects do not fit the destination's model: a
    ///   property without a value, a number that does not fit its new type, or a uniqueness
    ///   constraint; with 134190 where another program has taken a name; `.refused` by what another
    ///   program has added; and errors of SQLite.
    package func run() throws(StoreError) {
        do throws(StoreError) { try carryOut() } catch { throw explained(error) }
    }

    private func carryOut() throws(StoreError) {
        try check()
        try settleRoots()
        let present = try presentIndexes()
        let indexes = newIndexes(besides: present)
        try expect(indexes)
        for table in tables where table.way != .altered { try copy(table) }
        for (index, join) in joins.enumerated() where join.old == nil { try copy(join, index) }
        for table in tables where table.way == .altered { try compute(table) }
        try dropIndexes(of: present, besides: indexes)
        for table in tables where table.way == .altered { try reshape(table) }
        for join in joins where join.old != nil { try reshape(join) }
        try dropTables()
        try nameTables()
        try checkViews()
        try cutLinks()
        try fillEntityColumns()
        try fillOrderKeys()
        try fillNulls()
        try settleBooleans()
        try moveExternalValuesIn()
        for index in indexes { try make(index) }
        try recordEntities()
        try recordMetadata()
        try HistoryMigration(map, work).run()
        try derive()
        work.finish()
    }

    /// Whether files of external values may have lost the row that names them.
    package var leavesFiles: Bool {
        tables.contains { table in
            guard let old = table.old else { return false }
            let dropped = Set(table.dropped)
            let external = old.columns.filter(\.kind.namesFiles).map(\.name)
            return !external.isEmpty && (table.losesRows || table.isComputed)
                || external.contains { dropped.contains($0) }
        }
            || map.source.tables.values.contains { table in
                table.columns.contains(where: \.kind.namesFiles)
                    && !tables.contains { $0.old?.root == table.root }
            } || !inlined.isEmpty
    }

    /// Counts the rows that will be written.
    private func expect(_ indexes: [SQLIndex]) throws(StoreError) {
        for table in tables {
            guard let old = table.old else { continue }
            let own = indexes.count { $0.table == table.table.name }
            try work.expect(old.name, times: table.passes + own)
        }
    }

    /// Checks a condition on the objects of the source.
    private func check(_ requirement: MigrationRequirement) throws(StoreError) {
        if case .fits = requirement.kind { return }
        let schema = map.source
        guard let entity = schema.model.entity(named: requirement.sourceEntityName) else { return }
        let table = schema.table(of: entity.index).name
        var sql =
            "SELECT COUNT(*) FROM \(table) WHERE \(schema.isObject(of: [entity]))"
        if case .notNull(_, let name) = requirement.kind {
            switch entity.property(named: name) {
            case .attribute(let it):
                guard let column = schema.column(of: it.slot, in: entity.index) else { break }
                sql += " AND \(column) IS NULL"
            case .relationship(let it) where !it.isToMany:
                guard let column = schema.column(of: it.slot, in: entity.index) else { break }
                sql += " AND \(column) IS NULL"
            case .relationship(let it):
                let links = try schema.links(of: it)
                sql +=
                    " AND NOT EXISTS (SELECT 1 FROM \(links.table) l "
                    + "WHERE l.\(links.owner) = \(table).Z_PK)"
            case .fetchedProperty, .transientRelationship, nil: break
            }
        }
        let values = requirement.composite?.sources.compactMap { schema.column($0, of: entity) }
        if let values {
            sql += " AND (\(values.map { "\($0) IS NOT NULL" }.joined(separator: " OR ")))"
        }
        let count = try work.count(sql)
        guard count > 0 else { return }
        throw .incompatible(
            code: 134110, requirement.error(count: Int(count)).description)
    }
}
