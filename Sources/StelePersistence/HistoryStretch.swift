/// Consecutive saves of the history that are read together: as many as fit the wanted size, but at
/// least one where there is one.
package struct HistoryStretch: Sendable {
    /// Oldest first.
    package let saves: [HistoryTransaction]
    /// Whether the history had no more saves.
    package let isLast: Bool
    /// The number of saves to request first in the next stretch.
    package let nextStep: Int

    /// The most saves of a stretch.
    package static let mostSaves = 256
    /// The approximate wanted size in memory, in bytes.
    package static let bytesWanted = 1 << 20
    /// The number of saves to request first where their size is unknown.
    package static let firstStep = 4

    /// Reads the saves after a transaction.
    /// - Parameters:
    ///   - most: the most saves to read.
    ///   - values: as in `StoreReader.history`.
    ///   - step: the number of saves to request first: `nextStep` of the previous stretch.
    ///   - wanted: the approximate wanted size in memory, in bytes.
    package init(
        _ reader: any StoreReader, after position: Int64, atMost most: Int = mostSaves,
        values: Bool, step: Int = firstStep, bytes wanted: Int = bytesWanted
    ) throws(StoreError) {
        var saves: [HistoryTransaction] = []
        var bytes = 0
        var isLast = false
        var step = step
        let most = min(most, Self.mostSaves)
        // Each call computes old values backwards from the current ones, past all later saves of
        // the same objects. So it requests only as many saves as the size of the last ones allows.
        while !isLast, saves.count < most, bytes < wanted {
            let size = min(step, most - saves.count)
            let found = try reader.history(
                after: saves.last?.number ?? position, limit: size, values: values)
            saves += found
            let more = found.reduce(0) { $0 + $1.bytes }
            bytes += more
            isLast = found.count < size
            step = Self.step(after: step, saves: found.count, bytes: more, of: wanted)
        }
        self.saves = saves
        self.isLast = isLast
        nextStep = step
    }

    /// How many saves to request after some, by their size.
    package static func step(
        after step: Int, saves: Int, bytes: Int, of wanted: Int = bytesWanted
    ) -> Int {
        max(1, min(4 * step, mostSaves, wanted / max(bytes / max(saves, 1), 1)))
    }
}

extension StoreReader {
    /// Returns the saves after a transaction up to another, with the objects' values.
    /// - Parameters:
    ///   - token: the transaction before the first.
    ///   - end: the last transaction.
    ///   - saves: the most saves.
    ///   - changes: the most changes of all saves.
    ///   - bytes: the approximate limit on their size in memory.
    /// - Returns: nil where a limit is exceeded, or a save has been deleted from the history.
    package func history(
        after token: Int64, through end: Int64, saves: Int = .max, changes: Int = .max, bytes: Int
    ) throws(StoreError) -> [HistoryTransaction]? {
        func collect(values: Bool) throws(StoreError) -> [HistoryTransaction]? {
            var all: [HistoryTransaction] = []
            var count = (changes: 0, bytes: 0)
            var last = token
            var step = HistoryStretch.firstStep
            while last < end {
                let next = try HistoryStretch(
                    self, after: last, values: values, step: step, bytes: bytes)
                guard let number = next.saves.last?.number else { return nil }
                all += next.saves
                count.changes += next.saves.reduce(0) { $0 + $1.changes.count }
                count.bytes += next.saves.reduce(0) { $0 + $1.bytes }
                guard all.count <= saves, count.changes <= changes, count.bytes <= bytes else {
                    return nil
                }
                last = number
                step = next.nextStep
            }
            return Array(all.prefix { $0.number <= end })
        }
        // Computing values is expensive, so the limits are checked first without them.
        guard try collect(values: false) != nil else { return nil }
        return try collect(values: true)
    }
}
