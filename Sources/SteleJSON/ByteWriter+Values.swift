// What JSON has no type for, as text: UUIDs, dates, binary data.

extension ByteWriter {
    /// The sixteen bytes of a UUID, as Foundation's `uuid_t` is laid out.
    public typealias UUIDBytes = (
        UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8,
        UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
    )

    /// Appends a UUID in its upper-case form (RFC 9562), in quotes unless told otherwise.
    public mutating func uuid(_ value: UUIDBytes, quoted: Bool = true) {
        if quoted { bytes.append(UInt8(ascii: "\"")) }
        withUnsafeBytes(of: value) { source in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 36) { room in
                var at = 0
                for index in 0..<16 {
                    if index == 4 || index == 6 || index == 8 || index == 10 {
                        room[at] = UInt8(ascii: "-")
                        at += 1
                    }
                    room[at] = Self.hexDigit(source[index] >> 4)
                    room[at + 1] = Self.hexDigit(source[index] & 0xF)
                    at += 2
                }
                bytes.append(contentsOf: UnsafeBufferPointer(room))
            }
        }
        if quoted { bytes.append(UInt8(ascii: "\"")) }
    }

    /// Appends the instant `seconds` after 2001-01-01T00:00:00Z as ISO 8601 in UTC, with as many
    /// fraction digits (0, 3, 6, 9 or more) as read back to the very same Double; in quotes unless
    /// told otherwise.
    ///
    /// Years before 0 and after 9999 are written expanded (`+012345`). NaN, the infinities and
    /// instants further than ``ISO8601/secondsLimit`` away become `null`.
    public mutating func date(secondsSince2001 seconds: Double, quoted: Bool = true) {
        guard abs(seconds) < ISO8601.secondsLimit else { return null() }
        if quoted { bytes.append(UInt8(ascii: "\"")) }
        ISO8601.append(seconds, to: &self)
        if quoted { bytes.append(UInt8(ascii: "\"")) }
    }

    /// Appends binary data as base64 (RFC 4648, section 4) with padding, in quotes unless told
    /// otherwise.
    public mutating func base64(_ data: [UInt8], quoted: Bool = true) {
        data.withUnsafeBufferPointer { base64($0, quoted: quoted) }
    }

    /// Appends binary data as base64, as above.
    public mutating func base64(_ data: UnsafeBufferPointer<UInt8>, quoted: Bool = true) {
        let needed = bytes.count + (data.count + 2) / 3 * 4 + 2
        if needed > bytes.capacity {
            // At least twofold: exact reservations in a row would copy the buffer each time.
            bytes.reserveCapacity(max(needed, bytes.capacity * 2))
        }
        if quoted { bytes.append(UInt8(ascii: "\"")) }
        var rest = data[...]
        while !rest.isEmpty {
            base64Block(UnsafeBufferPointer(rebasing: rest.prefix(768)))
            rest = rest.dropFirst(768)
        }
        if quoted { bytes.append(UInt8(ascii: "\"")) }
    }

    /// Up to 768 bytes, by way of the stack; only the last block may not be a multiple of three.
    private mutating func base64Block(_ block: UnsafeBufferPointer<UInt8>) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1024) { room in
            var used = 0
            var at = 0
            while at < block.count {
                let second = at + 1 < block.count ? block[at + 1] : 0
                let third = at + 2 < block.count ? block[at + 2] : 0
                let group = UInt32(block[at]) << 16 | UInt32(second) << 8 | UInt32(third)
                room[used] = Self.base64Digit(group >> 18)
                room[used + 1] = Self.base64Digit(group >> 12)
                room[used + 2] = Self.base64Digit(group >> 6)
                room[used + 3] = Self.base64Digit(group)
                used += 4
                at += 3
            }
            if at > block.count { room[used - 1] = UInt8(ascii: "=") }
            if at > block.count + 1 { room[used - 2] = UInt8(ascii: "=") }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: room[..<used]))
        }
    }

    /// The digit of the lowest six bits.
    private static func base64Digit(_ group: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: group & 63)
        return switch value {
        case 0..<26: UInt8(ascii: "A") &+ value
        case 26..<52: UInt8(ascii: "a") &+ (value &- 26)
        case 52..<62: UInt8(ascii: "0") &+ (value &- 52)
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }
}
