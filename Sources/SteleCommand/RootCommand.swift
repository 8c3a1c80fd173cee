/// The command `stele`, and its subcommands.

import ArgumentParser
import Glibc
import SteleService

/// Core Data's object graph, served over HTTP.
@main
struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stele",
        abstract: "Core Data's object graph, served over HTTP.",
        version: "\(Service.version) (build \(Service.build))",
        subcommands: [
            ServeCommand.self, ModelCommand.self, InspectCommand.self, CheckCommand.self,
            StoreCommand.self,
            DiffCommand.self, MigrateCommand.self, PredicateCommand.self,
            ImportCommand.self, ExportCommand.self, BackupCommand.self, RestoreCommand.self,
            HealthCommand.self, WatchCommand.self, TokenCommand.self,
        ])

    static func main() {
        // A file that becomes longer than the process may make it is an error of that write, and
        // must not end the process.
        signal(SIGXFSZ, SIG_IGN)
        main(nil)
    }
}
