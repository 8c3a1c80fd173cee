/// The `id` of a live stream: its queries, the history that they follow, and the last saves that
/// were sent.

import SteleGraph
import StelePersistence
import SteleRequests

/// `MARK-NUMBER`: eight hexadecimal digits, and the last transaction that was sent. Where it is not
/// the same for all queries of the stream, there is a number for each, separated by points, and `x`
/// for a query of which nothing was sent: `MARK-9.x.8`.
///
/// The mark is a hash of the stream's queries and of their cache generation, which is drawn at each
/// start and after each change by another program. So an id fits no other queries, no other server
/// and no state from before such a change; its client is sent snapshots. An id from before a
/// restart fits where the store was not changed except as its history tells. All nodes of a store
/// have one generation, so that an id fits on each of them.
package struct LiveID: Sendable {
    private static let digits = 8

    package let mark: String
    private let numbers: [Int64?]

    /// - Parameter numbers: one for each query, in the order of the stream's URL.
    package init(mark: String, numbers: [Int64?]) {
        self.mark = mark
        self.numbers = numbers
    }

    /// Reads a client's text; nil where it cannot be the id of a live stream.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == Self.digits else { return nil }
        mark = String(parts[0])
        numbers = parts[1].split(separator: ".", omittingEmptySubsequences: false)
            .map { Int64($0) }
    }

    /// The last transaction that the client was sent of a query; nil where that is not known.
    /// - Parameters:
    ///   - index: the query's index in the stream.
    ///   - count: how many queries the stream has.
    package func number(at index: Int, of count: Int) -> Int64? {
        if numbers.count == 1 { return numbers[0] }
        return numbers.count == count ? numbers[index] : nil
    }

    /// Whether it is the id of a stream of these queries, in one of these cache generations or in
    /// one that they continue.
    func isOf(
        generations: [String], keys: [String], _ coordinator: PersistentStoreCoordinator
    ) -> Bool {
        if mark == Self.mark(generations: generations, keys: keys) { return true }
        guard let generation = generations.first, Set(generations).count == 1 else { return false }
        return coordinator.formerGenerations(of: generation).contains { former in
            mark == Self.mark(generations: [former.mark], keys: keys)
                && numbers.allSatisfy { $0 ?? 0 <= former.last }
        }
    }

    /// The id as it stands in events.
    package var text: String {
        let isOne = numbers.allSatisfy { $0 == numbers.first }
        let told = (isOne ? Array(numbers.prefix(1)) : numbers).map { $0.map(String.init) ?? "x" }
        return "\(mark)-\(told.joined(separator: "."))"
    }

    /// The mark of a stream of queries in those cache generations.
    package static func mark(generations: [String], keys: [String]) -> String {
        var hash = Fingerprint()
        for generation in Set(generations).sorted() { hash.add(generation) }
        for key in keys { hash.add(key) }
        let text = String(UInt32(truncatingIfNeeded: hash.value ^ hash.value >> 32), radix: 16)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }
}
