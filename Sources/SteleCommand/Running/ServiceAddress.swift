/// The URL of a running service.

/// The parts of `[http[s]://]host[:port][/path][?query]`.
struct ServiceAddress: Equatable {
    /// Whether connections are TLS.
    let isTLS: Bool
    let host: String
    let port: Int
    /// Path and query as they go into a request; empty where the URL names none.
    let target: String

    /// Parses a URL.
    /// - Throws: `Failure` with the mistake in the URL.
    init(_ url: String) throws {
        let scheme = ["http://", "https://"].first { url.lowercased().hasPrefix($0) }
        isTLS = scheme == "https://"
        // Another scheme ends with a colon before a slash: `https:`.
        let head = url.prefix { $0 != "/" && $0 != "?" }
        guard scheme != nil || !head.hasSuffix(":") else {
            throw Failure(
                "the URL must begin with http:// or https://, such as http://127.0.0.1:8080: \(url)"
            )
        }
        let rest = url.dropFirst(scheme?.count ?? 0)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        var authority = rest[..<end]
        target = Self.encoded(rest[end...])
        let colon = authority.lastIndex(of: ":")
        if let colon, !authority[colon...].contains("]") {
            guard let number = Int(authority[authority.index(after: colon)...]),
                (1...65_535).contains(number)
            else { throw Failure("the port of the URL must be a number from 1 to 65535: \(url)") }
            port = number
            authority = authority[..<colon]
        } else {
            port = isTLS ? 443 : 80
        }
        guard !authority.isEmpty else { throw Failure("the URL has no host: \(url)") }
        host = String(authority)
    }

    /// Percent-encodes characters that a target cannot have, such as spaces and quotes. Escapes
    /// stay as they are.
    private static func encoded(_ text: Substring) -> String {
        let bytes = Array(text.utf8)
        var target: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isEscape =
                byte == UInt8(ascii: "%") && index + 2 < bytes.count
                && bytes[index + 1...index + 2].allSatisfy {
                    Character(UnicodeScalar($0)).isHexDigit
                }
            switch byte {
            case 0x21, 0x23, 0x24, 0x26...0x3B, 0x3D, 0x3F...0x5B, 0x5D, 0x5F, 0x61...0x7A, 0x7E:
                target.append(byte)
            case _ where isEscape: target.append(byte)
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                target += Array("%\(digits.count < 2 ? "0" : "")\(digits)".utf8)
            }
        }
        return String(decoding: target, as: UTF8.self)
    }
}
