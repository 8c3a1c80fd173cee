/// The HTTP methods that routes take.

/// A method that some route takes. HEAD is answered as GET, without a body.
package enum Method: String, Sendable, Hashable, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"

    /// Whether it changes nothing (RFC 9110, 9.2.1).
    var isSafe: Bool { self == .get || self == .head || self == .options }

    /// The `Allow` header for these methods. HEAD comes with GET, OPTIONS with all.
    static func allow(_ methods: [Method]) -> String {
        var all = methods
        if let get = all.firstIndex(of: .get) { all.insert(.head, at: get + 1) }
        all.append(.options)
        return all.map(\.rawValue).joined(separator: ", ")
    }
}
