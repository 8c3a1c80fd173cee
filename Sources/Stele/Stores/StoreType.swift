import Glibc
import SteleFiles
import StelePersistence
import SteleSystem

/// The type of a store.
package enum StoreType: Sendable {
    case sqlite
    case memory
    case file(any FileFormat)

    /// The name: `sqlite`, `memory`, or that of the file format.
    package var name: String {
        switch self {
        case .sqlite: "sqlite"
        case .memory: InMemoryStore.type
        case .file(let format): format.name
        }
    }

    /// The type of that name; nil if there is none.
    package init?(named name: String) {
        switch name {
        case "sqlite": self = .sqlite
        case InMemoryStore.type: self = .memory
        default:
            guard let format = FileFormats.named(name) else { return nil }
            self = .file(format)
        }
    }

    /// The names of all types.
    package static var names: [String] {
        [StoreType.sqlite.name, StoreType.memory.name] + FileFormats.all.map(\.name).sorted()
    }

    /// The type of an existing file by its first bytes; nil where they do not tell it.
    /// - Throws: `StoreError` for a file that cannot be read.
    package static func ofFile(_ path: String) throws(StoreError) -> StoreType? {
        if let format = try FileFormats.format(ofFile: path) { return .file(format) }
        return isSQLite(file: path) ? .sqlite : nil
    }

    /// The type of a new file by the extension of its name; SQLite for an unknown one.
    package static func forName(_ path: String) -> StoreType {
        FileFormats.format(forName: path).map(StoreType.file) ?? .sqlite
    }

    /// The type of the store at a path, which need not exist.
    ///
    /// The first bytes of an existing file decide, then the given type, then the extension of the
    /// name, and else it is SQLite.
    /// - Parameters:
    ///   - path: the path; nil for a name that is still to be chosen.
    ///   - given: the name of the type that was asked for; nil for none.
    /// - Throws: `StoreTypeMistake`; `StoreError` for a file that cannot be read.
    package static func ofStore(at path: String?, given: String?) throws -> StoreType {
        let type = given.flatMap { StoreType(named: $0.lowercased()) }
        if let given, type == nil { throw StoreTypeMistake.unknown(given) }
        guard let path else { return type ?? .sqlite }
        if path == PersistentStoreDescription.inMemoryPath {
            if let type, !type.isMemory { throw StoreTypeMistake.hasNoFile(type) }
            return .memory
        }
        if let type, type.isMemory { throw StoreTypeMistake.hasFile(path) }
        guard let found = try ofFile(path) else { return type ?? forName(path) }
        if let type, type.name != found.name { throw StoreTypeMistake.isOther(path, found, type) }
        return found
    }

    /// The extension of the name of a new file.
    package var fileExtension: String {
        if case .file(let format) = self { format.fileExtensions.first ?? name } else { name }
    }

    /// Whether stores of the type have no file.
    package var isMemory: Bool { name == InMemoryStore.type }

    /// Whether a path is that of a store's file, by its first bytes.
    package static func hasStore(file path: String) -> Bool {
        FileKind.otherThanFile(path) == nil && (try? ofFile(path)) != nil
    }

    /// Whether a file is an SQLite database, by its first bytes.
    package static func isSQLite(file path: String) -> Bool {
        guard FileKind.otherThanFile(path) == nil, let file = fopen(path, "rbe") else {
            return false
        }
        defer { fclose(file) }
        let magic = Array("SQLite format 3\0".utf8)
        var start = [UInt8](repeating: 0, count: magic.count)
        return fread(&start, 1, start.count, file) == magic.count && start == magic
    }
}

/// Why a store cannot have the type that was asked for.
package enum StoreTypeMistake: Error {
    /// No type has the name.
    case unknown(String)
    /// The path is that of a store in memory, and the type has files.
    case hasNoFile(StoreType)
    /// The type is memory, and the path is that of a file.
    case hasFile(String)
    /// The file at the path is of the first type, not of the second.
    case isOther(String, StoreType, StoreType)
}
