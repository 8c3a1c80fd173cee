/// The saves that the feed's thread has sent last.

import StelePersistence

/// The last saves, without a gap and within bounds, for streams that join a moment later.
struct RecentSaves {
    static let mostSaves = 64
    /// About how many bytes of memory they may take.
    static let mostBytes = 1 << 20

    private(set) var saves: [HistoryTransaction] = []
    private var sizes: [Int] = []
    private var bytes = 0

    /// Adds the next saves, and discards the oldest.
    package mutating func add(_ more: [HistoryTransaction]) {
        saves += more
        let added = more.map(\.bytes)
        sizes += added
        bytes += added.reduce(0, +)
        var gone = 0
        while saves.count - gone > Self.mostSaves || bytes > Self.mostBytes {
            bytes -= sizes[gone]
            gone += 1
        }
        saves.removeFirst(gone)
        sizes.removeFirst(gone)
    }

    /// The saves after a transaction; nil where some of them are discarded.
    package func saves(after position: Int64) -> [HistoryTransaction]? {
        guard let first = saves.first?.number, first <= position + 1 else { return nil }
        return saves.filter { $0.number > position }
    }
}
