import SteleModel
import StelePersistence

/// The delimited-text store, the worked example of a custom store. Each line is an object:
/// `Entity|key|attribute=value|relationship=key,key`.
///
/// A property that is null or empty is left out, and `name=` is an empty text. In a value, `\`
/// comes before each of `\`, `|`, `=` and `,`; a line feed is `\n` and a carriage return `\r`.
/// Lines that begin with `#` say something of the file; a file without them is read too.
public struct TextFormat: FileFormat {
    /// Creates the format.
    public init() {}

    /// `text`.
    public var name: String { "text" }
    /// `Text`.
    public var metadataType: String { "Text" }
    /// `txt` and `text`.
    public var fileExtensions: [String] { ["txt", "text"] }

    /// Whether the bytes begin with the first line of a file that a store wrote.
    public func recognizes(_ start: [UInt8]) -> Bool { start.starts(with: TextWriter.title.utf8) }

    /// Reads the lines of a file.
    /// - Throws: `StoreError.incompatible`: 134080 for a damaged file and one of a newer form,
    ///   134100 for one of another model.
    public func contents(of bytes: [UInt8], _ model: Model) throws(StoreError) -> StoreContents {
        var reader = TextReader(model)
        return try reader.read(bytes)
    }

    /// Reads the metadata in the lines before the objects.
    /// - Throws: `StoreError.incompatible` (134080) where it is damaged.
    public func metadata(of bytes: [UInt8]) throws(StoreError) -> [UInt8]? {
        try TextReader.metadata(of: bytes)
    }

    /// Writes a line for each object, after those that say something of the file.
    /// - Throws: `StoreError.invalid` for a value that has no text.
    public func bytes(of contents: StoreContents, _ model: Model) throws(StoreError) -> [UInt8] {
        var writer = TextWriter(model)
        return try writer.write(contents)
    }
}
