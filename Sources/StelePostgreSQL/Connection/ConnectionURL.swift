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

    /// Returns the search path that the URL sets (`options=-csearch_path%3DNAME`); nil where it sets
    /// none.
    public static func schema(of url: String) -> String? {
        guard let options = parts(of: url)?["options"],
            let setting = options.firstRange(of: "search_path=")
        else { return nil }
        return String(options[setting.upperBound...].prefix { $0 != " " })
    }

    /// Why a URL cannot be read. Most messages of libpq have a part of it, which may be of the
    /// password; those of a parameter have its name alone.
    static func refusal(of url: String) -> String {
        var message: UnsafeMutablePointer<CChar>?
        PQconninfoFree(PQconninfoParse(url, &message))
        defer { PQfreemem(message) }
        let text = message.map { String(cString: $0).split(separator: "\n").joined() } ?? ""
        if text.contains("URI query parameter") {
            return "\(text) (the parameters are those of libpq; = in a value is written %3D)"
        }
        return "%, /, ? and @ in a user or password are written %25, %2F, %3F and %40"
    }

    /// Returns the parameters that a URL has; nil for one that libpq cannot read, or reads in
    /// another way than is meant.
    static func parts(of url: String) -> [String: String]? {
        let options = PQconninfoParse(url, nil)
        defer { PQconninfoFree(options) }
        guard var option = options else { return nil }
        var parts: [String: String] = [:]
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                parts[String(cString: keyword)] = String(cString: value)
            }
            option = option.successor()
        }
        // A password with a plain /, ? or @ ends in the name of the database or the host.
        return ["dbname", "host"].contains { parts[$0]?.contains("@") == true } ? nil : parts
    }
}
