/// URLs of PostgreSQL databases, as libpq reads them.
public enum ConnectionURL {
    /// Whether a store's path is the URL of a database.
    public static func isURL(_ path: String) -> Bool {
        path.hasPrefix("postgresql://") || path.hasPrefix("postgres://")
    }

    /// Returns the URL without user, password and parameters, for messages.
    public static func place(of url: String) -> String {
        guard let start = url.firstRange(of: "://") else { return "the database" }
        let rest = url[start.upperBound...]
        let whole = rest[..<(rest.firstIndex(of: "?") ?? rest.endIndex)]
        // A password may have any character but the last @ before the host.
        let host = whole.lastIndex(of: "@").map { whole[whole.index(after: $0)...] }
        return "postgresql://\(host ?? whole)"
    }
}
