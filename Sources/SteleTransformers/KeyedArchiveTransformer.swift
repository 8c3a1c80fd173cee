/// NSKeyedArchiver's archives of Foundation types, as JSON.

import SteleJSON
import SteleModel

/// The transformer of `NSSecureUnarchiveFromData` and similar names: binary keyed archives as Core
/// Data stores them, of the types below. A type that JSON does not have is an object with one key:
///
/// | Foundation | JSON |
/// | --- | --- |
/// | NSString, NSNumber, NSNull | text, number or Boolean, null |
/// | NSArray, NSDictionary with texts as keys | array, object |
/// | NSSet | `{"$set":[…]}` |
/// | NSData | `{"$data":"base64"}` |
/// | NSDate | `{"$date":"2024-05-01T09:00:00Z"}` |
/// | NSURL | `{"$url":"https://…"}` |
/// | NSUUID | `{"$uuid":"…"}` |
/// | an NSDictionary whose one key begins with `$` | `{"$dictionary":{…}}` |
public struct KeyedArchiveTransformer: ValueTransformer {
    /// Its names in models.
    public static let names = [
        "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer",
        "NSKeyedUnarchiveFromData", "NSKeyedUnarchiveFromDataTransformer",
    ]

    /// A transformer.
    public init() {}

    /// The keys of the types that JSON does not have.
    public var tags: [String] { ["$set", "$data", "$date", "$url", "$uuid"] }

    /// The archive of a JSON value.
    /// - Throws: `TransformationError` for a value that has no archive.
    public func stored(_ json: [UInt8]) throws(TransformationError) -> [UInt8] {
        let document: JSONDocument
        do { document = try JSONDocument(json) } catch {
            throw TransformationError("is not JSON")
        }
        let (archive, hasSets) = try Self.archive(document.root)
        guard hasSets else { return archive }
        // Equal sets must have equal archives. Reading sorts the elements and removes duplicates.
        let ordered: JSONDocument
        do { ordered = try JSONDocument(value(archive)) } catch let error as TransformationError {
            throw error
        } catch {
            throw TransformationError("is not JSON")
        }
        return try Self.archive(ordered.root).archive
    }

    private static func archive(
        _ node: JSONNode
    ) throws(TransformationError) -> (archive: [UInt8], hasSets: Bool) {
        var archiver = KeyedArchiver()
        let root = try archiver.add(node)
        return (archiver.bytes(root: root), archiver.hasSets)
    }

    /// The JSON of an archive.
    /// - Throws: `TransformationError` for bytes that are not an archive of these types.
    public func value(_ stored: [UInt8]) throws(TransformationError) -> [UInt8] {
        let archive: KeyedArchive
        do { archive = try KeyedArchive(stored) } catch .malformed {
            throw TransformationError("is not a binary keyed archive")
        } catch {
            throw TransformationError("is a property list, but not a keyed archive")
        }
        var unarchiver = KeyedUnarchiver(archive)
        var writer = ByteWriter()
        try unarchiver.root().write(to: &writer)
        return writer.take()
    }
}
