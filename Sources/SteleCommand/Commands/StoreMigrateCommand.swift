/// `stele store migrate`: copying a store to another path or type.

import ArgumentParser
import SteleGraph
import SteleMigration
import StelePostgreSQL

/// Copies a store with all that it has into a new one.
struct StoreMigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Copy a store to another path or type.",
        discussion: """
            The new store has the objects with their keys, versions, links and orders, the \
            external files, the users' metadata and the UUID. Its history is empty. The old \
            store stays as it is. Without --to-type the name of the new file tells its type. \
            Either store may be a database of PostgreSQL; the new one needs an empty schema.

              stele store migrate League.xcdatamodeld --store league.sqlite --to league.xml
              stele store migrate League.xcdatamodeld --store league.sqlite \
                --to postgresql://stele@db.example/league

            To take a store to another version of its model, use stele migrate.
            """)

    @Argument(help: ModelArgument.help)
    var model: String

    @Option(
        help: ArgumentHelp(
            """
            The store's file, or the URL of a database; CONFIGURATION=FILE for a store of one \
            configuration.
            """,
            valueName: "path"))
    var store: [String]

    @Option(
        help: ArgumentHelp(
            "The new store's file, which must not exist, or the URL of a database.",
            valueName: "path"))
    var to: String

    @Option(help: ArgumentHelp("sqlite, xml, binary or text.", valueName: "type"))
    var toType: String?

    func run() throws {
        try Failure.reporting {
            try Transformers.registerFromEnvironment()
            let (source, package) = try source()
            let bar = ProgressBar()
            defer { bar.clear() }
            do { try copy(source, package, bar) } catch {
                // What the objects of the source break.
                let sentence = Failure.sentence(error)
                throw error is ValidationErrors || error is MigrationError
                    ? Failure("\(source.name): \(sentence)") : error
            }
        }
    }

    private func copy(
        _ source: any CommandStore, _ package: ModelPackage, _ bar: ProgressBar
    ) throws {
        if let database = DatabaseOpening(to) {
            if toType != nil { throw Failure("--to-type is for files: leave it out") }
            let store = try source.open(package, .refuse)
            defer { store.close() }
            try checkValues(of: source, package, hasFiles: false)
            let count = try database.fill(from: store, package) { bar.show($0) }
            return report(count, database.name, PostgreSQLStore.storeType, bar)
        }
        let copier = StoreCopier(
            from: source,
            to: try StoreCopier.destination(to, type: toType, package.model),
            package: package)
        try checkValues(of: source, package, hasFiles: copier.to.isSQLite)
        let count = try copier.run { bar.show($0) }
        report(count, to, copier.to.type, bar)
    }

    /// Prints which values lack their files, whose names a store with files keeps.
    /// - Throws: `Failure` with these values for a store without files, which would lose them.
    private func checkValues(
        of source: any CommandStore, _ package: ModelPackage, hasFiles: Bool
    ) throws {
        let missing = try source.missingValues(KnownVersion(hashing: package.model))
        if missing.count == 0 { return }
        let values = "\(missing.count.counted("value")) whose file beside the store is missing"
        guard hasFiles else {
            throw Failure(
                "\(source.name) has \(values), and \(to) has no files: restore them, or delete the "
                    + "values: \(missing.list)")
        }
        printError("\(values) stays so: \(missing.list)")
    }

    /// The store that is copied, and its model.
    private func source() throws -> (any CommandStore, ModelPackage) {
        let package = try ModelPackage(model)
        if store.count == 1, var database = DatabaseOpening(store.first) {
            database.use = .read
            return (database, package)
        }
        let stores = try StoresOpening(store.joined(separator: ","), type: nil, package)
        var opening = try StoreOpening(existing: stores.only().store.name)
        opening.use = .read
        return (opening, try stores.package())
    }

    private func report(_ count: Int, _ place: String, _ type: String, _ bar: ProgressBar) {
        bar.clear()
        write("\(count) objects in \(place) (\(type)), \(bar.tenths) s\n", to: 1)
    }
}
