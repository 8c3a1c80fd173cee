/// `stele store`: commands on a store.

import ArgumentParser
import SteleMigration
import SteleModel
import StelePersistence
import SteleSQLite

/// The subcommands of `stele store`. `stele inspect` prints what a store is.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Print or set a store's metadata, or copy it.",
        subcommands: [StoreMetadataCommand.self, StoreMigrateCommand.self])
}

/// The store of a command that needs the model only for some types of store.
struct ExistingStore: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The model, or the package with the store's version. SQLite stores and databases need "
                + "none.",
            valueName: "model"))
    var model: String?

    @Option(
        help: ArgumentHelp(
            "The store's file, or the URL of a database; CONFIGURATION=FILE for a store of one "
                + "configuration; by default the model's name in this folder.", valueName: "path"))
    var store: [String] = []

    func validate() throws {
        if store.isEmpty, model == nil { throw ValidationError("name a store by --store") }
    }

    /// The store where it is in a database; nil for one in a file.
    var database: DatabaseOpening? { store.count == 1 ? DatabaseOpening(store[0]) : nil }

    /// The place and type of the store, and its model with all versions if it is named.
    /// - Throws: `Failure` for a store that does not exist.
    func find() throws -> (opening: StoreOpening, package: ModelPackage?) {
        try Self.find(store.isEmpty ? nil : store.joined(separator: ","), model: model)
    }

    /// The place and type of a store, and its model with all versions if it is named.
    /// - Parameter isServed: whether the model must be one that can be served.
    /// - Throws: `Failure` for a store that does not exist.
    static func find(
        _ store: String?, model: String?, isServed: Bool = true
    ) throws -> (opening: StoreOpening, package: ModelPackage?) {
        guard let model else {
            let path = store ?? ""
            do { return (try StoreOpening(existing: path), nil) } catch {
                guard path.contains("=") else { throw error }
                throw Failure(
                    "\(Failure.sentence(error)) (name the model, too, where a store is given by its "
                        + "configuration)")
            }
        }
        let package = try ModelPackage(model, isServed: isServed)
        let (opening, own) = try StoresOpening(store, type: nil, package).only()
        return (try StoreOpening(existing: opening.name), own)
    }

    /// The model that the store has of itself; nil where it has none.
    private static func ownPackage(_ opening: StoreOpening) throws -> ModelPackage? {
        guard case .success? = opening.cachedVersion else { return nil }
        return try ModelPackage(opening.path, isServed: false).ofItsStore()
    }

    /// Calls a function with the open store and the version that it was made with, which is the
    /// store's own where no model is named.
    /// - Throws: `Failure` if the store is of no version of the model, or has none and none is
    ///   named.
    static func open<Result>(
        _ opening: StoreOpening, _ package: ModelPackage?,
        _ body: (any PersistentStore, KnownVersion) throws -> Result
    ) throws -> Result {
        guard let package = try package ?? ownPackage(opening) else {
            throw Failure(
                "\(opening.path): a store of the type \(opening.type) is read by its model, which "
                    + "it does not have: name the model, too")
        }
        let (store, version) = try opening.open(anyOf: package.versions())
        defer { store.close() }
        return try body(store, version)
    }
}
