// The client's address as bytes. Only log lines need its text.

import Glibc

struct RemoteAddress: Sendable {
    private enum Kind: UInt8, Sendable { case none, four, six }
    private var kind = Kind.none
    private var high: UInt64 = 0
    private var low: UInt64 = 0

    init() {}

    init(_ address: UnsafePointer<sockaddr>?) {
        guard let address else { return }
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            kind = .four
            low = UInt64(raw.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        case AF_INET6:
            kind = .six
            high = raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            low = raw.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        default: break
        }
    }

    var text: String? {
        var bytes = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let length = socklen_t(bytes.count)
        let written: Bool
        switch kind {
        case .none: return nil
        case .four:
            var address = UInt32(truncatingIfNeeded: low)
            written = inet_ntop(AF_INET, &address, &bytes, length) != nil
        case .six:
            var address = (high, low)
            written = inet_ntop(AF_INET6, &address, &bytes, length) != nil
        }
        guard written else { return nil }
        return String(
            decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
