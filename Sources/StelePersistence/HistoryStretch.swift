/// Saves of the stored history that are read together.

/// Some saves that follow one another: as many as are worth holding at once, and one at least where
/// there is one, however large.
public struct HistoryStretch: Sendable {
    public let saves: [HistoryTransaction]
    /// Whether the store had no more when it was read.
    public let isLast: Bool
    /// How many saves to ask for first when reading on.
    public let nextStep: Int

    /// How many saves it has at most.
    public static let mostSaves = 256
    /// About how many bytes of memory the saves shall take.
    public static let bytesWanted = 1 << 20
    /// How many saves to ask for first, where nothing is known of their size.
    public static let firstStep = 4

    /// Reads on after a transaction.
    /// - Parameters:
    ///   - most: how many saves are of use.
    ///   - values: as `StoreReader.history`.
    ///   - step: how many saves to ask for first: `nextStep` of the stretch before.
    ///   - wanted: about how many bytes of memory they shall take.
    /// - Throws: as reading.
    public init(
        _ reader: any StoreReader, after position: Int64, atMost most: Int = mostSaves,
        values: Bool, step: Int = firstStep, bytes wanted: Int = bytesWanted
    ) throws(StoreError) {
        var saves: [HistoryTransaction] = []
        var bytes = 0
        var isLast = false
        var step = step
        let most = min(most, Self.mostSaves)
        // Each call works values out backwards from those of now, past all later saves of the same
        // objects: so as few as the size of the last ones allows.
        while !isLast, saves.count < most, bytes < wanted {
            let size = min(step, most - saves.count)
            let found = try reader.history(
                after: saves.last?.number ?? position, limit: size, values: values)
            saves += found
            let more = found.reduce(0) { $0 + $1.bytes }
            bytes += more
            isLast = found.count < size
            let fitting = wanted / max(more / max(found.count, 1), 1)
            step = max(1, min(4 * step, Self.mostSaves, fitting))
        }
        self.saves = saves
        self.isLast = isLast
        nextStep = step
    }
}

extension StoreReader {
    /// All saves after a transaction up to another, with the objects' values, where they are few.
    /// - Parameters:
    ///   - token: the transaction before the first.
    ///   - end: the last one.
    ///   - saves: how many there may be at most.
    ///   - changes: how many objects they may tell of at most.
    ///   - bytes: about how many bytes of memory they may take.
    /// - Returns: nil where there are more, or some are not to be had any more.
    /// - Throws: as reading.
    public func history(
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
        // Values are worked out backwards through all that was changed later: what that takes is
        // found out first, without them.
        guard try collect(values: false) != nil else { return nil }
        return try collect(values: true)
    }
}
