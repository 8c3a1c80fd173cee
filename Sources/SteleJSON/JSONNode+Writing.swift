// A node written back: compact, members in their order, every number with its own digits.

extension JSONNode {
    /// Appends this value as compact JSON: no spaces, members in the order written, reals with
    /// the shortest digits that read back the same, long numbers with the digits they came with.
    public func write(to writer: inout ByteWriter) {
        switch kind {
        case .null: writer.null()
        case .bool: writer.bool(bool ?? false)
        case .string: withStringBytes { writer.string(utf8: $0) }
        case .integer: writer.integer(integer ?? 0)
        case .real:
            if let digits = longNumberText {
                writer.write(digits)
            } else {
                writer.double(real ?? 0)
            }
        case .array:
            writer.byte(UInt8(ascii: "["))
            var isFirst = true
            forEachElement { element in
                if !isFirst { writer.byte(UInt8(ascii: ",")) }
                isFirst = false
                element.write(to: &writer)
            }
            writer.byte(UInt8(ascii: "]"))
        case .object:
            writer.byte(UInt8(ascii: "{"))
            var isFirst = true
            forEachMemberBytes { name, value in
                if !isFirst { writer.byte(UInt8(ascii: ",")) }
                isFirst = false
                writer.string(utf8: name)
                writer.byte(UInt8(ascii: ":"))
                value.write(to: &writer)
            }
            writer.byte(UInt8(ascii: "}"))
        }
    }
}
