/// What a letter box keeps of the saves that its thread has yet to tell.

import SteleHTTP
import StelePersistence
import SteleSystem

/// Saves as they were published, within bounds: those that do not fit are let go, and `latest` says
/// how far the thread must read in the history instead.
package struct SavesToTell: Sendable {
    static let maximumSaves = 256
    static let maximumChanges = 5_000
    /// About how much memory they may take.
    static let maximumBytes = 8 << 20

    private(set) var saves: [HistoryTransaction] = []
    /// The last transaction told, also where `saves` has let it go.
    private(set) var latest: Int64 = 0
    /// When the last of `saves` came, on the monotonic clock.
    private(set) var latestAt: UInt64 = 0
    private var changeCount = 0
    private var bytes = 0

    /// - Parameter isKept: whether anybody is to be told; without, only the position is noted.
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

    /// None, at the same position.
    var emptied: SavesToTell {
        var rest = SavesToTell()
        rest.latest = latest
        return rest
    }
}
