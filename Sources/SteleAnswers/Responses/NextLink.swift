/// The link to the next page.

import SteleHTTP
import SteleJSON
import SteleRequests

/// A `Link` header's value with `rel="next"` (RFC 8288).
package enum NextLink {
    /// The address of a request with another place to begin.
    /// - Parameters:
    ///   - replaced: the parameters that say where to begin.
    ///   - place: what replaces them, such as `after=…`.
    package static func text(
        _ request: Request, replacing replaced: [Parameter], by place: String
    ) -> String {
        var address = ByteWriter(capacity: 512)
        address.byte(UInt8(ascii: "<"))
        var (path, query) = (request.path, request.query ?? "")
        path.withUTF8 { escape($0, to: &address) }
        address.byte(UInt8(ascii: "?"))
        query.withUTF8 { query in
            for part in query.split(separator: UInt8(ascii: "&")) {
                let name = UnsafeBufferPointer(
                    rebasing: part.prefix { $0 != UInt8(ascii: "=") })
                if let parameter = Parameter.named(name), replaced.contains(parameter) { continue }
                escape(UnsafeBufferPointer(rebasing: part), to: &address)
                address.byte(UInt8(ascii: "&"))
            }
        }
        address.write(place)
        address.raw(">; rel=\"next\"")
        return String(decoding: address.bytes, as: UTF8.self)
    }

    /// Appends bytes, with those escaped that a target may contain and a Link header may not.
    private static func escape(_ bytes: UnsafeBufferPointer<UInt8>, to writer: inout ByteWriter) {
        var rest = bytes[...]
        while let place = rest.firstIndex(where: { !isPlain($0) }) {
            writer.raw(UnsafeBufferPointer(rebasing: rest[..<place]))
            writer.byte(UInt8(ascii: "%"))
            writer.hex(bytes[place])
            rest = rest[(place + 1)...]
        }
        writer.raw(UnsafeBufferPointer(rebasing: rest))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x3B, 0x3D, 0x3F...0x5B, 0x5D, 0x5F, 0x61...0x7A, 0x7E: true
        default: false
        }
    }
}

extension Call {
    func link(to next: NextPage) -> String {
        let place =
            switch next {
            case .after(let cursor): "after=\(cursor.text)"
            case .offset(let offset): "offset=\(offset)"
            }
        return NextLink.text(request, replacing: [.after, .offset], by: place)
    }
}
