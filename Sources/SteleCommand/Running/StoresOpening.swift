/// Opening one store or several for a command.

import SteleModel
import StelePersistence
import SteleSQLite

/// The stores of a command: one with all entities, or one for each of some configurations.
struct StoresOpening {
    /// A store with the configuration that it has; nil for all entities.
    private let stores: [(configuration: String?, store: any CommandStore)]
    /// The model with all entities.
    private let whole: ModelPackage
    /// The model with the entities of the stores, or why there is none. Commands that take one store
    /// of several do not need it.
    private var served: Result<ModelPackage, any Error>

    /// Decides on the places and types.
    /// - Parameters:
    ///   - text: the setting `store`: a path, or `NAME=PATH,NAME=PATH` with the names of
    ///     configurations.
    ///   - type: the setting `store-type`: a type, or `NAME=TYPE,NAME=TYPE`.
    ///   - package: the model with all entities.
    ///   - history: where an SQLite store that another program created has its history.
    ///   - use: what the command does with the stores.
    /// - Throws: `Failure` for an unknown configuration, one given twice, and as `StoreOpening`.
    init(
        _ text: String?, type: String?, _ package: ModelPackage,
        history: HistoryPlace = .auto, use: StoreUse = .write
    ) throws {
        func opening(_ path: String?, _ type: String?, _ name: String?) throws -> StoreOpening {
            var made = try StoreOpening(path, type: type, model, name: name)
            made.place.history = history
            made.use = use
            return made
        }
        whole = package
        served = .success(package)
        if var database = DatabaseOpening(text) {
            for (name, isGiven) in [("store-type", type != nil), ("history", history != .auto)]
            where isGiven {
                throw Failure("\(name) is for stores in files, and the store is \(database.name)")
            }
            database.use = use
            stores = [(nil, database)]
            return
        }
        let model = package.model
        let known = [Model.defaultConfiguration] + model.declaration.configurations.map(\.name)
        guard let text, let named = try Self.named(text, known, "store") else {
            stores = [(nil, try opening(text, type, package.name))]
            served = Result { try ofItsStore() }
            return
        }
        let types = try type.map { text -> [(name: String, value: String)] in
            guard let types = try Self.named(text, known, "store-type") else {
                throw Failure(
                    "store-type: stores are given by configuration, so name the one that is meant: "
                        + "--store-type \(named[0].name)=\(text)")
            }
            return types
        }
        for (name, _) in types ?? [] where !named.contains(where: { $0.name == name }) {
            throw Failure("store-type: there is no store of the configuration \(name)")
        }
        stores = try named.map { name, path in
            let type = types?.first { $0.name == name }?.value
            return (name, try opening(path, type, nil))
        }
        served = Result { try partialConfiguration.map { try whole.part(of: $0) } ?? whole }
    }

    /// Reads `NAME=VALUE,NAME=VALUE`; nil for a text that does not begin with a configuration.
    private static func named(
        _ text: String, _ known: [String], _ setting: String
    ) throws -> [(name: String, value: String)]? {
        func split(_ part: Substring) -> (name: String, value: String)? {
            guard let sign = part.firstIndex(of: "=") else { return nil }
            let name = part[..<sign].drop { $0 == " " }
            return (String(name), String(part[part.index(after: sign)...]))
        }
        guard let first = split(text[...]) else { return nil }
        let parts = text.split(separator: ",")
        if !known.contains(first.name),
            let named = parts.first(where: { split($0).map { known.contains($0.name) } ?? false })
        {
            throw Failure(
                "\(setting): \(parts[0]) names no configuration, and \(named) does: write "
                    + "CONFIGURATION=FILE for each of several stores")
        }
        guard known.contains(first.name) else {
            // A path may have the sign, too.
            guard known.count > 1, !first.name.contains("/"), !first.name.contains(".") else {
                return nil
            }
            throw Failure(
                "\(setting): the model has no configuration \(first.name)"
                    + (Nearest.hint(to: first.name, among: known).map { ": \($0)" }
                        ?? "; it has \(known.joined(separator: ", "))"))
        }
        var found: [(name: String, value: String)] = []
        for part in parts {
            guard let (name, value) = split(part), known.contains(name) else {
                throw Failure(
                    "\(setting): \(part) does not begin with a configuration and =; the model has "
                        + known.joined(separator: ", "))
            }
            if found.contains(where: { $0.name == name }) {
                throw Failure("\(setting): the configuration \(name) is given twice")
            }
            guard !value.isEmpty else { throw Failure("\(setting): \(name)= has no value") }
            found.append((name, value))
        }
        return found
    }

    /// The only store, for a command that takes one, with its model.
    /// - Throws: `Failure` for several.
    func only() throws -> (store: any CommandStore, package: ModelPackage) {
        guard stores.count == 1 else { throw Failure("give one store at a time") }
        let (configuration, store) = stores[0]
        return (store, try configuration.map { try whole.restricted(to: $0) } ?? ofItsStore())
    }

    /// The configuration of the only store if it is used without the stores of the other entities.
    /// One that would be created alone is not: the others have been forgotten.
    private var partialConfiguration: String? {
        guard stores.count == 1, let name = stores[0].configuration,
            let file = files.first, !file.isNew, !file.place.type.isMemory,
            let own = whole.model.restricted(to: name),
            own.storedEntities.count < whole.model.entities.count
        else { return nil }
        return name
    }

    /// The model with the entities of the stores.
    /// - Throws: `Failure` for one store of a configuration whose relationships lead out of it.
    func package() throws -> ModelPackage { try served.get() }

    /// The model, which is that of the store's entities if it was read from this store.
    private func ofItsStore() throws -> ModelPackage {
        stores.count == 1 && files.first?.path == whole.path ? try whole.ofItsStore() : whole
    }

    /// Those that are files.
    private var files: [StoreOpening] { stores.compactMap { $0.store as? StoreOpening } }

    /// The paths of the files.
    var paths: [String] { files.map(\.path) }

    /// The paths of the files that do not exist yet.
    var newPaths: [String] { files.filter(\.isNew).map(\.path) }

    /// The names of the stores, for messages.
    var name: String { stores.map(\.store.name).joined(separator: ", ") }

    /// Opens the stores; creates the files that do not exist.
    /// - Parameter other: what is done with a store of another version of the model.
    /// - Throws: `Failure` whose sentence has the path, and the plan of the migration if a store is
    ///   of another version and is not migrated.
    func open(_ other: OtherVersion) throws -> any PersistentStore {
        let package = try package()
        if partialConfiguration != nil || stores[0].configuration == nil {
            return try stores[0].store.open(package, other)
        }
        let packages = try stores.map { try package.restricted(to: $0.configuration ?? "") }
        do throws(StoreError) {
            try StoreGroup.check(packages.map(\.model), model: package.model)
        } catch {
            // The name may be mistyped.
            let missing = stores.count == 1 ? newPaths.first : nil
            throw Failure(
                (missing.map { "\($0): there is no such file, and " } ?? "")
                    + Failure.sentence(error))
        }
        var opened: [any PersistentStore] = []
        do {
            for ((_, store), own) in zip(stores, packages) {
                opened.append(try store.open(own, other))
            }
            do throws(StoreError) { return try StoreGroup(opened, model: package.model) } catch {
                throw Failure(Failure.sentence(error))
            }
        } catch {
            for store in opened { store.close() }
            throw error
        }
    }
}
