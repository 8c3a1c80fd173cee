/// JSON pointers (RFC 6901), read and written by bytes: a `/` before a combining mark is one, too.
package enum JSONPointer {
    /// The pointer of steps.
    package static func text(of steps: some Sequence<String>) -> String {
        var bytes: [UInt8] = []
        for step in steps {
            bytes.append(UInt8(ascii: "/"))
            for byte in step.utf8 {
                switch byte {
                case UInt8(ascii: "~"): bytes += "~0".utf8
                case UInt8(ascii: "/"): bytes += "~1".utf8
                default: bytes.append(byte)
                }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The steps of a pointer; at least one. Nil for other texts, and for the pointer of the whole.
    package static func steps(of pointer: String) -> [String]? {
        let parts = pointer.utf8.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count > 1, parts[0].isEmpty else { return nil }
        return parts.dropFirst().map(unescaped)
    }

    private static func unescaped(_ step: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(step.count)
        var isAfterTilde = false
        for byte in step {
            switch byte {
            case UInt8(ascii: "0") where isAfterTilde: break
            case UInt8(ascii: "1") where isAfterTilde: bytes[bytes.count - 1] = UInt8(ascii: "/")
            default: bytes.append(byte)
            }
            isAfterTilde = byte == UInt8(ascii: "~")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
