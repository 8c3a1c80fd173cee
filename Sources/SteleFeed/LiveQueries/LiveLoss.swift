/// Live queries whose result could not be read.

import StelePersistence
import SteleSystem

/// Marks a query whose result is not current, because reading failed for a temporary reason. A
/// later round reads the query again; until then it has no events and no new listeners.
package struct LiveLoss: Sendable {
    /// When reading first failed, and when it is tried again, on the monotonic clock.
    package let since: UInt64
    package let retryAt: UInt64

    /// - Returns: nil where the reason is permanent, or has lasted for too long.
    package init?(
        _ error: any Error, after former: LiveLoss?, retryNanoseconds: UInt64, seconds: Double
    ) {
        guard let error = error as? StoreError, error.mayPass else { return nil }
        let now = MonotonicClock.now
        since = former?.since ?? now
        retryAt = now &+ retryNanoseconds
        if Double(now &- since) > seconds * 1e9 { return nil }
    }
}

extension StoreError {
    /// Whether the reason is temporary.
    package var mayPass: Bool {
        switch self {
        case .moved, .busy, .unavailable, .deadline, .overBudget, .noRoom, .failed, .expired, .gone,
            .damaged:
            true
        case .conflicts, .constraint, .refused, .noKeys, .unsupported, .incompatible, .invalid,
            .predicate,
            .tooLarge, .closed, .incompleteSave, .readOnly:
            false
        }
    }
}
