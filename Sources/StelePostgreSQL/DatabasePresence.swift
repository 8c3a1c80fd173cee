import StelePersistence
import SteleSystem

/// Whether the store that was opened is there, and whether it can follow the tables that it follows,
/// as it was last looked for.
final class DatabasePresence: Sendable {
    /// Why the store is gone to this program; nil where it is there.
    private let absence = Mutex<StoreError?>(nil)
    /// Why what other programs have written to their tables is not taken; nil where it is.
    private let misfit = Mutex<StoreError?>(nil)

    /// - Throws: `.gone` where the store is not there.
    func check() throws(StoreError) {
        if let error = absence.withLock({ $0 }) { throw error }
    }

    /// - Throws: `.unavailable`, or another error, where it does not take what others have written.
    func checkFollowing() throws(StoreError) {
        if let error = misfit.withLock({ $0 }) { throw error }
    }

    /// Notes why the store is gone, or that it is there.
    /// - Returns: whether that is news.
    func note(absence error: StoreError?) -> Bool {
        absence.withLock { old in
            defer { old = error }
            return (old == nil) != (error == nil)
        }
    }

    /// Notes why it does not take what others have written, or that it does.
    func note(misfit error: StoreError?) { misfit.withLock { $0 = error } }
}
