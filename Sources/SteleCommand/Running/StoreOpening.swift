/// Opening a store for a command.

import Glibc
import Stele
import SteleMigration
import SteleModel
import StelePersistence
import SteleSQLite

/// A store's place and type, as a command was given them.
struct StoreOpening: CommandStore {
    /// The place, type and version hashes.
    var place: StorePlace
    /// What the command does with the store.
    var use = StoreUse.write

    /// The path of a store without a file.
    static let memoryPath = PersistentStoreDescription.inMemoryPath

    /// Decides on the place and type, as `StoreType.ofStore`.
    /// - Parameters:
    ///   - path: the setting `store`; nil for the model's name in the current folder.
    ///   - name: the model's name; nil for that of its version.
    ///   - type: the setting `store-type`; nil for none.
    /// - Throws: `Failure` for an unknown type, and for one that the file contradicts.
    init(_ path: String?, type given: String?, _ model: Model, name: String? = nil) throws {
        try DatabaseOpening.refuse(path)
        let type: StoreType
        do { type = try StoreType.ofStore(at: path, given: given) } catch {
            throw (error as? StoreTypeMistake).map(Failure.init) ?? error
        }
        place = StorePlace(
            path: type.isMemory
                ? Self.memoryPath : path ?? "\(name ?? model.name).\(type.fileExtension)",
            type: type)
    }

    /// Finds the type of an existing store without its model, as `StoreType.ofStore`.
    /// - Throws: `Failure` for a file that does not exist, is empty, or is no store by its first
    ///   bytes and its name.
    init(existing path: String) throws {
        try DatabaseOpening.refuse(path)
        guard access(path, F_OK) == 0 else { throw Failure("\(path): there is no store") }
        place = StorePlace(path: path, type: try StoreType.ofStore(at: path, given: nil))
        // A file of any other type may begin with any bytes.
        if isNew || isSQLite && !StoreType.isSQLite(file: path) {
            throw Failure("\(path) is not a store")
        }
    }

    /// The path of the file, or `:memory:`.
    var path: String { place.path }
    var name: String { path }
    var argument: String { path }
    /// `sqlite`, `memory`, or the name of a file format.
    var type: String { place.type.name }
    /// Whether the store is an SQLite store.
    var isSQLite: Bool { place.isSQLite }

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
        return !place.type.isMemory && (stat(path, &found) != 0 || found.st_size == 0)
    }

    /// The error with the path.
    func located(_ error: StoreError) -> Failure {
        var sentence = Failure.sentence(error)
        if case .incompatible(code: 134100, _) = error, let ownModelHint {
            sentence += "; \(ownModelHint)"
        }
        return Failure(
            sentence.contains(path) || place.type.isMemory ? sentence : "\(path): \(sentence)")
    }

    /// How to serve a store of another model with the model that it has; nil for one without, or
    /// with a model that is not that of its data.
    var ownModelHint: String? {
        guard case .success(let own)? = cachedVersion, isOf(own) else { return nil }
        return "stele serve \(shellWord(path)) serves the store with its own model"
    }

    /// Whether the store is of a version.
    private func isOf(_ version: KnownVersion) -> Bool {
        guard let versions = KnownVersions([version], current: version.name),
            let hashes = try? versionHashes(among: versions)
        else { return false }
        return (try? versions.version(withHashes: hashes)) != nil
    }

    /// Opens the store as `open` does.
    /// - Throws: `StoreError`, and `Failure` for a folder that does not exist.
    func openAsIs(_ model: Model) throws -> any PersistentStore {
        if place.type.isMemory { return try openUnchanged(model) ?? place.open(model) }
        if path.contains("://") {
            throw Failure(
                "\(path): a store is a file, or a database by a URL that begins with "
                    + "postgresql://")
        }
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            let folder = String(path[..<slash])
            var found = stat()
            guard stat(folder, &found) == 0 else {
                throw Failure("\(path): the folder \(folder) does not exist")
            }
        }
        if let store = try openUnchanged(model) { return store }
        let store = try place.open(model)
        if let store = store as? SQLiteStore, store.isConvertedToWAL { reportConversion() }
        return store
    }

    /// Prints that the file has another journal mode now.
    func reportConversion() {
        printError("\(path): it had a rollback journal, and is converted to WAL")
    }
}

extension Failure {
    /// The sentence for settings that contradict each other or the file.
    fileprivate init(_ mistake: StoreTypeMistake) {
        let memoryPath = StoreOpening.memoryPath
        switch mistake {
        case .unknown(let name):
            let names = StoreType.names.joined(separator: ", ")
            self.init("store-type must be one of \(names), not \(name.lowercased())")
        case .hasNoFile(let type):
            self.init(
                "\(memoryPath) is a store of the type memory, not \(type.name): leave "
                    + "--store-type out, or name a file")
        case .hasFile(let path):
            self.init(
                "a store of the type memory has no file, and --store names \(path): leave one of "
                    + "them out, or use --store \(memoryPath)")
        case .isOther(let path, let found, let given):
            self.init(
                "\(path) is a store of the type \(found.name), not \(given.name): leave "
                    + "--store-type out, or name another file")
        }
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
