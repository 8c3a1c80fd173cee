/// Mutual exclusion in the order of arrival.

import SteleRequests
import SteleSystem

/// A limited number of places.
final class Places: Sendable {
    let most: Int
    private let taken = Atomic<Int>(0)

    init(_ most: Int) { self.most = most }

    /// Takes a place until `leave`; false if all are taken.
    func take() -> Bool {
        if taken.wrappingAdd(1, ordering: .relaxed).newValue <= most { return true }
        leave()
        return false
    }

    func leave() { taken.subtract(1, ordering: .relaxed) }
}

/// The turns with something that one thread at a time may use.
final class Turn: Sendable {
    private struct State: Sendable {
        var isTaken = false
        /// Each rings when its turn has come.
        var waiting: [Alarm] = []
    }

    private let state = Mutex(State())
    private let waiting: Places

    /// - Parameter waiting: the places of requests that wait for this or another turn. Each of them
    ///   has a thread, and some threads must be left for other requests.
    init(_ waiting: Places) { self.waiting = waiting }

    /// Waits for the turn, which lasts until `leave`.
    /// - Parameters:
    ///   - seconds: the maximum time to wait.
    ///   - places: the maximum number of waiting requests.
    /// - Throws: `Problem`, 503, if the turn does not come in time.
    func take(seconds: Double, places: Int) throws {
        let waiter = try state.withLock { state -> Alarm? in
            guard state.isTaken else {
                state.isTaken = true
                return nil
            }
            guard state.waiting.count < places else {
                throw Self.busy("\(places) requests are already waiting for this context")
            }
            guard waiting.take() else {
                throw Self.busy("too many requests are already waiting for editing contexts")
            }
            let waiter = Alarm()
            state.waiting.append(waiter)
            return waiter
        }
        guard let waiter else { return }
        defer { waiting.leave() }
        waiter.sleep(until: MonotonicClock.deadline(in: seconds))
        // A waiter that is no longer in the queue was given the turn, possibly after the timeout.
        let isLate = state.withLock { state in
            guard let place = state.waiting.firstIndex(where: { $0 === waiter }) else {
                return false
            }
            state.waiting.remove(at: place)
            return true
        }
        if isLate { throw Self.busy("the context was busy for \(Int(seconds)) s") }
    }

    func leave() {
        let next = state.withLock { state -> Alarm? in
            if state.waiting.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.ring()
    }

    private static func busy(_ why: String) -> Problem {
        Problem(
            .busy, why + ": requests to one context are answered one after the other",
            headers: [("Retry-After", "1")])
    }
}
