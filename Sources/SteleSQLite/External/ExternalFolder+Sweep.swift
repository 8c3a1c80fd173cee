import Glibc
import SteleModel
import StelePersistence
import SteleSQL

extension ExternalFolder {
    /// Begins a transaction whose view decides which files a sweep removes.
    ///
    /// In the process that sweeps, no transaction after the view names a file that was old and had
    /// no name in it: each new value has a new file, and a value that is set again was read from a
    /// row or a before-image, which the view has or which is newer.
    /// - Returns: whether there is a folder to sweep, and so a transaction.
    /// - Throws: `StoreError`.
    func beginSweep(
        _ connection: Connection, identifier: String
    ) throws(StoreError) -> Bool {
        guard isOwned(by: identifier) else { return false }
        if connection.hasAttachedHistory {
            // A commit that is half done has removed a name and not yet written the before-image.
            guard (try? AttachedHistory.beginView(on: connection, waits: false)) != nil else {
                return false
            }
        } else {
            try connection.run("BEGIN")
            _ = try connection.single("SELECT COUNT(*) FROM sqlite_master")
        }
        return true
    }

    /// Removes files that neither a row nor a before-image refers to in the view of the
    /// connection's transaction, and ends the transaction. A recent file stays, because its row may
    /// be committed later, also by another process.
    /// - Parameters:
    ///   - age: how many seconds ago a file must have been written.
    ///   - isStopped: whether to remove no more files.
    /// - Throws: `StoreError` from reading the rows; nothing is removed then.
    func sweep(
        _ connection: Connection, _ schema: SQLSchema, age: Int = Limits.orphanSeconds,
        isStopped: () -> Bool = { false }
    ) throws(StoreError) {
        let last = time(nil) - age
        let orphans: Set<UUID>
        do {
            defer { _ = try? connection.run("COMMIT") }
            orphans = try unnamed(files(), connection, schema)
        }
        for name in orphans {
            if isStopped() { return }
            let file = ExternalData(name, in: path).path
            var status = stat()
            if stat(file, &status) == 0, status.st_mtim.tv_sec <= last { unlink(file) }
        }
    }

    /// Returns those of some files that neither a row nor a before-image refers to.
    private func unnamed(
        _ files: Set<UUID>, _ connection: Connection, _ schema: SQLSchema
    ) throws(StoreError) -> Set<UUID> {
        if files.isEmpty { return [] }
        var orphans = files
        // Also columns that are not in the model: the framework keeps files for tables of its own.
        for (table, columns) in try StoreLayout(connection).dataColumns(connection) {
            let sql = Self.references(table, columns)
            for row in try connection.rows(sql, [], columns.map { _ in .external }) {
                for case .external(let data) in row { orphans.remove(data.identifier) }
            }
        }
        if orphans.isEmpty { return [] }
        for text in try schema.beforeImagesOfFiles(connection) {
            for name in BeforeImage.externalNames(in: text) { orphans.remove(name) }
        }
        return orphans
    }

    /// The statement that reads the values of some columns that name files; others are NULL.
    /// - Parameter keys: columns that are read before them.
    static func references(
        _ table: String, _ columns: [String], keys: [String] = []
    ) -> SQLText {
        let values = columns.map { "t.\(sqlName($0))" }
        // Comparing the length first avoids reading inline values.
        let tests = values.map { "length(\($0)) = 38 AND substr(\($0), 1, 1) = X'02'" }
        let list = zip(values, tests).map { "CASE WHEN \($1) THEN \($0) END" }
        return SQLText(
            "SELECT \((keys.map { "t.\($0)" } + list).joined(separator: ", ")) FROM \(sqlName(table)) t "
                + "WHERE \(tests.joined(separator: " OR "))")
    }

    /// Moves the files of another folder here, for a store that is to replace this one. Until then
    /// this store has files more than it needs.
    /// - Parameters:
    ///   - identifier: of both stores.
    ///   - owner: the owner of the files.
    /// - Returns: the files that the other store does not have, to be removed when it has replaced
    ///   this one.
    /// - Throws: `StoreError.failed`.
    func take(
        from other: ExternalFolder, for identifier: String, owner: stat
    ) throws(StoreError) -> [ExternalData] {
        let (new, old) = (other.files(), files())
        guard !new.isEmpty || !old.isEmpty else { return [] }
        try claim(for: identifier)
        for name in new {
            let data = ExternalData(name, in: path)
            guard rename(ExternalData(name, in: other.path).path, data.path) == 0,
                Self.give(data.path, to: owner)
            else { throw Self.failure("moving \(data.path) to its place") }
        }
        for place in places where access(place, F_OK) == 0 && !Self.give(place, to: owner) {
            throw Self.failure("giving \(place) its owner")
        }
        try Self.sync(folder: path)
        guard isOwned(by: identifier) else { return [] }
        return old.subtracting(new).map { ExternalData($0, in: path) }
    }

    private static func give(_ path: String, to owner: stat) -> Bool {
        owner.st_uid == geteuid() || chown(path, owner.st_uid, owner.st_gid) == 0
    }

    /// Returns the names of all files.
    private func files() -> Set<UUID> {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var found = Set<UUID>()
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let identifier = UUID(uuidString: name), identifier.uuidString == name {
                found.insert(identifier)
            }
        }
        return found
    }

    /// Returns the bytes of each file that was last written at a time or before.
    func sizes(before last: Int = .max) -> [UUID: Int64] {
        var found: [UUID: Int64] = [:]
        for identifier in files() {
            var status = stat()
            guard stat(ExternalData(identifier, in: path).path, &status) == 0,
                status.st_mtim.tv_sec <= last
            else { continue }
            found[identifier] = Int64(status.st_size)
        }
        return found
    }
}
