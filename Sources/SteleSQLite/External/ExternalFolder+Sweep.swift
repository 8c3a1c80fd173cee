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
            let sql = SQLText(
                // Comparing the length first avoids reading inline values.
                "SELECT \(column) FROM \(table) WHERE length(\(column)) = 38 "
                    + "AND substr(\(column), 1, 1) = X'02'")
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

    /// Returns the files that were last written at a time or before.
    private func files(before last: Int) -> Set<UUID> {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var found = Set<UUID>()
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var status = stat()
            guard let identifier = UUID(uuidString: name), identifier.uuidString == name,
                stat("\(path)/\(name)", &status) == 0, status.st_mtim.tv_sec <= last
            else { continue }
            found.insert(identifier)
        }
        return found
    }
}
