/// Large saves that are held as a whole, because the rules of a role may lead from any of its changes
/// to any other.

import StelePersistence
import SteleSystem

/// Lets one thread at a time hold such a save.
final class WholeSaves: Sendable {
    private let lock = Mutex(())

    /// Runs the closure, which reads a large save and lets go of it.
    /// - Throws: as the closure.
    func oneAtATime<R: Sendable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        try lock.withLock { _ throws(E) in try body() }
    }
}
