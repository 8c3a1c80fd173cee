/// `stele migrate`: taking a store to the current version of its model.

import ArgumentParser
import SteleMigration

/// Migrates a store, or says how it would be migrated.
struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Take a store to the current version of its model.",
        discussion: """
            The version that the store was made with is found by its version hashes. Mapping models \
            (.xcmappingmodel, .cdm, .mapping.json) beside the model, or in the folders about it, are \
            used; --mapping names others. Otherwise the mapping is inferred. The store is migrated \
            completely or not at all.

              stele migrate Shop.xcdatamodeld --store shop.sqlite --plan
            """)

    @Argument(
        help: "The model: .xcdatamodeld, .momd, a JSON file, or a folder of JSON models.")
    var model: String

    @Option(
        help: ArgumentHelp(
            "The store's file, or the URL of a database; CONFIGURATION=FILE for a store of one "
                + "configuration.", valueName: "path"))
    var store: [String]

    @Option(help: SettingFlags.help("mapping", "path"))
    var mapping: [String] = []

    @Flag(
        help: """
            Print what would be done, and change nothing. The exit status is 0 if the store's objects \
            let it go through, and else 1, with what migrating would say.
            """
    )
    var plan = false

    @Flag(help: "Also migrate to an older version, which removes what only the newer one has.")
    var back = false

    func run() throws {
        try Failure.reporting {
            try Transformers.registerFromEnvironment()
            let (opened, package) = try StoresOpening(
                store.joined(separator: ","), type: nil,
                try ModelPackage(
                    model,
                    mappings: mapping.flatMap { $0.split(separator: ",").map(String.init) })
            ).only()
            let migrator = StoreMigrator(store: opened, package: package)
            guard let way = try migrator.plan() else {
                throw Failure("\(opened.name): there is no store")
            }
            write(try migrator.lines(of: way).map { $0 + "\n" }.joined(), to: 1)
            guard back || !way.isBackward else {
                throw Failure("the current version is older than the store: give --back to do this")
            }
            let bar = ProgressBar()
            defer { bar.clear() }
            if plan { return try migrator.check(way) { bar.show($0) } }
            let isMigrated = try migrator.migrate(by: way) { bar.show($0) }
            if way.isEmpty { return }
            bar.clear()
            write((isMigrated ? "migrated in \(bar.tenths) s" : StoreMigrator.isDone) + "\n", to: 1)
        }
    }
}
