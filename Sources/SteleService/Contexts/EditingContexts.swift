/// The editing contexts of a service. Their number is limited, and they expire.

import Dispatch
import SteleGraph
import SteleModel
import SteleRequests
import SteleSystem

/// The contexts that are kept, by their ids; thread-safe.
final class EditingContexts: Sendable {
    private struct Entry: Sendable {
        let context: EditingContext
        /// The time at which it expires, unless it is used before.
        var deadline: Double
    }

    private struct State: Sendable {
        var entries: [String: Entry] = [:]
        var gone = GoneContexts()
        /// Whether a sweep is scheduled.
        var isSweeping = false
        var isClosed = false
    }

    private let coordinator: PersistentStoreCoordinator
    private let limits: Limits
    /// Seconds since 2001-01-01T00:00:00Z, never going back.
    private let now: @Sendable () -> Double
    private let state = Mutex(State())
    private let total = HeldTotal()
    private let waiting: Places
    private let sweeper = DispatchQueue(label: "stele.contexts")

    init(
        _ coordinator: PersistentStoreCoordinator, limits: Limits,
        now: @escaping @Sendable () -> Double
    ) {
        self.coordinator = coordinator
        self.limits = limits
        self.now = now
        waiting = Places(limits.contextTurnPlacesInAll)
    }

    /// The time of day at the start, continued by a steady clock: setting the system's clock neither
    /// expires contexts nor keeps them alive. `ContinuousClock` also counts the time in which the
    /// machine is suspended, which `MonotonicClock` does not.
    static func steadyClock() -> @Sendable () -> Double {
        let (start, wall) = (ContinuousClock.now, ReferenceDate.now)
        return { wall + (ContinuousClock.now - start) / .seconds(1) }
    }

    var count: Int { state.withLock { $0.entries.count } }

    // MARK: Making

    /// Makes a context.
    /// - Parameter parent: the context that it is a child of. The caller must have its turn.
    /// - Throws: `Problem`: 429 if there are too many contexts, 422 if they nest too deep, 503 if
    ///   the service is stopping.
    func make(for reader: String, below parent: EditingContext?) throws -> EditingContext {
        if let parent, parent.depth + 1 >= limits.contextDepth {
            throw Problem(
                .contextFull, "contexts nest at most \(limits.contextDepth) deep",
                hint: "save a child into its parent, and make another")
        }
        // Ids are random, so that the id of another service names nothing here.
        let id = "c" + String(UInt64.random(in: .min ... .max), radix: 16)
        let graph =
            if let parent { ManagedObjectContext(parent: parent.graph) } else {
                coordinator.newContext(name: EditingContext.savingRoute)
            }
        let context = EditingContext(
            id: id, reader: reader, parent: parent, graph: graph, limits: limits, total: total,
            waiting: waiting)
        let time = now()
        // Released outside the lock, because they may hold many objects.
        var leaving: [EditingContext] = []
        defer { withExtendedLifetime(leaving) {} }
        let mustSweep = try state.withLock { state in
            if state.isClosed {
                throw Problem(.unavailable, "the service is stopping")
            }
            if state.entries.count >= limits.contexts { leaving = removeExpired(&state, at: time) }
            guard state.entries.count < limits.contexts else {
                throw full(state.entries.values.lazy.map(\.deadline).min() ?? time, time)
            }
            state.entries[id] = Entry(context: context, deadline: time + limits.contextSeconds)
            touch(parent, &state, at: time)
            defer { state.isSweeping = true }
            return !state.isSweeping
        }
        if mustSweep { sweepLater() }
        return context
    }

    private func full(_ next: Double, _ time: Double) -> Problem {
        Problem(
            .contextLimit, "there are \(limits.contexts) editing contexts, and no more are kept",
            hint: "DELETE those that are no longer needed; an unused one expires after "
                + "\(Int(limits.contextSeconds)) s",
            headers: [("Retry-After", String(max(1, Int((next - time).rounded(.up)))))])
    }

    // MARK: Finding

    /// The context with an id, whose expiry starts again.
    /// - Throws: `Problem`: 404 if the reader has none with the id, 410 if it has ended.
    func context(_ id: String, of reader: String) throws -> EditingContext {
        let time = now()
        var leaving: [EditingContext] = []
        defer { withExtendedLifetime(leaving) {} }
        return try state.withLock { state in
            if let entry = state.entries[id], entry.context.reader == reader {
                if entry.deadline > time {
                    touch(entry.context, &state, at: time)
                    return entry.context
                }
                leaving = remove(entry.context, .expired, &state)
            }
            throw state.gone.problem(of: id, reader)
        }
    }

    /// Waits for the caller's turn with the context, which lasts until `leave`.
    /// - Throws: `Problem`: 503 if the turn does not come in time, 410 if the context has ended.
    func enter(_ context: EditingContext) throws {
        try context.family.turn.take(
            seconds: limits.contextTurnSeconds, places: limits.contextTurnPlaces)
        do { try check(context) } catch {
            context.family.turn.leave()
            throw error
        }
    }

    /// Passes the turn on to the next request.
    func leave(_ context: EditingContext) {
        context.forgetWhatWasRead()
        touch(context)
        context.family.turn.leave()
    }

    /// - Throws: `Problem`: 410 if the context has ended.
    func check(_ context: EditingContext) throws {
        try state.withLock { state in
            if state.entries[context.id] == nil {
                throw state.gone.problem(of: context.id, context.reader)
            }
        }
    }

    /// Starts the expiry of a context again.
    /// - Returns: the time at which it expires.
    @discardableResult
    func touch(_ context: EditingContext) -> Double {
        let time = now()
        return state.withLock { state in
            touch(context, &state, at: time)
            return state.entries[context.id]?.deadline ?? time
        }
    }

    private func touch(_ context: EditingContext?, _ state: inout State, at time: Double) {
        var next = context
        while let one = next {
            state.entries[one.id]?.deadline = time + limits.contextSeconds
            next = one.parent
        }
    }

    // MARK: Ending

    /// Discards a context with its children and their unsaved changes.
    func remove(_ context: EditingContext) {
        // Released outside the lock, because they may hold many objects.
        _ = state.withLock { remove(context, .deleted, &$0) }
    }

    /// Discards all contexts, and makes no more.
    func close() {
        _ = state.withLock { state in
            state.isClosed = true
            defer { state.entries = [:] }
            return state.entries
        }
    }

    private func remove(
        _ context: EditingContext, _ reason: GoneContexts.Reason, _ state: inout State
    ) -> [EditingContext] {
        let leaving = state.entries.values.map(\.context).filter { one in
            sequence(first: one, next: \.parent).contains { $0 === context }
        }
        return forget(leaving, reason, &state)
    }

    private func removeExpired(_ state: inout State, at time: Double) -> [EditingContext] {
        // A parent expires no earlier than its children.
        let leaving = state.entries.values.filter { $0.deadline <= time }.map(\.context)
        return forget(leaving, .expired, &state)
    }

    private func forget(
        _ leaving: [EditingContext], _ reason: GoneContexts.Reason, _ state: inout State
    ) -> [EditingContext] {
        for context in leaving {
            state.entries[context.id] = nil
            state.gone.note(context, reason)
        }
        return leaving
    }

    /// Schedules a sweep for expired contexts. Sweeps go on while there are contexts.
    private func sweepLater() {
        let seconds = min(max(limits.contextSeconds / 4, 0.05), 60)
        sweeper.asyncAfter(deadline: .now() + seconds) { [weak self] in self?.sweep() }
    }

    private func sweep() {
        let time = now()
        let (_, goesOn) = state.withLock { state in
            let leaving = removeExpired(&state, at: time)
            state.isSweeping = !state.entries.isEmpty
            return (leaving, state.isSweeping)
        }
        if goesOn { sweepLater() }
    }
}

/// The contexts that have ended, as far as they are remembered, so that their clients are told why.
struct GoneContexts: Sendable {
    enum Reason: Sendable { case expired, deleted }

    /// The number of contexts that are remembered.
    static let limit = 10_000

    private var reasons: [String: (reason: Reason, reader: String)] = [:]
    /// The ids in the order in which the contexts ended, as a ring.
    private var order: [String] = []
    private var next = 0

    mutating func note(_ context: EditingContext, _ reason: Reason) {
        reasons[context.id] = (reason, context.reader)
        if order.count < Self.limit {
            order.append(context.id)
        } else {
            reasons[order[next]] = nil
            order[next] = context.id
            next = (next + 1) % Self.limit
        }
    }

    /// The error for an id that no context has.
    func problem(of id: String, _ reader: String) -> Problem {
        guard let gone = reasons[id], gone.reader == reader else {
            return Problem(
                .contextUnknown, "there is no editing context \(id.prefix(40))",
                hint: "POST /contexts makes one")
        }
        return Problem(
            .contextGone,
            gone.reason == .expired
                ? "the editing context \(id) was not used for too long and has expired"
                : "the editing context \(id) was deleted",
            hint: "its unsaved changes are lost; POST /contexts makes a new one")
    }
}
