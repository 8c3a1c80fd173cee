// Reading and checking the head of a request.

import CMicroHTTPD
import Glibc

/// The arguments of a call of the access handler that Stele uses.
struct HandlerCall {
    let url: UnsafePointer<CChar>
    let method: UnsafePointer<CChar>
    let version: UnsafePointer<CChar>
    let data: UnsafePointer<CChar>?
    let size: UnsafeMutablePointer<Int>
}

struct RequestHead {
    private(set) var method = ""
    private(set) var path = ""
    private(set) var query: String?
    private(set) var headers = HTTPHeaders()
    private(set) var contentLength: Int?
    private var fault: String?
    private var transferCoding: String?
    private var contentLengths = 0
    private var hosts = 0
    /// The host of a target in absolute form, which counts in place of `Host`.
    private var authority: [UInt8]?
    private(set) var isHTTP11 = true
    private var targetLength = 0
    /// About how many bytes of libmicrohttpd's buffer the head takes: its text, a record of each
    /// field and each cookie, and a second copy of the cookies' text.
    private(set) var memory = 0
    /// Bytes of such a record.
    private static let recordBytes = 64

    /// Reads the raw target, before libmicrohttpd changes it.
    init(target: UnsafePointer<CChar>) {
        targetLength = strlen(target)
        target.withMemoryRebound(to: UInt8.self, capacity: targetLength) { start in
            read(target: UnsafeBufferPointer(start: start, count: targetLength))
        }
    }

    private mutating func read(target: UnsafeBufferPointer<UInt8>) {
        let mark = target.firstIndex(of: UInt8(ascii: "?"))
        let before = takeAuthority(target[..<(mark ?? target.endIndex)])
        guard let path = String(validating: before, as: UTF8.self) else {
            fault = "The request target is not UTF-8; percent-encode it."
            self.path = String(decoding: before, as: UTF8.self)
            return
        }
        // An absolute target without a path has the path `/` (RFC 9110, 4.2.3).
        self.path = path.isEmpty && authority != nil ? "/" : path
        guard let mark else { return }
        guard let query = String(validating: target[(mark + 1)...], as: UTF8.self) else {
            fault = "The query of the request target is not UTF-8; percent-encode it."
            return
        }
        self.query = query
    }

    mutating func forgetHeaders() { headers = HTTPHeaders() }

    /// Takes the host off a target in absolute form, `http://host/path`, which must be accepted too
    /// (RFC 9112, 3.2.2). One of https may come without TLS, from a proxy that has ended it.
    private mutating func takeAuthority(
        _ target: Slice<UnsafeBufferPointer<UInt8>>
    ) -> Slice<UnsafeBufferPointer<UInt8>> {
        guard let first = target.first, first != UInt8(ascii: "/") else { return target }
        let scheme = ["http://", "https://"].first {
            equalIgnoringCase(target.prefix($0.utf8.count), $0.utf8)
        }
        guard let scheme else { return target }
        let rest = target.dropFirst(scheme.utf8.count)
        let authority = Array(rest.prefix { $0 != UInt8(ascii: "/") })
        self.authority = authority
        // RFC 9110, 4.2.1 and 4.2.4.
        if authority.isEmpty || authority.first == UInt8(ascii: ":") {
            fault = "The request target has no host after \(scheme)"
        } else if authority.contains(UInt8(ascii: "@")) {
            fault = "The request target has a user before its host; send only the host."
        }
        return rest.dropFirst(authority.count)
    }

    /// Reads what the first call of the access handler has.
    mutating func read(_ call: HandlerCall, on connection: Connection) {
        method = String(cString: call.method)
        isHTTP11 = strcmp(call.version, "HTTP/1.1") == 0
        noticeHiddenTail(call)
        memory = connection.headBytes
        headers.packed.reserveCapacity(512)
        withUnsafeMutablePointer(to: &self) { head in
            _ = MHD_get_connection_values_n(connection.pointer, .HEADER_KIND, takeHeader, head)
        }
        if hosts == 0 { appendHost() }
    }

    /// libmicrohttpd passes the target as a C string, which ends at a NUL in it. The version stands
    /// in the same buffer, one space after the target.
    private mutating func noticeHiddenTail(_ call: HandlerCall) {
        if call.version - call.url != targetLength + 1 {
            fault = "The request target contains a NUL, or no space follows it."
        } else if path.utf8.contains(0x20) || query?.utf8.contains(0x20) ?? false {
            fault = "The request target contains a space; percent-encode it as %20."
        }
    }

    private static let host: StaticString = "host"
    private static let cookie: StaticString = "cookie"
    private static let length: StaticString = "content-length"
    private static let coding: StaticString = "transfer-encoding"

    fileprivate mutating func take(
        name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>
    ) {
        let bytes = UnsafeRawBufferPointer(name)
        let isHost = name.count == 4 && Self.host.isName(bytes)
        if !isHost || authority == nil { headers.append(name: name, value: value) }
        check(name: name)
        memory += Self.recordBytes
        switch name.count {
        case 4 where isHost:
            hosts += 1
            if hosts == 1 { appendHost() }
        case 6 where Self.cookie.isName(bytes):
            let ends = value.reduce(1) {
                $1 == UInt8(ascii: ";") || $1 == UInt8(ascii: ",") ? $0 + 1 : $0
            }
            memory += value.count + ends * Self.recordBytes
        case 14 where Self.length.isName(bytes):
            contentLengths += 1
            contentLength = Int(String(decoding: value, as: UTF8.self))
            if contentLengths > 1 { fault = "There is more than one Content-Length." }
        case 17 where Self.coding.isName(bytes):
            let coding = String(decoding: value, as: UTF8.self)
            transferCoding = transferCoding.map { $0 + ", " + coding } ?? coding
        default: break
        }
    }

    /// Gives the request the host of its target as `Host` (RFC 9112, 3.2.2).
    private mutating func appendHost() {
        guard let authority else { return }
        Self.host.withUTF8Buffer { name in
            authority.withUnsafeBufferPointer { headers.append(name: name, value: $0) }
        }
    }

    /// A proxy may read such a field otherwise, and with it where the body ends (RFC 9112, 5.1).
    private mutating func check(name: UnsafeBufferPointer<UInt8>) {
        guard name.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { return }
        fault = "The name of a header field contains a space or a control character."
    }

    /// Whether the client sends a body without waiting for `100 Continue`.
    var isFollowedByBody: Bool {
        guard transferCoding != nil || contentLengths > 0 && contentLength != 0 else {
            return false
        }
        return headers["Expect"].map { !equalIgnoringCase($0.utf8, "100-continue".utf8) } ?? true
    }

    /// Whether most of the head is the target.
    var isMostlyTarget: Bool { targetLength > memory / 2 }

    /// The reason to refuse the request before its body is read, or nil.
    func refusal(for request: @autoclosure () -> Request, limit: Int) -> Refusal? {
        if let fault { return .malformed(request(), reason: fault) }
        if hosts > 1 || (hosts == 0 && isHTTP11) {
            let reason = "An HTTP/1.1 request has one Host header; this one has \(hosts)."
            return .malformed(request(), reason: reason)
        }
        if let transferCoding {
            // Two lengths of one body allow request smuggling (RFC 9112, 6.3).
            if contentLengths > 0 {
                let reason = "A request must not have both Content-Length and Transfer-Encoding."
                return .malformed(request(), reason: reason)
            }
            guard equalIgnoringCase(transferCoding.utf8, "chunked".utf8) else {
                return .unknownTransferCoding(request(), name: transferCoding)
            }
        }
        if let contentLength, contentLength > limit {
            return .bodyTooLarge(request(), limit: limit)
        }
        return nil
    }
}

private func takeHeader(
    _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
    _ nameSize: Int, _ value: UnsafePointer<CChar>?, _ valueSize: Int
) -> MHD_Result {
    guard let context, let name else { return .YES }
    let head = context.assumingMemoryBound(to: RequestHead.self)
    head.pointee.take(
        name: UnsafeBufferPointer(
            start: UnsafeRawPointer(name).assumingMemoryBound(to: UInt8.self), count: nameSize),
        value: UnsafeBufferPointer(
            start: value.map { UnsafeRawPointer($0).assumingMemoryBound(to: UInt8.self) },
            count: value == nil ? 0 : valueSize))
    return .YES
}
