/// Property lists in XML, inside another document.

internal import SteleJSON

extension PropertyList {
    /// Reads the element of a value.
    ///
    /// - Throws: `MarkupError` with the line of an element that is not one of a property list.
    init(_ element: MarkupElement) throws(MarkupError) {
        switch element.name {
        case "true": self = .bool(true)
        case "false": self = .bool(false)
        case "string": self = .string(element.text)
        case "integer":
            if let number = Int64(element.text) {
                self = .integer(number)
            } else if let number = UInt64(element.text) {
                self = .unsigned(number)
            } else {
                throw Self.mistake(element)
            }
        case "real":
            guard let number = Double(element.text), !number.isNaN else {
                throw Self.mistake(element)
            }
            self = .real(number)
        case "date":
            guard let seconds = try? ISO8601.secondsSinceReferenceDate(element.text),
                ISO8601.text(secondsSinceReferenceDate: seconds) != nil
            else { throw Self.mistake(element) }
            // A property list in XML has no fractions of seconds.
            self = .date(seconds.rounded(.down))
        case "data":
            guard let bytes = Base64.decode(spaced: element.text) else {
                throw Self.mistake(element)
            }
            self = .data(bytes)
        case "array":
            var elements: [PropertyList] = []
            for child in element.children { elements.append(try PropertyList(child)) }
            self = .array(elements)
        case "dict": self = try Self.dictionary(element)
        default:
            throw MarkupError("a property list has no <\(element.name)>", in: element)
        }
    }

    private static func dictionary(_ element: MarkupElement) throws(MarkupError) -> PropertyList {
        var entries: [Entry] = []
        let children = element.children
        for place in stride(from: 0, to: children.count, by: 2) {
            guard children[place].name == "key", place + 1 < children.count else {
                throw MarkupError("a dictionary has keys, each with a value", in: children[place])
            }
            entries.append(
                Entry(key: children[place].text, value: try PropertyList(children[place + 1])))
        }
        return .dictionary(entries)
    }

    private static func mistake(_ element: MarkupElement) -> MarkupError {
        MarkupError("'\(element.text.prefix(40))' is not a value of <\(element.name)>", in: element)
    }

    /// Writes the value as an element, with the layout that Core Data's XML stores have.
    ///
    /// - Throws: `MarkupError` for a value that XML cannot hold.
    func write(to writer: inout MarkupWriter, depth: Int = 0) throws(MarkupError) {
        switch self {
        case .bool(let it): it ? writer.element("true") : writer.element("false")
        case .integer(let it): writer.element("integer", text: String(it))
        case .unsigned(let it): writer.element("integer", text: String(it))
        case .real(let it): writer.element("real", text: it.description)
        case .date(let it):
            guard let text = ISO8601.text(secondsSinceReferenceDate: it.rounded(.down)) else {
                throw MarkupError("a property list in XML cannot hold a date so far away")
            }
            writer.element("date", text: text)
        case .data(let it): writer.element("data", text: Self.lines(it, depth: depth))
        case .string(let it): writer.element("string", text: try Self.checked(it))
        case .array(let elements):
            if elements.isEmpty { return writer.element("array", text: "") }
            writer.open("array")
            for element in elements { try element.write(to: &writer, depth: depth + 1) }
            writer.close("array")
        case .dictionary(let entries):
            if entries.isEmpty { return writer.element("dict", text: "") }
            writer.open("dict")
            for entry in entries {
                writer.element("key", text: try Self.checked(entry.key))
                try entry.value.write(to: &writer, depth: depth + 1)
            }
            writer.close("dict")
        case .uid: throw MarkupError("a property list in XML has no references of archives")
        }
    }

    private static func checked(_ text: String) throws(MarkupError) -> String {
        guard let wrong = text.unicodeScalars.first(where: { !MarkupWriter.canHold($0) }) else {
            return text
        }
        throw MarkupError(
            "a property list in XML cannot hold the character U+"
                + String(wrong.value, radix: 16, uppercase: true))
    }

    /// Base64 as CoreFoundation writes it: on lines of its own that begin with as many tabs as the
    /// value is deep, each counted as 8 of a line's 76 characters.
    private static func lines(_ bytes: [UInt8], depth: Int) -> String {
        let tabs = [UInt8](repeating: UInt8(ascii: "\t"), count: min(depth, 8))
        var writer = ByteWriter()
        writer.base64(bytes, quoted: false)
        var rest = writer.take()[...]
        writer.raw("\n")
        while !rest.isEmpty {
            let line = rest.prefix(76 - 8 * tabs.count)
            rest = rest.dropFirst(line.count)
            writer.raw(tabs)
            writer.raw(Array(line))
            writer.raw("\n")
        }
        writer.raw(tabs)
        return String(decoding: writer.take(), as: UTF8.self)
    }
}

extension Base64 {
    /// Decodes a text that may have spaces and line breaks; nil as for `decode(_:)`.
    static func decode(spaced text: String) -> [UInt8]? {
        text.utf8.filter { $0 > UInt8(ascii: " ") }.withUnsafeBufferPointer { decode($0) }
    }
}
