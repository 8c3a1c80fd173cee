/// Consecutive saves of the history that are read together: as many as fit the wanted size, but at
/// least one where there is one. A save of too many changes is alone in its stretch, and cut.
package struct HistoryStretch: Sendable {
    /// Oldest first.
    package private(set) var saves: [HistoryTransaction]
    /// Whether the history had no more saves.
    package let isLast: Bool
    /// The number of saves to request first in the next stretch.
    package let nextStep: Int

    /// The save with more changes than a stretch holds, with the first of them; nil for none.
    package var cut: HistoryTransaction? { saves.first?.rest == nil ? nil : saves.first }

    /// The most saves of a stretch.
    package static let mostSaves = 256
    /// The most changes that are read at once.
    package static let mostChanges = 1_000
    /// The approximate wanted size in memory, in bytes.
    package static let bytesWanted = 1 << 20
    /// The number of saves to request first where their size is unknown.
    package static let firstStep = 4

    /// Reads the saves after a transaction.
    /// - Parameters:
    ///   - most: the most saves to read.
    ///   - changes: the most changes to read at once. A save that has more is cut.
    ///   - values: as in `StoreReader.history`.
    ///   - step: the number of saves to request first: `nextStep` of the previous stretch.
    ///   - wanted: the approximate wanted size in memory, in bytes.
    package init(
        _ reader: any StoreReader, after position: Int64, atMost most: Int = mostSaves,
        changes: Int = mostChanges, values: Bool, step: Int = firstStep,
        bytes wanted: Int = bytesWanted
    ) throws(StoreError) {
        var saves: [HistoryTransaction] = []
        var bytes = 0
        var hasMore = true
        var step = step
        let most = min(most, Self.mostSaves)
        // Each call computes old values backwards from the current ones, past all later saves of
        // the same objects. So it requests only as many saves as the size of the last ones allows.
        while hasMore, saves.count < most, bytes < wanted, saves.last?.rest == nil {
            var found = try reader.history(
                after: HistoryPosition(after: saves.last?.number ?? position),
                limit: min(step, most - saves.count), changes: changes, values: values)
            hasMore = found.hasMore
            // One that was cut because of those before it is whole in the next call.
            if found.saves.last?.rest != nil, found.saves.count > 1 { found.saves.removeLast() }
            if found.saves.last?.rest != nil, !saves.isEmpty { break }
            let more = found.saves.reduce(0) { $0 + $1.bytes }
            saves += found.saves
            bytes += more
            step = Self.step(after: step, saves: found.saves.count, bytes: more, of: wanted)
        }
        self.saves = saves
        isLast = !hasMore
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
        /// The saves with values; without, whether they are within the limits, and none of them.
        func collect(values: Bool) throws(StoreError) -> [HistoryTransaction]? {
            var all: [HistoryTransaction] = []
            var count = (saves: 0, changes: 0, bytes: 0)
            var last = token
            var step = HistoryStretch.firstStep
            while last < end {
                let next = try HistoryStretch(
                    self, after: last, values: values, step: step, bytes: bytes)
                guard let number = next.saves.last?.number else { return nil }
                if values { all += next.saves }
                count.saves += next.saves.count
                count.changes += next.saves.reduce(0) { $0 + $1.changes.count }
                count.bytes += next.saves.reduce(0) { $0 + $1.bytes }
                guard count.saves <= saves, count.changes <= changes, count.bytes <= bytes else {
                    return nil
                }
                if var rest = next.cut.flatMap({ SaveRest($0) }) {
                    while let more = try rest.next(self, values: values) {
                        count.changes += more.changes.count
                        count.bytes += more.bytes
                        guard count.changes <= changes, count.bytes <= bytes else { return nil }
                        if values { all[all.count - 1].changes += more.changes }
                    }
                    if values { all[all.count - 1].rest = nil }
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

/// The changes of a cut save that follow, a piece at a time, in pieces of about the wanted size.
package struct SaveRest: Sendable {
    private let save: Int64
    /// The position of the last change that was read; nil at the end.
    package private(set) var position: Int64?
    private var step: Int

    /// What follows the changes of a cut save; nil for one that is not cut.
    package init?(_ save: HistoryTransaction) {
        guard let rest = save.rest else { return nil }
        self.init(of: save.number, after: rest)
        step = Self.step(after: step, save)
    }

    /// - Parameter position: that of the last change which is not read; 0 for all changes.
    package init(of save: Int64, after position: Int64) {
        self.save = save
        self.position = position
        step = 128
    }

    private static func step(after step: Int, _ piece: HistoryTransaction) -> Int {
        let bytes = piece.bytes / max(piece.changes.count, 1)
        let fitting = HistoryStretch.bytesWanted / 2 / max(bytes, 1)
        return max(1, min(4 * step, HistoryStretch.mostChanges, fitting))
    }

    /// Reads the next piece.
    /// - Parameters:
    ///   - most: the most changes.
    ///   - values: as in `StoreReader.history`.
    /// - Returns: the save with these changes alone; nil at its end, and where it is deleted from
    ///   the history.
    /// - Throws: as `StoreReader.history`.
    package mutating func next(
        _ reader: any StoreReader, atMost most: Int = .max, values: Bool
    ) throws(StoreError) -> HistoryTransaction? {
        guard let position else { return nil }
        let piece = try reader.history(
            after: HistoryPosition(after: save, change: position), limit: 1,
            changes: min(step, max(most, 1)), values: values)
        self.position = piece.saves.first?.rest
        guard let found = piece.saves.first else { return nil }
        step = Self.step(after: step, found)
        return found
    }

    /// Goes on after another position; nil for the end.
    package mutating func goOn(after position: Int64?) { self.position = position }
}
