// Errors of starting a server.

/// The reason why a server could not start.
public enum HTTPServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Another program listens on the port.
    case portInUse(host: String, port: Int)
    /// The system refuses to listen on the address.
    case address(host: String, port: Int, reason: String)
    /// A setting is out of its range, or a file that it names cannot be used.
    case setting(name: String, reason: String)
    /// A certificate or its key cannot be used.
    case certificate(reason: String)
    /// libmicrohttpd did not start.
    case daemon(reason: String)

    /// A sentence that names the address or the setting.
    public var description: String {
        switch self {
        case .portInUse(let host, let port):
            "port \(port) of \(host) is in use by another program; choose another port, "
                + "or 0 for any free one"
        case .address(let host, let port, let reason):
            "cannot listen on \(host) port \(port): \(reason)"
        case .setting(let name, let reason): "\(name): \(reason)"
        case .certificate(let reason): reason
        case .daemon(let reason): "libmicrohttpd did not start: \(reason)"
        }
    }
}
