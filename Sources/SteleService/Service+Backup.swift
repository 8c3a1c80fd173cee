// Copying the store while it serves.

import SteleHTTP
import SteleJSON
import StelePersistence
import SteleRequests

extension Service {
    /// Answers `POST /backup`: makes a folder with a copy of the store as it is at one moment.
    /// - Throws: `Problem`: 409 for a store that has no file to copy, and while another backup is
    ///   made; `StoreError`.
    func backUp() throws -> Response {
        guard let folder = options.backupFolder else {
            throw Problem(
                .backup, "the store has no file",
                hint: "GET /{Entity}?format=ndjson gives all objects of an entity")
        }
        guard running.enter(Self.backupKey) else {
            throw Problem(
                .backup, "another backup is being made", headers: [("Retry-After", "5")])
        }
        defer { running.leave(Self.backupKey) }
        // The copy would be one of another file.
        try coordinator.store.checkPresence()
        do {
            let (made, backup) = try BackupFolder(folder).make(coordinator.store.backUp)
            return response(backup, made)
        } catch StoreError.invalid(let reason) {
            throw Problem(.backup, reason)
        }
    }

    /// No `Idempotency-Key` is like it: theirs have a method and a path.
    private static let backupKey = "backup"

    private func response(_ backup: StoreBackup, _ folder: String) -> Response {
        let names = backup.files.map { JSONValue.string(String($0.dropFirst(folder.count + 1))) }
        var members: [(String, JSONValue)] = [
            ("folder", .string(folder)), ("files", .array(names)),
            ("externalFiles", .integer(Int64(backup.externalFiles))),
            ("bytes", .integer(backup.bytes)),
        ]
        if let number = backup.transaction {
            let generation = coordinator.store.historyLine.generation(of: number)
            members.append(("transaction", .string("\(generation)-\(number)")))
        }
        return Self.created(members)
    }
}
