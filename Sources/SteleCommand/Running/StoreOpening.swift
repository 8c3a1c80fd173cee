/// Opening a store for a command.

import Glibc
import Stele
import SteleFiles
import SteleModel
import StelePersistence
import SteleSQLite
import SteleSystem

/// A store's place and type, as a command was given them.
struct StoreOpening {
    /// The path of the file, or `:memory:`.
    let path: String
    /// `sqlite`, `memory`, or the name of a file format.
    let type: String
    /// Where an SQLite store that another program created has its history.
    var history = HistoryPlace.auto
    /// What the command does with the store.
    var use = StoreUse.write
    /// The version hashes that Core Data has computed, by the names of the versions. A new SQLite
    /// store gets those of its model.
    var versionHashes: [String: [String: [UInt8]]] = [:]

    /// The path of a store without a file.
    static let memoryPath = PersistentStoreDescription.inMemoryPath

    /// Decides on the place and type.
    ///
    /// The first bytes of an existing file decide, then the given type, then the extension of the
    /// name, and else it is SQLite.
    /// - Parameters:
    ///   - path: the setting `store`; nil for the model's name in the current folder.
    ///   - name: the model's name; nil for that of its version.
    ///   - type: the setting `store-type`; nil for none.
    /// - Throws: `Failure` for an unknown type, and for one that the file contradicts.
    init(_ path: String?, type: String?, _ model: Model, name: String? = nil) throws {
        let type = type?.lowercased()
        if let type, StoreType(named: type) == nil {
            let names = StoreType.names.joined(separator: ", ")
            throw Failure("store-type must be one of \(names), not \(type)")
        }
        self.type = try Self.type(path, type)
        if self.type == InMemoryStore.type {
            self.path = Self.memoryPath
        } else {
            let ending = FileFormats.named(self.type)?.fileExtensions.first ?? self.type
            self.path = path ?? "\(name ?? model.name).\(ending)"
        }
    }

    /// Finds the type of an existing store without its model.
    /// - Throws: `Failure` for a file that does not exist or is no store.
    init(existing path: String) throws {
        guard access(path, F_OK) == 0 else { throw Failure("\(path): there is no store") }
        guard let type = try StoreType.ofFile(path) else {
            throw Failure("\(path) is not a store")
        }
        self.path = path
        self.type = type.name
    }

    /// The type of a store at that path.
    private static func type(_ path: String?, _ given: String?) throws -> String {
        guard let path else { return given ?? StoreType.sqlite.name }
        if path == memoryPath {
            guard let given, given != InMemoryStore.type else { return InMemoryStore.type }
            throw Failure(
                "\(memoryPath) is a store of the type memory, not \(given): leave --store-type "
                    + "out, or name a file")
        }
        if given == InMemoryStore.type {
            throw Failure(
                "a store of the type memory has no file, and --store names \(path): leave one of "
                    + "them out, or use --store \(memoryPath)")
        }
        guard let found = try StoreType.ofFile(path)?.name else {
            return given ?? StoreType.forName(path).name
        }
        if let given, given != found {
            throw Failure(
                "\(path) is a store of the type \(found), not \(given): leave --store-type out, or "
                    + "name another file")
        }
        return found
    }

    /// The bytes of the store's file.
    /// - Throws: `Failure` where there is none.
    func fileSize() throws -> Int64 {
        var found = stat()
        guard stat(path, &found) == 0 else { throw Failure("\(path): there is no store") }
        return Int64(found.st_size)
    }

    /// Whether opening the store creates it.
    var isNew: Bool {
        var found = stat()
        return type != InMemoryStore.type && (stat(path, &found) != 0 || found.st_size == 0)
    }

    /// Opens the store; creates its file where there is none.
    /// - Throws: `Failure` whose sentence has the path.
    func open(_ model: Model) throws -> any PersistentStore {
        do { return try openAsIs(model) } catch let error as StoreError { throw located(error) }
    }

    /// The error with the path.
    func located(_ error: StoreError) -> Failure {
        var sentence = Failure.sentence(error)
        if case .incompatible(code: 134100, _) = error, let ownModelHint {
            sentence += "; \(ownModelHint)"
        }
        return Failure(sentence.contains(path) ? sentence : "\(path): \(sentence)")
    }

    /// How to serve a store of another model with the model that it has; nil for one without.
    var ownModelHint: String? {
        guard isSQLite, (try? SQLiteStore.modelFile(path: path)) != nil else { return nil }
        return "stele serve \(shellWord(path)) serves the store with its own model"
    }

    /// Whether the store is an SQLite store.
    var isSQLite: Bool { type == StoreType.sqlite.name }

    /// Opens the store as `open` does.
    /// - Throws: `StoreError`, and `Failure` for a folder that does not exist.
    func openAsIs(_ model: Model) throws -> any PersistentStore {
        if type == InMemoryStore.type {
            return try openUnchanged(model) ?? InMemoryStore(model: model)
        }
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            let folder = String(path[..<slash])
            var found = stat()
            guard stat(folder, &found) == 0 else {
                throw Failure("\(path): the folder \(folder) does not exist")
            }
        }
        if let store = try openUnchanged(model) { return store }
        let store = try make(path, model)
        if let store = store as? SQLiteStore, store.isConvertedToWAL { reportConversion() }
        return store
    }

    /// Prints that the file has another journal mode now.
    func reportConversion() {
        printError("\(path): it had a rollback journal, and is converted to WAL")
    }

    /// Opens or creates a store of the same type at another path.
    /// - Parameter identifier: the UUID of a new store; nil for one of its own.
    /// - Throws: `StoreError`.
    func make(
        _ path: String, _ model: Model, identifier: String? = nil
    ) throws(StoreError) -> any PersistentStore {
        guard let format = FileFormats.named(type) else {
            return try SQLiteStore.open(
                path: path, model: model, identifier: identifier, history: history,
                versionHashes: publishedHashes(of: model))
        }
        return try AtomicStore.open(
            path: path, model: model, format: format, identifier: identifier)
    }

    /// The version hashes that Core Data has computed for the stored entities of a model; nil where
    /// one of them is not known.
    func publishedHashes(of model: Model) -> [String: [UInt8]]? {
        let stored = Set(model.storedEntities.map(\.name))
        let known = versionHashes[model.name]?.filter { stored.contains($0.key) }
        return known?.count == stored.count ? known : nil
    }
}

extension HistoryPlace {
    /// Reads the setting `history`.
    /// - Throws: `Failure` with the valid values.
    init(setting text: String) throws {
        guard let place = HistoryPlace(rawValue: text.lowercased()) else {
            let names = HistoryPlace.allCases.map(\.rawValue).joined(separator: " or ")
            throw Failure("history must be \(names), not \(text)")
        }
        self = place
    }
}
