import SteleCrypto
import SteleModel
import StelePersistence

/// The binary store: compact, and checked by a checksum (NSBinaryStoreType). The form is Stele's
/// own.
///
/// A file is 8 bytes of magic number, a version in 4 bytes, and the SHA-256 of the payload that
/// follows. Numbers of several bytes begin with the lowest.
public struct BinaryFormat: FileFormat {
    /// Creates the format.
    public init() {}

    /// `binary`.
    public var name: String { "binary" }
    /// `Binary`.
    public var metadataType: String { "Binary" }
    /// `binary` and `bin`.
    public var fileExtensions: [String] { ["binary", "bin"] }

    /// `0x89 STELE CR LF`: a transfer as text changes it.
    private static let magic: [UInt8] = [0x89] + Array("STELE\r\n".utf8)
    private static let version: [UInt8] = [1, 0, 0, 0]
    private static let start = magic + version
    package static let headCount = start.count + 32

    /// Whether the bytes begin with the magic number.
    public func recognizes(_ start: [UInt8]) -> Bool { start.starts(with: Self.magic) }

    /// Checks and reads a file.
    /// - Throws: `StoreError.incompatible`: 134080 for a damaged file and one of another or a newer
    ///   format, 134100 for one of another model.
    public func contents(of bytes: [UInt8], _ model: Model) throws(StoreError) -> StoreContents {
        var reader = BinaryStoreReader(try payload(of: bytes), model)
        return try reader.read()
    }

    /// Checks a file, and reads its metadata.
    /// - Throws: `StoreError.incompatible` (134080), as `contents(of:_:)`.
    public func metadata(of bytes: [UInt8]) throws(StoreError) -> [UInt8]? {
        var reader = BinaryStoreReader(try payload(of: bytes))
        return try reader.readHead().metadata
    }

    private func payload(of bytes: [UInt8]) throws(StoreError) -> ArraySlice<UInt8> {
        guard recognizes(bytes) else { throw damage("the file is not a binary store of Stele") }
        guard bytes.starts(with: Self.start) else {
            throw damage("the file has a newer binary form than this program knows, or is damaged")
        }
        let payload = bytes.dropFirst(Self.headCount)
        guard bytes.count >= Self.headCount,
            Self.checksum(payload).elementsEqual(bytes[Self.start.count..<Self.headCount])
        else { throw damage("the checksum is wrong: the file is damaged or cut off") }
        return payload
    }

    /// Writes a file.
    /// - Throws: `StoreError.invalid` for a value in a file of another store.
    public func bytes(of contents: StoreContents, _ model: Model) throws(StoreError) -> [UInt8] {
        var writer = BinaryStoreWriter(model)
        let payload = try writer.write(contents)
        return Self.sealed(payload)
    }

    /// Returns a file with that payload and its checksum.
    package static func sealed(_ payload: [UInt8]) -> [UInt8] {
        start + checksum(payload[...]) + payload
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        Digest.sha256(bytes)
    }
}

/// The first byte of a value in a binary file.
enum BinaryTag: UInt8 {
    case null, no, yes, integer, double, decimal, string, date, data, uuid, key
}
