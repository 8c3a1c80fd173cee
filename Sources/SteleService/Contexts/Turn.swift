/// One at a time, in the order in which they come.

import SteleRequests
import SteleSystem

/// How many requests wait for turns, whatever it is with: each has a thread, and some threads must
/// be left for all else.
final class WaitingPlaces: Sendable {
    private let most: Int
    private let taken = Atomic<Int>(0)

    init(_ most: Int) { self.most = most }

    /// Whether there was a place; who has got it leaves it.
    func take() -> Bool {
        if taken.wrappingAdd(1, ordering: .relaxed).newValue <= most { return true }
        leave()
        return false
    }

    func leave() { taken.subtract(1, ordering: .relaxed) }
}

/// Whose turn it is with something that belongs to one thread at a time.
final class Turn: Sendable {
    private struct State: Sendable {
        var isTaken = false
        /// Each rings when its turn has come.
        var waiting: [Alarm] = []
    }

    private let state = Mutex(State())
    private let waiting: WaitingPlaces

    /// - Parameter waiting: the places of those who wait for this turn or another.
    init(_ waiting: WaitingPlaces) { self.waiting = waiting }

    /// Waits for the turn, which is the caller's until `leave`.
    /// - Parameters:
    ///   - seconds: how long to wait for it.
    ///   - places: how many may wait at once, for each has a thread.
    /// - Throws: `Problem`, 503, where it does not come in time.
    func take(seconds: Double, places: Int) throws {
        let waiter = try state.withLock { state -> Alarm? in
            guard state.isTaken else {
                state.isTaken = true
                return nil
            }
            guard state.waiting.count < places else {
                throw Self.busy("\(places) requests wait for this context already")
            }
            guard waiting.take() else {
                throw Self.busy("too many requests wait for editing contexts already")
            }
            let waiter = Alarm()
            state.waiting.append(waiter)
            return waiter
        }
        guard let waiter else { return }
        defer { waiting.leave() }
        waiter.sleep(until: MonotonicClock.deadline(in: seconds))
        // A request that is no longer in the queue has the turn, even if it came after the deadline.
        let isLate = state.withLock { state in
            guard let place = state.waiting.firstIndex(where: { $0 === waiter }) else {
                return false
            }
            state.waiting.remove(at: place)
            return true
        }
        if isLate { throw Self.busy("the context was busy for \(Int(seconds)) s") }
    }

    /// Passes the turn on.
    func leave() {
        state.withLock { state in
            if state.waiting.isEmpty {
                state.isTaken = false
            } else {
                state.waiting.removeFirst().ring()
            }
        }
    }

    private static func busy(_ why: String) -> Problem {
        Problem(
            .busy, why + ": requests to one context are answered one after the other",
            headers: [("Retry-After", "1")])
    }
}
