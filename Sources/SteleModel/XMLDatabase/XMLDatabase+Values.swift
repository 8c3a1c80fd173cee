/// The values of attributes in Core Data's XML form.

internal import SteleJSON

extension XMLDatabase.Attribute {
    /// Creates an attribute with a value of the model; nil for null, which the file leaves out, and
    /// for a value that is not an attribute's or is in a file beside the store.
    package init?(name: String, _ value: Value, _ type: AttributeType) {
        let text: String
        switch value {
        case .null, .key, .external: return nil
        case .bool(let it): text = it ? "1" : "0"
        case .decimal(let it): text = DecimalText.text(it)
        // With all digits: ValueText shortens whole seconds, which Core Data does not.
        case .date(let it): text = it.description
        case .string(let it): text = Self.escaped(it)
        case .data(let it):
            var writer = ByteWriter()
            writer.base64(it, quoted: false)
            text = String(decoding: writer.take(), as: UTF8.self)
        case .int, .double, .uuid: text = ValueText.text(value, type) ?? ""
        }
        self.init(name: name, type: Self.typeName(type), text: text)
    }

    /// The value as that of an attribute of the model; nil if the text is not one.
    package func value(as type: AttributeType) -> Value? {
        switch type {
        case .date: ValueText.double(text).map { .date($0) }
        case .decimal: DecimalText.parse(stored: Array(text.utf8)).map { .decimal($0) }
        case .binary, .transformable:
            Base64.decode(spaced: text).map { .data($0) }
        case .string, .uri: .string(string)
        case .undefined, .objectID, .composite: nil
        default: ValueText.value(text, type)
        }
    }

    /// The name of a type in the file. Those of UUID, URI and Transformable are of Stele: reading
    /// goes by the model's type.
    package static func typeName(_ type: AttributeType) -> String {
        switch type {
        case .integer16: "int16"
        case .integer32: "int32"
        case .integer64: "int64"
        case .boolean: "bool"
        case .uuid: "UUID"
        case .uri: "URI"
        case .binary, .transformable: "binary"
        default: type.name.lowercased()
        }
    }

    /// The text without Core Data's escapes: `\\` is a backslash, and `\u3c00` is the UTF-16 unit
    /// 003C, with its low byte first.
    package var string: String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
        let units = Array(text.utf16)
        var read: [UInt16] = []
        read.reserveCapacity(units.count)
        var at = 0
        while at < units.count {
            if units[at] == Self.backslash, at + 1 < units.count {
                if units[at + 1] == Self.backslash {
                    read.append(Self.backslash)
                    at += 2
                    continue
                }
                if let unit = Self.unit(units[at...].prefix(6)) {
                    read.append(unit)
                    at += 6
                    continue
                }
            }
            read.append(units[at])
            at += 1
        }
        return String(decoding: read, as: UTF16.self)
    }

    private static let backslash: UInt16 = 0x5C

    /// The unit that `\uXXXX` stands for; nil for other texts.
    private static func unit(_ escape: ArraySlice<UInt16>) -> UInt16? {
        guard escape.count == 6, escape[escape.startIndex + 1] == 0x75 else { return nil }
        let digits = String(decoding: escape.dropFirst(2), as: UTF16.self)
        guard digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") })
        else { return nil }
        return UInt16(digits, radix: 16)?.byteSwapped
    }

    /// A text with Core Data's escapes, for characters that XML reserves or cannot hold.
    private static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: needsEscape) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            if scalar == "\\" {
                escaped += "\\\\"
            } else if needsEscape(scalar) {
                let digits = String(UInt16(truncatingIfNeeded: scalar.value).byteSwapped, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "<", ">", "&", "\\": true
        default: !MarkupWriter.canHold(scalar) || scalar == "\r"
        }
    }
}
