internal import CJansson

/// A parsed JSON text: owns jansson's tree and keeps it alive for its nodes.
///
/// `@unchecked Sendable`: nothing changes once it is read, and jansson's readers change nothing.
public final class JSONDocument: @unchecked Sendable {
    /// How many arrays and objects may stand inside one another.
    public static let depthLimit = 64

    let tree: UnsafeMutablePointer<json_t>
    /// Where the numbers of more than 15 significant digits stand in `source`; mostly empty.
    let longNumbers: [UnsafeMutablePointer<json_t>: Range<Int>]
    /// The text itself, kept only for the digits of long numbers.
    let source: [UInt8]

    /// Reads a JSON text (RFC 8259) in UTF-8; a scalar alone is a text, too.
    ///
    /// - Throws: `JSONError` for what is not JSON, and for what Stele refuses of it: duplicate
    ///   keys, U+0000, integers beyond 64 bits, reals beyond a Double, nesting beyond
    ///   ``depthLimit``.
    public init(_ bytes: [UInt8]) throws(JSONError) {
        let scan = try TextScan(bytes)
        var failure = json_error_t()
        let parsed = bytes.withUnsafeBytes { buffer in
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

    /// Reads a JSON text.
    ///
    /// - Throws: `JSONError`, as for bytes.
    public convenience init(_ text: String) throws(JSONError) {
        try self.init(Array(text.utf8))
    }

    deinit {
        json_decref(tree)
    }

    /// The value that the whole text is.
    public var root: JSONNode {
        JSONNode(self, tree)
    }

    private static let flags = Int(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY)
}
