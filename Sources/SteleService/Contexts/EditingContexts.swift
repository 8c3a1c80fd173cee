/// All editing contexts of a service: bounded in number, and gone when they are left alone.

import Dispatch
import SteleGraph
import SteleModel
import SteleRequests
import SteleSystem

/// The contexts that are kept, by their ids; any thread.
final class EditingContexts: Sendable {
    private struct Entry: Sendable {
        let context: EditingContext
        /// When it expires, unless it is used before.
        var deadline: Double
    }

    private struct State: Sendable {
        var entries: [String: Entry] = [:]
        var gone = GoneContexts()
        /// Whether a sweep is to come.
        var isSweeping = false
        var isClosed = false
    }

    private let coordinator: PersistentStoreCoordinator
    private let limits: Limits
    /// Seconds since 2001-01-01T00:00:00Z, never going back.
    private let now: @Sendable () -> Double
    private let state = Mutex(State())
    private let total = HeldTotal()
    private let waiting: WaitingPlaces
    private let sweeper = DispatchQueue(label: "stele.contexts")

    init(
        _ coordinator: PersistentStoreCoordinator, limits: Limits,
        now: @escaping @Sendable () -> Double
    ) {
        self.coordinator = coordinator
        self.limits = limits
        self.now = now
        waiting = WaitingPlaces(limits.contextTurnPlacesInAll)
    }

    /// The time of day at the start, continued by the monotonic clock: setting the system's clock
    /// neither expires contexts nor keeps them alive.
    static func steadyClock() -> @Sendable () -> Double {
        let (start, wall) = (MonotonicClock.now, ReferenceDate.now)
        return { wall + Double(MonotonicClock.now - start) / 1e9 }
    }

    /// How many there are.
    var count: Int { state.withLock { $0.entries.count } }

    // MARK: Making

    /// A new context.
    /// - Parameter parent: the context that it is a child of; its turn must be the caller's.
    /// - Throws: `Problem`: 429 where there are as many as may be, 422 for a child too deep, 503
    ///   where the service stops.
    func make(
        for reader: String, below parent: EditingContext?, _ name: String
    ) throws -> EditingContext {
        if let parent, parent.depth + 1 >= limits.contextDepth {
            throw Problem(
                .contextFull, "contexts nest \(limits.contextDepth) deep at most",
                hint: "save a child into its parent, and make another")
        }
        // Another service's id is none of this one's: they are drawn, not counted.
        let id = "c" + String(UInt64.random(in: .min ... .max), radix: 16)
        let graph =
            if let parent { ManagedObjectContext(parent: parent.graph) } else {
                coordinator.newContext(name: name)
            }
        let context = EditingContext(
            id: id, reader: reader, parent: parent, graph: graph, limits: limits, total: total,
            waiting: waiting)
        let time = now()
        // Given up outside the lock: there may be many objects in them.
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
            hint: "DELETE those that are done with; one left alone expires after "
                + "\(Int(limits.contextSeconds)) s",
            headers: [("Retry-After", String(max(1, Int((next - time).rounded(.up)))))])
    }

    // MARK: Finding

    /// The context of an id, which lives on from now.
    /// - Throws: `Problem`: 404 where the reader has none of the id, 410 where it has expired or was
    ///   deleted.
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

    /// Waits until the context is the caller's, which it is until `leave`.
    /// - Throws: `Problem`: 503 where others keep it for too long, 410 where it has ended meanwhile.
    func enter(_ context: EditingContext) throws {
        try context.family.turn.take(
            seconds: limits.contextTurnSeconds, places: limits.contextTurnPlaces)
        do { try check(context) } catch {
            context.family.turn.leave()
            throw error
        }
    }

    /// The next request has its turn.
    func leave(_ context: EditingContext) {
        context.forgetWhatWasRead()
        touch(context)
        context.family.turn.leave()
    }

    private func check(_ context: EditingContext) throws {
        try state.withLock { state in
            if state.entries[context.id] == nil {
                throw state.gone.problem(of: context.id, context.reader)
            }
        }
    }

    /// The context has just been used.
    /// - Returns: when it will expire.
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

    /// Forgets a context with its children and all that is unsaved in them.
    func remove(_ context: EditingContext) {
        // Given up outside the lock: there may be many objects in them.
        _ = state.withLock { remove(context, .deleted, &$0) }
    }

    /// Forgets all contexts, and makes no more.
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
        // A parent lives as long as its children at least.
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

    /// Looks for expired ones from time to time, as long as there are any at all.
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

/// Contexts that are no more, the last ones: so that their clients are told what has become of them.
struct GoneContexts: Sendable {
    enum Reason: Sendable { case expired, deleted }

    /// How many are remembered.
    static let limit = 10_000

    private var reasons: [String: (reason: Reason, reader: String)] = [:]
    /// The ids in the order of their ends, as a ring.
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

    /// What is said of an id that no context has.
    func problem(of id: String, _ reader: String) -> Problem {
        guard let gone = reasons[id], gone.reader == reader else {
            return Problem(
                .contextUnknown, "there is no editing context \(id.prefix(40))",
                hint: "POST /contexts makes one")
        }
        return Problem(
            .contextGone,
            gone.reason == .expired
                ? "the editing context \(id) was left alone for too long, and has expired"
                : "the editing context \(id) was deleted",
            hint: "what was not saved is lost; POST /contexts makes a new one")
    }
}
