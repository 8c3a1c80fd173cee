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
