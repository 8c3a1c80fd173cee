// Values that JSON has no type for, as text: UUIDs, dates, binary data. JSON as it is.

internal import Glibc

extension ByteWriter {
    /// Appends valid JSON on one line, as rows of NDJSON and events need it. Its line ends are
    /// between tokens, because strings have escapes for them, and become spaces.
    package mutating func json(onOneLine text: [UInt8]) {
        let hasLineEnds = text.withUnsafeBytes { all in
            guard let start = all.baseAddress else { return false }
            return memchr(start, 0x0A, all.count) != nil || memchr(start, 0x0D, all.count) != nil
        }
        guard hasLineEnds else { return raw(text) }
        bytes.append(
            contentsOf: text.lazy.map { $0 == 0x0A || $0 == 0x0D ? UInt8(ascii: " ") : $0 })
    }

    /// The sixteen bytes of a UUID, laid out as Foundation's `uuid_t`.
    public typealias UUIDBytes = (
        UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8,
        UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
    )

    /// Appends a UUID in upper case (RFC 9562), by default in quotes.
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

    /// Appends an instant as ISO 8601 in UTC, by default in quotes. It has as many fraction digits
    /// (0, 3, 6, 9 or more) as read back to the same Double.
    ///
    /// Years before 0 and after 9999 are written expanded (`+012345`). NaN, the infinities and
    /// instants beyond ``ISO8601/secondsLimit`` become `null`.
    /// - Parameters:
    ///   - seconds: seconds since 2001-01-01T00:00:00Z.
    ///   - quoted: whether the instant is in quotes; `null` never is.
    public mutating func date(secondsSince2001 seconds: Double, quoted: Bool = true) {
        guard abs(seconds) < ISO8601.secondsLimit else { return null() }
        if quoted { bytes.append(UInt8(ascii: "\"")) }
        ISO8601.append(seconds, to: &self)
        if quoted { bytes.append(UInt8(ascii: "\"")) }
    }

    /// Appends binary data as base64 (RFC 4648, section 4) with padding, by default in quotes.
    public mutating func base64(_ data: [UInt8], quoted: Bool = true) {
        data.withUnsafeBufferPointer { base64($0, quoted: quoted) }
    }

    /// Appends binary data as base64, as above.
    public mutating func base64(_ data: UnsafeBufferPointer<UInt8>, quoted: Bool = true) {
        let needed = bytes.count + (data.count + 2) / 3 * 4 + 2
        if needed > bytes.capacity {
            // At least doubled: exact reservations in a row would copy the buffer each time.
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

    /// Appends up to 768 bytes by way of the stack. Only the last block may have a length that is
    /// not a multiple of three.
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
