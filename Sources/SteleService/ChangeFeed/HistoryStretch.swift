/// Saves of the stored history that are read together.

import StelePersistence

/// Some saves that follow one another: as many as are worth holding at once, and one at least where
/// there is one, however large.
struct HistoryStretch: Sendable {
    let saves: [HistoryTransaction]
    /// Whether the store had no more when it was read.
    let isLast: Bool
    /// How many saves to ask for first when reading on.
    let nextStep: Int

    static let mostSaves = 256
    /// About how many bytes of memory the saves shall take.
    static let bytesWanted = 1 << 20
    static let firstStep = 4

    /// Reads on after a transaction.
    /// - Parameters:
    ///   - most: how many saves are of use.
    ///   - values: as `StoreReader.history`.
    ///   - step: how many saves to ask for first: `nextStep` of the stretch before.
    /// - Throws: as reading.
    init(
        _ reader: any StoreReader, after position: Int64, atMost most: Int = mostSaves,
        values: Bool,
        step: Int = firstStep
    ) throws(StoreError) {
        var saves: [HistoryTransaction] = []
        var bytes = 0
        var isLast = false
        var step = step
        let most = min(most, Self.mostSaves)
        // Each call works values out backwards from those of now, past all later saves of the same
        // objects: so as few as the size of the last ones allows.
        while !isLast, saves.count < most, bytes < Self.bytesWanted {
            let size = min(step, most - saves.count)
            let found = try reader.history(
                after: saves.last?.number ?? position, limit: size, values: values)
            saves += found
            let more = found.reduce(0) { $0 + $1.bytes }
            bytes += more
            isLast = found.count < size
            let fitting = Self.bytesWanted / max(more / max(found.count, 1), 1)
            step = max(1, min(4 * step, Self.mostSaves, fitting))
        }
        self.saves = saves
        self.isLast = isLast
        nextStep = step
    }
}
