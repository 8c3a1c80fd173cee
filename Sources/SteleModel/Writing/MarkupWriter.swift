internal import SteleJSON

/// Writes XML text with Xcode's indentation. Closures keep the elements balanced.
struct MarkupWriter {
    private(set) var text = ByteWriter(capacity: 4096)
    private var depth = 0

    init() { text.raw("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n") }

    /// Writes an element with its attributes and with what `content` writes inside it. If that is
    /// nothing, it is an empty element.
    mutating func element(
        _ name: StaticString, _ attributes: MarkupAttributes = MarkupAttributes(),
        content: (inout MarkupWriter) -> Void = { _ in }
    ) {
        indent()
        text.byte(UInt8(ascii: "<"))
        text.raw(name)
        for (key, value) in attributes.pairs {
            text.byte(UInt8(ascii: " "))
            text.write(key)
            text.raw("=\"")
            escaped(value)
            text.byte(UInt8(ascii: "\""))
        }
        text.raw(">\n")
        let start = text.count
        depth += 1
        content(&self)
        depth -= 1
        if text.count == start {
            text.bytes.removeLast(2)
            return text.raw("/>\n")
        }
        indent()
        text.raw("</")
        text.raw(name)
        text.raw(">\n")
    }

    /// The text without a final line break, as Xcode writes it.
    mutating func finish() -> [UInt8] {
        var bytes = text.take()
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return bytes
    }

    private mutating func indent() {
        for _ in 0..<depth { text.raw("    ") }
    }

    private mutating func escaped(_ value: String) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "&"): text.raw("&amp;")
            case UInt8(ascii: "<"): text.raw("&lt;")
            case UInt8(ascii: ">"): text.raw("&gt;")
            case UInt8(ascii: "\""): text.raw("&quot;")
            // A parser would convert them to spaces.
            case UInt8(ascii: "\n"): text.raw("&#10;")
            case UInt8(ascii: "\r"): text.raw("&#13;")
            case UInt8(ascii: "\t"): text.raw("&#9;")
            default: text.byte(byte)
            }
        }
    }
}

/// The attributes of an element, in the order of their addition. Absent values are omitted.
struct MarkupAttributes {
    private(set) var pairs: [(String, String)]

    init(_ pairs: (String, String)...) { self.pairs = pairs }

    mutating func add(_ name: String, _ value: String?) {
        if let value { pairs.append((name, value)) }
    }

    /// Adds YES; false is omitted.
    mutating func add(_ name: String, _ value: Bool) {
        if value { pairs.append((name, "YES")) }
    }

    /// Adds a count; 0 is omitted.
    mutating func add(_ name: String, _ value: Int) {
        if value != 0 { pairs.append((name, String(value))) }
    }
}
