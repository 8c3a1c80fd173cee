internal import SteleJSON

/// Writes XML text with Xcode's indentation. Closures keep the elements balanced.
struct MarkupWriter {
    private(set) var text = ByteWriter(capacity: 4096)
    private var depth = 0

    init() { self.init("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n") }

    /// Begins with the XML declaration and what follows it, up to the root.
    init(_ beginning: String) { text.write(beginning) }

    /// Writes an element with its attributes and with what `content` writes inside it. If that is
    /// nothing, it is an empty-element tag.
    mutating func element(
        _ name: StaticString, _ attributes: MarkupAttributes = MarkupAttributes(),
        content: (inout MarkupWriter) -> Void = { _ in }
    ) {
        open(name, attributes)
        let start = text.count
        content(&self)
        guard text.count == start else { return close(name) }
        text.bytes.removeLast(2)
        text.raw("/>\n")
        depth -= 1
    }

    /// Writes an element with text inside, on one line. Without text it still has an end tag.
    mutating func element(
        _ name: StaticString, _ attributes: MarkupAttributes = MarkupAttributes(), text: String
    ) {
        startTag(name, attributes)
        escaped(text, isAttribute: false)
        self.text.raw("</")
        self.text.raw(name)
        self.text.raw(">\n")
    }

    /// Writes elements that only the editor reads.
    /// - Parameter inText: whether they are beside text, which spaces between them would change.
    mutating func toolElements(_ elements: [ToolElement], inText: Bool = false) {
        for element in elements {
            var own = MarkupAttributes()
            own.add(element.attributes)
            if !inText { indent() }
            text.byte(UInt8(ascii: "<"))
            text.write(element.name)
            write(own)
            let isInText = inText || !element.text.isEmpty
            if element.text.isEmpty, element.elements.isEmpty {
                text.raw("/>")
            } else {
                text.byte(UInt8(ascii: ">"))
                escaped(element.text, isAttribute: false)
                if !isInText { text.byte(UInt8(ascii: "\n")) }
                depth += 1
                toolElements(element.elements, inText: isInText)
                depth -= 1
                if !isInText { indent() }
                text.raw("</")
                text.write(element.name)
                text.byte(UInt8(ascii: ">"))
            }
            if !inText { text.byte(UInt8(ascii: "\n")) }
        }
    }

    /// Writes a start tag. What is written up to `close` is inside the element.
    mutating func open(
        _ name: StaticString, _ attributes: MarkupAttributes = MarkupAttributes()
    ) {
        startTag(name, attributes)
        text.byte(UInt8(ascii: "\n"))
        depth += 1
    }

    /// Writes the end tag of the innermost element.
    mutating func close(_ name: StaticString) {
        depth -= 1
        indent()
        text.raw("</")
        text.raw(name)
        text.raw(">\n")
    }

    /// Returns what has been written since the last call.
    mutating func take() -> [UInt8] { text.take() }

    /// The text without a final line break, as Xcode writes it.
    mutating func finish() -> [UInt8] {
        var bytes = text.take()
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return bytes
    }

    private mutating func startTag(_ name: StaticString, _ attributes: MarkupAttributes) {
        indent()
        text.byte(UInt8(ascii: "<"))
        text.raw(name)
        write(attributes)
        text.byte(UInt8(ascii: ">"))
    }

    private mutating func write(_ attributes: MarkupAttributes) {
        for (key, value) in attributes.pairs {
            text.byte(UInt8(ascii: " "))
            text.write(key)
            text.raw("=\"")
            escaped(value, isAttribute: true)
            text.byte(UInt8(ascii: "\""))
        }
    }

    /// Whether an XML text can hold a character. There is no escape for the others.
    static func canHold(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D: true
        case ..<0x20, 0xFFFE, 0xFFFF: false
        default: true
        }
    }

    private mutating func indent() {
        for _ in 0..<depth { text.raw("    ") }
    }

    private mutating func escaped(_ value: String, isAttribute: Bool) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "&"): text.raw("&amp;")
            case UInt8(ascii: "<"): text.raw("&lt;")
            case UInt8(ascii: ">"): text.raw("&gt;")
            // A parser would convert it to a line feed.
            case UInt8(ascii: "\r"): text.raw("&#13;")
            case UInt8(ascii: "\"") where isAttribute: text.raw("&quot;")
            // A parser would convert them to spaces.
            case UInt8(ascii: "\n") where isAttribute: text.raw("&#10;")
            case UInt8(ascii: "\t") where isAttribute: text.raw("&#9;")
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

    /// Adds entries, except those whose name is there already.
    mutating func add(_ entries: [UserInfoEntry]) {
        for entry in entries where !pairs.contains(where: { $0.0 == entry.key }) {
            pairs.append((entry.key, entry.value))
        }
    }

    /// Adds YES; false is omitted.
    mutating func add(_ name: String, _ value: Bool) {
        if value { pairs.append((name, "YES")) }
    }

    /// Adds YES or NO. The usual value is omitted, unless the file that was read has the attribute.
    mutating func add(
        _ name: String, _ value: Bool, isUsually usual: Bool, read entries: [UserInfoEntry]
    ) {
        let read = entries.first { $0.key == name }?.value
        guard value != usual || read != nil else { return }
        let text = read.flatMap { ValueText.bool($0) == value ? $0 : nil }
        add(name, text ?? (value ? "YES" : "NO"))
    }

    /// Adds a count; 0 is omitted.
    mutating func add(_ name: String, _ value: Int) {
        if value != 0 { pairs.append((name, String(value))) }
    }
}

extension String {
    /// Whether a model file can have the text: XML has no escape for most control characters.
    package var isInXML: Bool { unicodeScalars.allSatisfy(MarkupWriter.canHold) }
}
