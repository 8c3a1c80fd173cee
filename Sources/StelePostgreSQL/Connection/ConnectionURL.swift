import CPostgreSQL

/// URLs of PostgreSQL databases, as libpq reads them.
public enum ConnectionURL {
    /// Whether a store's path is the URL of a database.
    public static func isURL(_ path: String) -> Bool {
        path.hasPrefix("postgresql://") || path.hasPrefix("postgres://")
    }

    /// Returns the URL's host, port and database, for messages; `postgresql://` alone for one that
    /// libpq cannot read.
    public static func place(of url: String) -> String {
        guard let parts = parts(of: url) else { return "postgresql://" }
        let hosts = (parts["host"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        let ports = (parts["port"] ?? "").split(separator: ",")
        let servers = hosts.enumerated().map { place, host -> String in
            // The folder of a socket is no part of a URL's path.
            if host.hasPrefix("/") { return "" }
            // One port is that of all hosts.
            let port = ports.count == 1 ? ports.first : ports.dropFirst(place).first
            return host + (port.map { ":" + $0 } ?? "")
        }
        return "postgresql://\(servers.joined(separator: ","))/\(parts["dbname"] ?? "")"
    }

    /// Returns the parameters that a URL has; nil for one that libpq cannot read.
    static func parts(of url: String) -> [String: String]? {
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(url, &message)
        defer {
            PQfreemem(message)
            PQconninfoFree(options)
        }
        guard var option = options else { return nil }
        var parts: [String: String] = [:]
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                parts[String(cString: keyword)] = String(cString: value)
            }
            option = option.successor()
        }
        return parts
    }
}
