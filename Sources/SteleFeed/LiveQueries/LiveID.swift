/// What a live stream's `id` says: of which queries over which unbroken history it is, and up to
/// which saves they were told.

import SteleGraph
import StelePersistence
import SteleRequests

/// `MARK-NUMBER`: eight hexadecimal digits, and the last transaction that was told. Where the
/// queries of a stream have not been told the same, there is a number for each, with points between
/// and `x` for one that was told nothing: `MARK-9.x.8`.
///
/// The mark is made of what the stream's queries ask and of the cache generation, which is drawn at
/// each start and after each change by another program. So an id from before such a change, of
/// other queries, of another server or of the change feed fits none as it is followed now, and who
/// comes with it is sent snapshots. An id from before a start fits where the store knows that
/// nothing but what its history tells has changed it since.
package struct LiveID: Sendable {
    private static let digits = 8

    package let mark: String
    private let numbers: [Int64?]

    /// - Parameter numbers: of the stream's queries, in the order of its address.
    package init(mark: String, numbers: [Int64?]) {
        self.mark = mark
        self.numbers = numbers
    }

    /// What a client sent; nil where that cannot be an id of a live stream.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == Self.digits else { return nil }
        mark = String(parts[0])
        numbers = parts[1].split(separator: ".", omittingEmptySubsequences: false)
            .map { Int64($0) }
    }

    /// The last transaction that the client was told of a query; nil where that is not known.
    /// - Parameters:
    ///   - index: which one of the stream's queries.
    ///   - count: how many it has.
    package func number(at index: Int, of count: Int) -> Int64? {
        if numbers.count == 1 { return numbers[0] }
        return numbers.count == count ? numbers[index] : nil
    }

    /// Whether it is of a stream of these queries, as they were read in a cache generation or in
    /// one that it goes on from.
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

    /// The id as events have it.
    package var text: String {
        let isOne = numbers.allSatisfy { $0 == numbers.first }
        let told = (isOne ? Array(numbers.prefix(1)) : numbers).map { $0.map(String.init) ?? "x" }
        return "\(mark)-\(told.joined(separator: "."))"
    }

    /// The mark of a stream of queries that were read in those cache generations.
    package static func mark(generations: [String], keys: [String]) -> String {
        var hash = Fingerprint()
        for generation in Set(generations).sorted() { hash.add(generation) }
        for key in keys { hash.add(key) }
        let text = String(UInt32(truncatingIfNeeded: hash.value ^ hash.value >> 32), radix: 16)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }
}
