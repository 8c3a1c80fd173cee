/// The saves that an inbox keeps for its thread.

import SteleHTTP
import StelePersistence
import SteleSystem

/// Published saves, within bounds. Where they do not fit they are discarded, and `latest` tells how
/// far the thread must read in the history instead.
package struct SavesToTell: Sendable {
    static let maximumSaves = 256
    static let maximumChanges = 5_000
    /// About how much memory they may take.
    static let maximumBytes = 8 << 20

    private(set) var saves: [HistoryTransaction] = []
    /// The last published transaction, also where `saves` does not have it.
    private(set) var latest: Int64 = 0
    /// When the last of `saves` came, on the monotonic clock.
    private(set) var latestAt: UInt64 = 0
    private var changeCount = 0
    private var bytes = 0

    /// - Parameter isKept: whether the saves are needed; else only `latest` is set.
    package mutating func add(_ more: [HistoryTransaction], isKept: Bool) {
        guard let last = more.last else { return }
        latest = max(latest, last.number)
        guard isKept else { return }
        saves += more
        latestAt = MonotonicClock.now
        changeCount += more.reduce(0) { $0 + $1.changes.count }
        bytes += more.reduce(0) { $0 + $1.bytes }
        if saves.count > Self.maximumSaves || changeCount > Self.maximumChanges
            || bytes > Self.maximumBytes
        {
            saves = []
            changeCount = 0
            bytes = 0
        }
    }

    /// The same position without saves.
    var emptied: SavesToTell {
        var rest = SavesToTell()
        rest.latest = latest
        return rest
    }
}
