/// `stele check`: whether stores agree with themselves.

import ArgumentParser

/// Checks stores as `stele inspect` does, and prints only where they do not agree.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check stores: pages, layout, references, history.",
        discussion: """
            It checks all that stele inspect checks, and prints a line for each store and for each \
            difference. Of the folder of a backup it checks the stores in it. Nothing in the \
            store's folder or the database is changed, and the store may be in use.

              stele check league.sqlite
              stele check league.sqlite-backups/*
              stele check 'postgresql://stele@db/shop' --model Shop.xcdatamodeld

            The exit status is 0 if all agrees, 1 if something does not and 2 if a store cannot \
            be read. The whole store is read.
            """)

    @OptionGroup var inspected: InspectedStores

    func run() throws {
        try Failure.reporting(ExitCode(2)) {
            try Transformers.registerFromEnvironment()
            try InspectCommand.inspect(inspected.files, inspected.model) { store, report, _ in
                write("\(store): " + report.differences, to: 1)
            }
        }
    }
}
