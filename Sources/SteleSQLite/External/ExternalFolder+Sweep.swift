import Glibc
import SteleModel
import StelePersistence
import SteleSQL

extension ExternalFolder {
    /// Removes files that neither a row nor a before-image refers to. A recent file stays, because
    /// another process may be about to commit its row.
    /// - Parameter age: how many seconds ago a file must have been written.
    /// - Throws: `StoreError` from reading the rows; nothing is removed then.
    func sweep(
        _ connection: Connection, _ schema: SQLSchema, identifier: String, age: Int
    ) throws(StoreError) {
        guard isOwned(by: identifier) else { return }
        var orphans = files(before: time(nil) - age)
        if orphans.isEmpty { return }
        try connection.run("BEGIN")
        defer { _ = try? connection.run("COMMIT") }
        for (table, column) in schema.externalColumns {
            let sql = Self.references(table, [column])
            for row in try connection.rows(sql, [], [.external]) {
                if case .external(let data) = row[0] { orphans.remove(data.identifier) }
            }
        }
        if orphans.isEmpty { return }
        for text in try schema.beforeImagesOfFiles(connection) {
            for name in BeforeImage.externalNames(in: text) { orphans.remove(name) }
        }
        for name in orphans { unlink(ExternalData(name, in: path).path) }
    }

    /// The statement that reads the values of some columns that name files; others are NULL.
    static func references(_ table: String, _ columns: [String]) -> SQLText {
        let values = columns.map { "t.\(sqlName($0))" }
        // Comparing the length first avoids reading inline values.
        let tests = values.map { "length(\($0)) = 38 AND substr(\($0), 1, 1) = X'02'" }
        let list = zip(values, tests).map { "CASE WHEN \($1) THEN \($0) END" }
        return SQLText(
            "SELECT \(list.joined(separator: ", ")) FROM \(sqlName(table)) t "
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

    private func files(before last: Int = .max) -> Set<UUID> {
        Set(sizes(before: last).keys)
    }

    /// Returns the bytes of each file that was last written at a time or before.
    func sizes(before last: Int = .max) -> [UUID: Int64] {
        guard let folder = opendir(path) else { return [:] }
        defer { closedir(folder) }
        var found: [UUID: Int64] = [:]
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var status = stat()
            guard let identifier = UUID(uuidString: name), identifier.uuidString == name,
                stat("\(path)/\(name)", &status) == 0, status.st_mtim.tv_sec <= last
            else { continue }
            found[identifier] = Int64(status.st_size)
        }
        return found
    }
}
