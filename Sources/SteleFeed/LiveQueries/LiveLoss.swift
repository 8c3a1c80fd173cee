/// What becomes of a live query whose result could not be read.

import StelePersistence
import SteleSystem

/// Since when a query's result is of no use, because reading failed for a reason that may pass: the
/// query is read anew in a later round. Until then it is told nothing and nobody joins.
struct LiveLoss {
    /// When reading failed first, and when it is tried again, on the monotonic clock.
    package let since: UInt64
    let retryAt: UInt64

    /// - Returns: nil where the reason will not pass, or has not for too long.
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
    /// Whether the result can be read anew, now or a moment later.
    package var mayPass: Bool {
        switch self {
        case .moved, .busy, .deadline, .overBudget, .noRoom, .failed, .expired: true
        case .conflicts, .constraint, .unsupported, .incompatible, .invalid, .predicate, .tooLarge,
            .closed:
            false
        }
    }
}
