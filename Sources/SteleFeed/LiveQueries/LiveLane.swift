/// The two threads that follow live queries.

import StelePersistence
import StelePredicates

/// One of the threads that follow live queries, with an inbox each. A query is on the shared one
/// until it takes too long there, and comes back when it does no longer.
enum LiveLane: CaseIterable, Sendable {
    case shared
    /// Of low priority.
    case slow

    var threadName: String { self == .shared ? "stele-live" : "live-slow" }
    var other: LiveLane { self == .shared ? .slow : .shared }

    /// Whether an error says that a query takes too long for this thread.
    func isTooLong(_ error: any Error) -> Bool {
        switch error {
        case StoreError.overBudget: true
        // A pattern may have more time on the other thread.
        case let error as PredicateError: self == .shared && error.isOfLimit
        case StoreError.predicate(let error): self == .shared && error.isOfLimit
        default: false
        }
    }
}
