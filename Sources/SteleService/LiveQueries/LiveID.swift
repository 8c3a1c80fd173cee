/// What a live stream's `id` says: over which unbroken history its queries are followed, and up to
/// which save they were told.

/// `MARK-NUMBER`: eight hexadecimal digits, and the last transaction that was told.
///
/// The mark is made of the cache generation, which is drawn at each start and after each change by
/// another program. So an id from before such a change, of another server or of the change feed fits
/// no query as it is followed now, and who comes with it is sent a snapshot.
struct LiveID: Sendable {
    private static let digits = 8

    private let mark: String
    private let number: Int64

    /// - Parameter mark: of all queries of the stream.
    init(mark: String, number: Int64) {
        self.mark = mark
        self.number = number
    }

    /// What a client sent; nil where that cannot be an id of a live stream.
    init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == Self.digits, let number = Int64(parts[1])
        else { return nil }
        mark = String(parts[0])
        self.number = number
    }

    /// The id as events have it.
    var text: String { "\(mark)-\(number)" }

    /// The last transaction that the client knows of a query; nil where the id is from before it was
    /// read, or of elsewhere.
    func token(of query: LiveQuery) -> Int64? { mark == query.mark ? number : nil }

    /// The mark of queries that were read in a cache generation.
    static func mark(cacheGeneration: String) -> String {
        var hash = Fingerprint()
        hash.add(cacheGeneration)
        let text = String(UInt32(truncatingIfNeeded: hash.value ^ hash.value >> 32), radix: 16)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }
}
