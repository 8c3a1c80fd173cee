/// NSKeyedArchiver's archives of Foundation's own types, and JSON.

import SteleJSON
import SteleModel

/// The transformer of `NSSecureUnarchiveFromData` and its kin: binary keyed archives as Core Data
/// stores them, of the types below. What has no form in JSON is an object with one key:
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
    /// The names by which models call for it.
    public static let names = [
        "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer",
        "NSKeyedUnarchiveFromData", "NSKeyedUnarchiveFromDataTransformer",
    ]

    public init() {}

    public func stored(_ json: [UInt8]) throws(TransformationError) -> [UInt8] {
        let document: JSONDocument
        do { document = try JSONDocument(json) } catch {
            throw TransformationError("is no JSON")
        }
        let (archive, hasSets) = try Self.archive(document.root)
        guard hasSets else { return archive }
        // A set has no order, and one set has one archive: what is read of it has its elements
        // sorted and each once.
        let ordered: JSONDocument
        do { ordered = try JSONDocument(value(archive)) } catch let error as TransformationError {
            throw error
        } catch {
            throw TransformationError("is no JSON")
        }
        return try Self.archive(ordered.root).archive
    }

    private static func archive(
        _ node: JSONNode
    ) throws(TransformationError) -> (archive: [UInt8], hasSets: Bool) {
        var archiver = KeyedArchiver()
        let root = try archiver.add(node)
        return (archiver.archive(root: root), archiver.hasSets)
    }

    public func value(_ stored: [UInt8]) throws(TransformationError) -> [UInt8] {
        let list: PropertyList
        do { list = try BinaryPropertyListReader.read(stored) } catch {
            throw TransformationError("is no binary keyed archive")
        }
        guard list["$archiver"]?.string == "NSKeyedArchiver",
            let objects = list["$objects"]?.array, let root = list["$top"]?["root"]?.uid
        else { throw TransformationError("is a property list, but no keyed archive") }
        var unarchiver = KeyedUnarchiver(objects, size: stored.count)
        var writer = ByteWriter()
        try unarchiver.value(root).write(to: &writer)
        return writer.take()
    }
}
