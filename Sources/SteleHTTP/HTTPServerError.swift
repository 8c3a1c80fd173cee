// Why a server could not start.

/// Why a server could not start, in a sentence that names the address.
public enum HTTPServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Another program listens there.
    case portInUse(host: String, port: Int)
    /// The address cannot be listened on, for the reason given.
    case address(host: String, port: Int, reason: String)
    /// A setting is out of its range.
    case setting(name: String, reason: String)
    /// libmicrohttpd did not start.
    case daemon(reason: String)

    public var description: String {
        switch self {
        case .portInUse(let host, let port):
            "port \(port) of \(host) is in use by another program; choose another port, "
                + "or 0 for any free one"
        case .address(let host, let port, let reason):
            "cannot listen on \(host) port \(port): \(reason)"
        case .setting(let name, let reason): "\(name): \(reason)"
        case .daemon(let reason): "libmicrohttpd did not start: \(reason)"
        }
    }
}
