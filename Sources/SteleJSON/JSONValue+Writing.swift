// A tree as text: compact, or indented by two spaces for people.

extension JSONValue {
    /// Appends this value as compact JSON.
    public func write(to writer: inout ByteWriter) { write(to: &writer, indent: nil) }

    /// This value as compact JSON.
    public var compact: String {
        var writer = ByteWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// This value indented by two spaces a level, without a line break at the end.
    public var pretty: String {
        var writer = ByteWriter()
        write(to: &writer, indent: 0)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func write(to writer: inout ByteWriter, indent: Int?) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .integer(let value): writer.integer(value)
        case .real(let value): writer.double(value)
        case .string(let value): writer.string(value)
        case .raw(let value): writer.raw(value)
        case .array(let elements):
            writer.byte(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                Self.separate(&writer, isFirst: index == 0, indent: indent)
                element.write(to: &writer, indent: indent.map { $0 + 1 })
            }
            if let indent, !elements.isEmpty { Self.newLine(&writer, indent) }
            writer.byte(UInt8(ascii: "]"))
        case .object(let members):
            writer.byte(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                Self.separate(&writer, isFirst: index == 0, indent: indent)
                writer.key(member.0)
                if indent != nil { writer.byte(UInt8(ascii: " ")) }
                member.1.write(to: &writer, indent: indent.map { $0 + 1 })
            }
            if let indent, !members.isEmpty { Self.newLine(&writer, indent) }
            writer.byte(UInt8(ascii: "}"))
        }
    }

    private static func separate(_ writer: inout ByteWriter, isFirst: Bool, indent: Int?) {
        if !isFirst { writer.byte(UInt8(ascii: ",")) }
        if let indent { newLine(&writer, indent + 1) }
    }

    private static func newLine(_ writer: inout ByteWriter, _ indent: Int) {
        writer.byte(UInt8(ascii: "\n"))
        for _ in 0..<indent { writer.raw("  ") }
    }
}
