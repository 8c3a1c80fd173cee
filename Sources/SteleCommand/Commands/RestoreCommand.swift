/// `stele restore`: a backup in the place of a store.

import ArgumentParser
import FoundationEssentials
import StelePersistence
import SteleSystem
import SteleSQLite

/// Puts the copy of a store from a backup in the store's place.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Put a backup in the place of a store.",
        discussion: """
            No program may have the store open. The backup is checked first, and stays. What is at \
            the store's place is kept in a folder beside it. Clients of the change feed that have \
            seen saves after the backup are told that their tokens are expired.

              stele restore league.sqlite-backups/20260501T093000.125Z --store league.sqlite
            """)

    @Argument(
        help: ArgumentHelp(
            "The folder of a backup, or the file of a store in it.", valueName: "backup"))
    var backup: String

    @Option(help: ArgumentHelp("The store's file, which need not exist.", valueName: "path"))
    var store: String

    func run() throws {
        try Failure.reporting {
            let source = try BackupSource(backup, for: store)
            do {
                let kept = try SQLiteStore.restore(source.file, to: store)
                write("\(store) restored from \(source.file)\n", to: 1)
                if let kept { write("what was there is in \(kept)\n", to: 1) }
            } catch let error as StoreError {
                throw source.opening.located(error)
            }
        }
    }
}

/// The file of a store in a backup.
private struct BackupSource {
    let file: String
    let opening: StoreOpening

    /// Finds it.
    /// - Throws: `Failure` where there is none, or it is no SQLite store.
    init(_ backup: String, for store: String) throws {
        if FileManager.default.fileExists(atPath: backup), FileKind.otherThanFile(backup) == nil {
            file = backup
        } else {
            let name =
                store.lastIndex(of: "/").map { store[store.index(after: $0)...] } ?? store[...]
            let found = BackupContents(backup)
            let own = found.stores.first { $0.hasSuffix("/\(name)") }
            guard let file = found.stores.count == 1 ? found.stores[0] : own else {
                throw Self.failure(backup, found, name)
            }
            self.file = file
        }
        opening = try StoreOpening(existing: file)
        guard opening.isSQLite else {
            throw Failure(
                "\(file) is a store of the type \(opening.type), which is one file: copy it back "
                    + "while no program has the store open")
        }
    }

    /// The error where it is not clear which store is meant.
    private static func failure(
        _ backup: String, _ found: BackupContents, _ name: Substring
    ) -> Failure {
        if !found.stores.isEmpty {
            return Failure(
                "\(backup) has several stores, and none of the name \(name): name the file")
        }
        if !found.folders.isEmpty {
            return Failure(
                "\(backup) has a folder for each of several stores: name one of "
                    + found.folders.joined(separator: ", "))
        }
        return Failure(
            "\(backup) has no SQLite store; a store of another type is one file, which is copied "
                + "back while no program has the store open")
    }
}
