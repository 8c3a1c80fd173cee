/// `stele backup`: a copy of a store as it is at one moment.

import ArgumentParser
import StelePersistence
import SteleFiles
import SteleSQLite

/// Copies a store, which may be in use, into a new folder.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy a store, which may be in use, into a new folder.",
        discussion: """
            The copy is of one moment, with the external files, and on disk when the command ends. \
            Its folder is named by the time. Nothing in the store's folder is changed, except that \
            the folder of backups is there by default.

              stele backup league.sqlite
              stele backup league.sqlite --to /backups/league

            A running service makes one for POST /backup. Several stores that are served together \
            are copied between two saves only so.
            """)

    @Argument(help: ArgumentHelp("The store's file.", valueName: "store"))
    var store: String

    @Option(
        help: ArgumentHelp(
            "The folder of backups; by default STORE-backups beside the store.",
            valueName: "folder"))
    var to: String?

    func run() throws {
        try Failure.reporting {
            let opening = try StoreOpening(existing: store)
            let folder = BackupFolder(to ?? store + "-backups")
            do {
                let (made, backup) = try folder.make { place in
                    opening.isSQLite
                        ? try SQLiteStore.backUp(path: store, to: place)
                        : try AtomicStore.backUp(path: store, to: place)
                }
                let external =
                    backup.externalFiles > 0 ? " and \(backup.externalFiles) external files" : ""
                write(
                    "\(store)\(external), \(backup.bytes) bytes, copied to \(made)\n", to: 1)
            } catch let error as StoreError {
                throw opening.located(error)
            }
        }
    }
}
