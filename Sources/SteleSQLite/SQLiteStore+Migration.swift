import SteleMigration
import StelePersistence
import SteleModel
import SteleSQL
import SteleSystem

extension SQLiteStore {
    /// Migrates a store's file to another model, in place and in one transaction: after an error, a
    /// full disk or the end of the process the store is as it was.
    ///
    /// Objects keep their keys and versions. The history goes on, so tokens of before stay valid.
    /// - Parameters:
    ///   - path: the file, which no other program may have open.
    ///   - source: the model of the stored objects.
    ///   - destination: the model that the objects get.
    ///   - mapping: a mapping model inferred from the two, or one without expressions, filters and
    ///     policies.
    ///   - progress: called on this thread with the rows written so far, at most ten times a
    ///     second, and at the end.
    /// - Returns: false where the store has the destination's model already.
    /// - Throws: `StoreError`: `.incompatible` with 134100 where the store has neither model, with
    ///   134190 where the mapping cannot be carried out in place, or another program has taken a
    ///   name, and with 134110 where the objects do not fit the destination; `.refused` where what
    ///   another program has added does not fit it; `.busy` where another program has the store open; `.noRoom`;
    ///   what `open` throws for the destination; and errors of SQLite.
    @discardableResult
    public static func migrate(
        path: String, from source: Model, to destination: Model, by mapping: MappingModel,
        progress: @escaping (MigrationProgress) -> Void = { _ in }
    ) throws(StoreError) -> Bool {
        try check(destination)
        guard StoreLook.hasRollbackMode(StoreLook.resolved(path)) else {
            return try migrateLogged(path, from: source, to: destination, by: mapping, progress)
        }
        try StoreLook.at(path) { (connection) throws(StoreError) in
            _ = try look(connection, path, from: source, to: destination)
        }
        let mode = try checkIsClosed(path: path)
        do throws(StoreError) {
            return try migrateLogged(path, from: source, to: destination, by: mapping, progress)
        } catch {
            restore(mode, of: path)
            throw error
        }
    }

    /// Migrates a file in WAL mode.
    private static func migrateLogged(
        _ path: String, from source: Model, to destination: Model, by mapping: MappingModel,
        _ progress: @escaping (MigrationProgress) -> Void
    ) throws(StoreError) -> Bool {
        var seen: Look?
        let connection = try StoreFile.connect(path, creates: false) {
            connection throws(StoreError) in
            seen = try look(connection, path, from: source, to: destination)
        }
        var isMigrated: Bool?
        let lock = try StoreLock(store: path) { () throws(StoreError) in
            try StoreFile.checkIsCurrent(connection, path)
            isMigrated = try migrate(
                connection, path, from: source, to: destination, by: mapping, seen, progress)
        }
        guard let lock else { throw StoreLock.failure(of: path) }
        lock.leave()
        guard let isMigrated else {
            throw .busy(
                "\(path) is open in another program, and cannot be migrated until it is closed")
        }
        return isMigrated
    }

    /// What the metadata of a store says of a migration.
    struct Look {
        let identifier: String
        let metadata: StoreMetadata
        /// Whether the store has the destination's model already.
        let isMigrated: Bool
    }

    /// Checks that a store can be migrated from one model to another.
    /// - Parameter seen: an earlier look, which holds where the metadata is still the same.
    private static func look(
        _ connection: Connection, _ path: String, from source: Model, to destination: Model,
        _ seen: Look? = nil
    ) throws(StoreError) -> Look {
        let (identifier, metadata) = try StoreFile.look(connection, path)
        if let seen, seen.metadata == metadata, seen.identifier == identifier { return seen }
        guard !metadata.hasForeignHashes else {
            throw .incompatible(
                code: 134190,
                "\(path) was created by another program, and cannot be migrated in place")
        }
        let isMigrated = metadata.isOf(destination) && !metadata.isOf(source)
        if !isMigrated {
            try metadata.check(source)
            _ = try StoreFile.historyLine(metadata, path)
        }
        return Look(identifier: identifier, metadata: metadata, isMigrated: isMigrated)
    }

    /// Migrates a store on a connection that no other program uses.
    static func migrate(
        _ connection: Connection, _ path: String, from sourceModel: Model,
        to destinationModel: Model, by mapping: MappingModel, _ seen: Look? = nil,
        _ progress: @escaping (MigrationProgress) -> Void
    ) throws(StoreError) -> Bool {
        let look = try look(connection, path, from: sourceModel, to: destinationModel, seen)
        if look.isMigrated { return false }
        let migration = try begin(
            connection, path, from: sourceModel, to: destinationModel, by: mapping, progress)
        do throws(StoreError) {
            try migration.run()
            try StoreFile.writeCache(of: destinationModel, to: connection)
            _ = StoreSeal.take(off: path)
            try connection.run("COMMIT")
        } catch {
            if connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
            throw error
        }
        if migration.leavesFiles {
            // What stays is removed when the store is next opened.
            let external = ExternalFolder(store: path)
            if (try? external.beginSweep(connection, identifier: look.identifier)) == true {
                try? external.sweep(connection, SQLSchema(model: destinationModel), age: 0)
            }
        }
        return true
    }

    /// Begins the transaction of a migration.
    /// - Parameter file: the file of the connection.
    private static func begin(
        _ connection: Connection, _ file: String, from source: Model, to destination: Model,
        by mapping: MappingModel, _ progress: @escaping (MigrationProgress) -> Void
    ) throws(StoreError) -> StoreMigration {
        try StoreFile.setUp(connection, file)
        // Sorting for indexes may need more than fits into memory.
        try connection.run("PRAGMA temp_store = FILE")
        try StoreFile.upgrade(connection)
        let migration = try plan(
            connection, from: source, to: destination, by: mapping, progress)
        try connection.run("BEGIN IMMEDIATE")
        return migration
    }

    private static func plan(
        _ connection: Connection, from source: Model, to destination: Model,
        by mapping: MappingModel, _ progress: @escaping (MigrationProgress) -> Void
    ) throws(StoreError) -> StoreMigration {
        let layout = try StoreLayout(connection)
        let schema = try SQLSchema(model: source, layout: layout)
        return try StoreMigration(
            from: schema, to: SQLSchema(model: destination, dialect: schema.dialect), by: mapping,
            keeping: ForeignSchema(connection, layout, besides: schema), on: connection,
            at: ReferenceDate.now, report: progress)
    }
}

extension SQLiteStore {
    /// Checks that the objects of a store let `migrate(path:from:to:by:progress:)` go through, and
    /// changes nothing in the store's folder. Other programs may have the store open.
    ///
    /// The objects are read. Where the migration makes a uniqueness constraint, computes derived
    /// attributes or moves values out of files, and where other programs have added to the schema, it
    /// is carried out on a private copy.
    /// - Throws: `StoreError`, as `migrate`; `.failed` for a copy that cannot be made.
    package static func checkMigration(
        path: String, from source: Model, to destination: Model, by mapping: MappingModel,
        progress: @escaping (MigrationProgress) -> Void = { _ in }
    ) throws(StoreError) {
        try check(destination)
        try DamageMark.check(path)
        let file = StoreLook.resolved(path)
        // Without a log the file itself is read, which has no moment of its own.
        let before = StoreLook.hasFrames(file + "-wal") ? nil : StoreLook.lastChange(file)
        let isDecided = try StoreLook.at(path) { (connection) throws(StoreError) in
            // Of one moment, whatever another program saves to the log.
            if !connection.isInTransaction { try connection.run("BEGIN") }
            if try look(connection, path, from: source, to: destination).isMigrated { return true }
            let migration = try plan(
                connection, from: source, to: destination, by: mapping, progress)
            try migration.check()
            return try !migration.mayRefuseLater()
        }
        guard before == nil || before == StoreLook.lastChange(file) else {
            throw .busy(
                "\(path) was written by another program while its objects were read: try again")
        }
        if isDecided { return }
        let copy = try StoreLook.privateCopy(of: path)
        defer { copy.remove() }
        do throws(StoreError) {
            let connection = try StoreLook.connect(to: copy, of: path)
            try begin(
                connection, copy.file, from: source, to: destination, by: mapping, progress
            ).run()
        } catch { throw copy.explained(error, path) }
    }

    /// Returns what other programs have added to a store and a migration in place loses, as words:
    /// values of columns in rows that move, and what is on tables that are dropped.
    /// - Parameter version: the name of the source's version.
    /// - Throws: `StoreError`.
    package static func foreignLosses(
        path: String, from source: Model, to destination: Model, by mapping: MappingModel,
        _ version: String
    ) throws(StoreError) -> [String] {
        try StoreLook.at(path) { (connection) throws(StoreError) in
            // What refuses the migration is an error of its check.
            guard
                let migration = try? plan(
                    connection, from: source, to: destination, by: mapping, { _ in })
            else { return [] }
            return try migration.foreignLosses(version)
        }
    }

    /// Returns what other programs have added to a store's schema beside columns for values, as words:
    /// tables with rows, views, triggers, indexes and generated columns. A migration that makes a new
    /// store leaves them out.
    /// - Parameter version: the name of the model's version.
    /// - Throws: `StoreError`.
    package static func foreignParts(
        path: String, model: Model, _ version: String
    ) throws(StoreError) -> [String] {
        try StoreLook.at(path) { (connection) throws(StoreError) in
            let layout = try StoreLayout(connection)
            guard let schema = try? SQLSchema(model: model, layout: layout) else { return [] }
            var found: [String] = []
            for part in try ForeignSchema(connection, layout, besides: schema).parts {
                guard part.kind == .table else {
                    if part.kind == .view || part.dependsOnTable {
                        found.append("\(part), which another program has made")
                    }
                    continue
                }
                if part.isNamedAsJoin { continue }
                // The module of a virtual table may not be here.
                let count = try? connection.integer(
                    SQLText("SELECT COUNT(*) FROM \(sqlName(part.name))"))
                if count == 0 { continue }
                let rows = count.map { " (\($0) \($0 == 1 ? "row" : "rows"))" } ?? ""
                found.append("\(part)\(rows), which no entity of \(version) has")
            }
            return found
        }
    }

    /// Opens a store's file as it is before a migration that makes the new store beside it, and
    /// changes nothing in its folder. Other programs may have it open.
    /// - Parameter versionHashes: as of `ReadOnlySQLiteStore.open`.
    /// - Throws: as `HeldStore.take`, but for other programs.
    package static func openBeforeMigration(
        path: String, model: Model, versionHashes: [String: [UInt8]]? = nil
    ) throws(StoreError) -> ReadOnlySQLiteStore {
        try DamageMark.check(path)
        return try ReadOnlySQLiteStore.open(
            path: path, model: model, versionHashes: versionHashes, copies: true)
    }
}
