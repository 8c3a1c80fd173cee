/// What a live stream's `id` says: which queries it is of, and up to which save they were told.

/// `GENERATION-MARKS-NUMBER`: the store's generation, the mark of each query of the stream, and the
/// last transaction that was told.
///
/// A mark stands for a query over an unbroken history: it is made of what the query asks and of the
/// cache generation, which is drawn at each start and after each change by another program. So an
/// id from before such a change, of another query, of another server or of the change feed fits no
/// query as it is followed now, and who comes with it is sent a snapshot.
struct LiveID: Sendable {
    private static let digits = 8

    private let marks: String
    private let number: Int64

    init(marks: some Sequence<String>, number: Int64) {
        self.marks = marks.joined()
        self.number = number
    }

    /// What a client sent; nil where that is no id of a live stream over the store.
    init?(_ text: String, generation: String) {
        guard text.hasPrefix(generation + "-") else { return nil }
        let parts = text.dropFirst(generation.count + 1)
            .split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[1]) else { return nil }
        marks = String(parts[0])
        self.number = number
    }

    /// The id as events have it.
    func text(generation: String) -> String { "\(generation)-\(marks)-\(number)" }

    /// The last transaction that the client knows of a query; nil where the id is not of it.
    func token(of query: LiveQuery) -> Int64? {
        let mark = Array(query.mark.utf8)
        let all = Array(marks.utf8)
        let isOfIt = stride(from: 0, to: all.count, by: Self.digits).contains { start in
            all[start...].prefix(Self.digits).elementsEqual(mark)
        }
        return isOfIt ? number : nil
    }

    /// The mark of a query that was read in a cache generation: eight hexadecimal digits.
    static func mark(_ plan: LivePlan, cacheGeneration: String) -> String {
        var hash = Fingerprint()
        hash.add(cacheGeneration)
        hash.add(plan.key)
        let text = String(UInt32(truncatingIfNeeded: hash.value ^ hash.value >> 32), radix: 16)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }
}
