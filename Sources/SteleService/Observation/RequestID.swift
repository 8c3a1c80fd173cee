/// The names by which a request is found in logs.

import SteleHTTP
import SteleSystem

/// The id of a request: the client's, where it sends a usable one, else a new one.
enum RequestID {
    static let field = "X-Request-Id"
    private static let longest = 128
    private static let prefix = UInt32.random(in: .min ... .max)
    private static let last = Atomic<UInt64>(0)

    /// The client's id: up to 128 visible ASCII characters. Nil for another, which could hide lines
    /// of a log.
    static func given(by request: Request) -> String? {
        guard let id = request.headers[field], (1...longest).contains(id.utf8.count),
            id.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return id
    }

    /// An id that no other request of this process has.
    static func next() -> String {
        let number = last.add(1, ordering: .relaxed).newValue
        return String(prefix, radix: 16) + "-" + String(number)
    }
}

/// The Trace Context of the W3C.
enum TraceContext {
    /// The header `traceparent`, where it has the form of version 00: `00-TRACE-PARENT-FLAGS` in
    /// lower-case hexadecimal digits. Others are ignored, as the recommendation asks.
    static func parent(of request: Request) -> String? {
        guard let text = request.headers["traceparent"], text.utf8.count == 55 else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [2, 32, 16, 2], parts[0].elementsEqual("00".utf8),
            parts.allSatisfy({ $0.allSatisfy(isDigit) }),
            parts[1...2].allSatisfy({ $0.contains { $0 != UInt8(ascii: "0") } })
        else { return nil }
        return text
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
}
