import SteleModel
import StelePersistence
import SteleSystem

/// A file format of a whole-file store: what a custom store has to implement (NSAtomicStore).
///
/// `AtomicStore` keeps the objects in memory, answers all reads and saves from there, and writes
/// the whole file at each save. A format only turns the objects into bytes and bytes into objects.
/// `TextFormat` is an example.
public protocol FileFormat: Sendable {
    /// The name of the store type, in lower case, such as `text`.
    var name: String { get }
    /// The value of NSStoreType in the metadata; by default the name.
    var metadataType: String { get }
    /// The extensions of file names by which the format is chosen for a new file; by default the
    /// name.
    var fileExtensions: [String] { get }

    /// Whether a file that begins with these bytes has the format. They are the first 512 or all;
    /// by default false.
    func recognizes(_ start: [UInt8]) -> Bool

    /// Reads the bytes of a file. The store checks the contents afterwards: their entities, types,
    /// keys and links.
    /// - Throws: `StoreError.incompatible` for bytes that are not of this format or damaged, or of
    ///   another model. The text names the place; the store puts the path before it.
    func contents(of bytes: [UInt8], _ model: Model) throws(StoreError) -> StoreContents

    /// Reads the metadata of a file whose model is not known, as `StoreContents.metadata`
    /// (NSPersistentStore.metadataForPersistentStore(with:)). It has the store's own model, from
    /// which a store of an unknown version is migrated. By default nil: none.
    /// - Throws: as `contents(of:_:)`.
    func metadata(of bytes: [UInt8]) throws(StoreError) -> [UInt8]?

    /// Returns the bytes of a file.
    /// - Throws: `StoreError.invalid` for a value that the format cannot hold; then the save fails.
    func bytes(of contents: StoreContents, _ model: Model) throws(StoreError) -> [UInt8]
}

extension FileFormat {
    /// The name.
    public var metadataType: String { name }
    /// The name.
    public var fileExtensions: [String] { [name] }
    /// False: for a format that is chosen by name only.
    public func recognizes(_ start: [UInt8]) -> Bool { false }

    /// None.
    public func metadata(of bytes: [UInt8]) throws(StoreError) -> [UInt8]? { nil }

    /// The error for a damaged file.
    func damage(_ text: String) -> StoreError { .incompatible(code: 134080, text) }
}

/// The file formats of whole-file stores, by name
/// (NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)).
public enum FileFormats {
    private static let formats = Mutex<[any FileFormat]>([
        BinaryFormat(), TextFormat(), XMLFormat(),
    ])

    /// All formats; of two with the same extension or beginning the first is chosen.
    public static var all: [any FileFormat] { formats.withLock { $0 } }

    /// Adds a format before all others. It replaces one of the same name.
    public static func register(_ format: any FileFormat) {
        formats.withLock { formats in
            formats.removeAll { $0.name == format.name }
            formats.insert(format, at: 0)
        }
    }

    /// Returns the format of that name; nil where there is none.
    public static func named(_ name: String) -> (any FileFormat)? { all.first { $0.name == name } }

    /// Returns the format of an existing file; nil where no format recognizes its first bytes.
    /// - Throws: `StoreError.incompatible` (134080) where it cannot be read or is not a file.
    public static func format(ofFile path: String) throws(StoreError) -> (any FileFormat)? {
        let start = try WholeFile.start(path)
        return start.isEmpty ? nil : all.first { $0.recognizes(start) }
    }

    /// Returns the format for a file name by its extension, ignoring case; nil where there is none.
    public static func format(forName path: String) -> (any FileFormat)? {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let ending = name[name.index(after: dot)...].lowercased()
        return all.first { $0.fileExtensions.contains(ending) }
    }
}
