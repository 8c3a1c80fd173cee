/// `stele store migrate`: copying a store to another path or type.

import ArgumentParser
import SteleMigration

/// Copies a store with all that it has into a new one.
struct StoreMigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Copy a store to another path or type.",
        discussion: """
            The new store has the objects with their keys, versions, links and orders, the \
            external files, the users' metadata and the UUID. The history begins anew. The old \
            store stays as it is. Without --to-type the name of the new file tells its type.

              stele store migrate League.xcdatamodeld --store league.sqlite --to league.xml

            To take a store to another version of its model, use stele migrate.
            """)

    @Argument(help: ModelArgument.help)
    var model: String

    @Option(
        help: ArgumentHelp(
            "The store's file; CONFIGURATION=FILE for a store of one configuration.",
            valueName: "path"))
    var store: [String]

    @Option(help: ArgumentHelp("The new store's file, which must not exist.", valueName: "path"))
    var to: String

    @Option(help: ArgumentHelp("sqlite, xml, binary or text.", valueName: "type"))
    var toType: String?

    func run() throws {
        try Failure.reporting {
            try Transformers.registerFromEnvironment()
            let stores = try StoresOpening(
                store.joined(separator: ","), type: nil, try ModelPackage(model))
            let package = try stores.package()
            var source = try StoreOpening(existing: stores.only().opening.path)
            source.use = .read
            let copier = StoreCopier(
                from: source,
                to: try StoreCopier.destination(to, type: toType, package.model),
                package: package)
            let bar = ProgressBar()
            defer { bar.clear() }
            let count = try copier.run { bar.show($0) }
            bar.clear()
            write("\(count) objects in \(to) (\(copier.to.type)), \(bar.tenths) s\n", to: 1)
        }
    }
}
