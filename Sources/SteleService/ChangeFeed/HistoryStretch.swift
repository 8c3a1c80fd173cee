/// Saves of the stored history that are read together.

import StelePersistence

/// Some saves that follow one another: as many as are worth holding at once, and one at least where
/// there is one, however large.
struct HistoryStretch: Sendable {
    let saves: [HistoryTransaction]
    /// Whether the store had no more when it was read.
    let isLast: Bool

    static let mostSaves = 256
    /// About how many bytes of memory the saves shall take.
    static let bytesWanted = 1 << 20
    private static let firstStep = 4
    private static let largestStep = 32

    /// Reads on after a transaction.
    /// - Parameters:
    ///   - most: how many saves are of use.
    ///   - values: as `StoreReader.history`.
    /// - Throws: as reading.
    init(
        _ reader: any StoreReader, after position: Int64, atMost most: Int = mostSaves, values: Bool
    ) throws(StoreError) {
        var saves: [HistoryTransaction] = []
        var bytes = 0
        var isLast = false
        var step = Self.firstStep
        let most = min(most, Self.mostSaves)
        // A few at a time, and more after small ones: how large they are nobody knows before.
        while !isLast, saves.count < most, bytes < Self.bytesWanted {
            let size = min(step, most - saves.count)
            let found = try reader.history(
                after: saves.last?.number ?? position, limit: size, values: values)
            saves += found
            bytes += found.reduce(0) { $0 + $1.bytes }
            isLast = found.count < size
            step = min(step * 2, Self.largestStep)
        }
        self.saves = saves
        self.isLast = isLast
    }
}
