internal import CJansson

/// A parsed JSON text. It owns jansson's tree; nodes keep it alive.
///
/// `@unchecked Sendable`: the tree does not change after it is read.
public final class JSONDocument: @unchecked Sendable {
    /// The maximum nesting of arrays and objects: of a value, and of what it is given in.
    public static let depthLimit = 128
    /// The maximum nesting of arrays and objects in the value of an attribute.
    public static let valueDepthLimit = 64

    let tree: UnsafeMutablePointer<json_t>
    /// The numbers with more than 15 significant digits, and integers beyond 64 bits; mostly empty.
    let longNumbers: [UnsafeMutablePointer<json_t>: TextScan.LongNumber]
    /// The text, kept only for the digits of long numbers.
    let source: [UInt8]

    /// Parses a JSON text (RFC 8259) in UTF-8; a scalar alone is a text.
    ///
    /// - Throws: `JSONError` for text that is not JSON, and for what Stele refuses: duplicate keys,
    ///   U+0000, numbers beyond a Double, nesting beyond `depth`.
    public init(_ bytes: [UInt8], depth: Int = JSONDocument.depthLimit) throws(JSONError) {
        let scan = try TextScan(bytes, depth: depth)
        var failure = json_error_t()
        let parsed = scan.readable(bytes).withUnsafeBytes { buffer in
            json_loadb(
                buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count,
                Self.flags, &failure)
        }
        guard let parsed else { throw JSONError(failure, in: bytes) }
        tree = parsed
        if scan.longNumbers.isEmpty {
            source = []
            longNumbers = [:]
        } else {
            source = bytes
            var marker = LongNumberMarker(scan.longNumbers)
            marker.visit(parsed)
            longNumbers = marker.found
        }
    }

    /// Parses a JSON text.
    ///
    /// - Throws: `JSONError`, as for bytes.
    public convenience init(_ text: String) throws(JSONError) {
        try self.init(Array(text.utf8))
    }

    deinit { json_decref(tree) }

    /// How deep arrays and objects nest in a JSON text.
    public static func depth(of bytes: [UInt8]) -> Int {
        let span = bytes.span
        var (at, depth, deepest) = (0, 0, 0)
        while at < span.count {
            switch span[at] {
            case UInt8(ascii: "\""):
                at = TextScan.endOfString(span, from: at)
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                deepest = max(deepest, depth)
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            at += 1
        }
        return deepest
    }

    /// About how many values a JSON text has, before it is parsed: a parsed text takes up to eighty
    /// times its own memory. An array or object counts as ten, and takes as much.
    public static func weight(of bytes: [UInt8]) -> Int {
        let span = bytes.span
        var (at, weight) = (0, 0)
        while at < span.count {
            switch span[at] {
            case UInt8(ascii: "\""):
                at = TextScan.endOfString(span, from: at)
                continue
            case UInt8(ascii: ","): weight += 1
            case UInt8(ascii: "["), UInt8(ascii: "{"): weight += 10
            default: break
            }
            at += 1
        }
        return weight
    }

    /// The top-level value.
    public var root: JSONNode { JSONNode(document: self, pointer: tree) }

    private static let flags = Int(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY)
}
