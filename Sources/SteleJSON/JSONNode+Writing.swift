// Nodes written back: compact, members in their order, numbers with their own digits.

extension JSONNode {
    /// This value as compact JSON, its members sorted by the bytes of their keys.
    public var canonical: [UInt8] {
        var writer = ByteWriter()
        write(to: &writer, sortsKeys: true)
        return writer.take()
    }

    /// Appends this value as compact JSON: no spaces, members in their order, reals with the
    /// shortest digits that read back the same, long numbers with the digits they came with. Zero
    /// has no sign.
    /// - Parameters:
    ///   - writer: the writer that the text is appended to.
    ///   - sortsKeys: whether members are sorted by the bytes of their keys instead, so that values
    ///     that differ only in the order of members have the same text.
    public func write(to writer: inout ByteWriter, sortsKeys: Bool = false) {
        switch kind {
        case .null: writer.null()
        case .bool: writer.bool(bool ?? false)
        case .string: withStringBytes { writer.string(utf8: $0) }
        case .integer: writer.integer(integer ?? 0)
        case .real:
            if let digits = longNumberText {
                writer.write(digits)
            } else {
                let real = real ?? 0
                writer.double(real == 0 ? 0 : real)
            }
        case .array:
            writer.byte(UInt8(ascii: "["))
            var isFirst = true
            forEachElement { element in
                if !isFirst { writer.byte(UInt8(ascii: ",")) }
                isFirst = false
                element.write(to: &writer, sortsKeys: sortsKeys)
            }
            writer.byte(UInt8(ascii: "]"))
        case .object:
            writer.byte(UInt8(ascii: "{"))
            var isFirst = true
            func member(_ name: UnsafeBufferPointer<UInt8>, _ value: JSONNode) {
                if !isFirst { writer.byte(UInt8(ascii: ",")) }
                isFirst = false
                writer.string(utf8: name)
                writer.byte(UInt8(ascii: ":"))
                value.write(to: &writer, sortsKeys: sortsKeys)
            }
            if sortsKeys {
                var members: [(name: [UInt8], value: JSONNode)] = []
                forEachMemberBytes { members.append((Array($0), $1)) }
                members.sort { $0.name.lexicographicallyPrecedes($1.name) }
                for (name, value) in members { name.withUnsafeBufferPointer { member($0, value) } }
            } else {
                forEachMemberBytes(member)
            }
            writer.byte(UInt8(ascii: "}"))
        }
    }
}
