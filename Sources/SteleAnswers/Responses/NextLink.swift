/// The link to what comes next.

import SteleHTTP
import SteleJSON
import SteleRequests

/// A `Link` header's value with `rel="next"` (RFC 8288).
package enum NextLink {
    /// A request's own address, with another place to begin.
    /// - Parameters:
    ///   - replaced: the parameters that say where to begin.
    ///   - place: what is said in their place, such as `after=…`.
    package static func text(
        _ request: Request, replacing replaced: [Parameter], by place: String
    ) -> String {
        var address = ByteWriter(capacity: 512)
        address.byte(UInt8(ascii: "<"))
        escape(request.path.utf8, to: &address)
        address.byte(UInt8(ascii: "?"))
        for part in (request.query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            let name = part.prefix { $0 != UInt8(ascii: "=") }
            if replaced.contains(where: { name.elementsEqual($0.rawValue.utf8) }) { continue }
            escape(part, to: &address)
            address.byte(UInt8(ascii: "&"))
        }
        address.write(place)
        address.raw(">; rel=\"next\"")
        return String(decoding: address.bytes, as: UTF8.self)
    }

    /// What a client may send in a target and no Link header may hold is percent-encoded.
    private static func escape(_ text: some Sequence<UInt8>, to writer: inout ByteWriter) {
        for byte in text {
            switch byte {
            case 0x21, 0x23...0x3B, 0x3D, 0x3F...0x5B, 0x5D, 0x5F, 0x61...0x7A, 0x7E:
                writer.byte(byte)
            default:
                writer.byte(UInt8(ascii: "%"))
                writer.byte(hexDigit(byte >> 4))
                writer.byte(hexDigit(byte & 0xF))
            }
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

extension Call {
    /// The `Link` to the next page.
    package func link(to next: NextPage) -> String {
        let place =
            switch next {
            case .after(let cursor): "after=\(cursor.text)"
            case .offset(let offset): "offset=\(offset)"
            }
        return NextLink.text(request, replacing: [.after, .offset], by: place)
    }
}
