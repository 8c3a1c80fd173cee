/// The live queries of all editing contexts.

import Logging
import SteleAnswers
import SteleFeed
import SteleGraph
import SteleHTTP
import StelePersistence
import SteleRequests
import SteleSystem

/// Follows the lists of editing contexts. One thread reads them again after the requests that write
/// to their contexts, and after saves to the store. It takes its turn with a context as a request
/// does. It begins with the first live query, and ends when this is released or stopped.
final class ContextQueries: Sendable {
    /// The most live queries of a context and its relatives.
    static let most = 16

    /// What runs from the first live query on.
    private struct Running: Sendable {
        var thread: SystemThread?
        var subscription: Subscription?
        var isStopped = false
    }

    private let coordinator: PersistentStoreCoordinator
    private let core: Core
    private let running = Mutex(Running())

    init(
        _ coordinator: PersistentStoreCoordinator, _ contexts: EditingContexts,
        _ options: Service.Options, _ logger: Logger
    ) {
        self.coordinator = coordinator
        core = Core(contexts, options, logger)
    }

    deinit { stop() }

    /// Ends all streams, and the thread.
    func stop() {
        let former = running.withLock { running in
            defer { (running.thread, running.subscription, running.isStopped) = (nil, nil, true) }
            return running
        }
        former.subscription?.cancel()
        core.stop()
        former.thread?.join()
    }

    /// The response to a live query. The caller has the context's turn.
    /// - Parameter plan: makes the plan, again when objects have other ids.
    /// - Throws: as making the plan and reading the list; `Problem` if there are too many live
    ///   queries.
    func answer(
        of editing: EditingContext, in place: Place,
        _ plan: @escaping @Sendable () throws -> LivePlan?
    ) throws -> Response {
        let query = ContextQuery(of: editing, in: place, core.options, plan)
        try start()
        // It is known before its list is read, so that no save falls between the two.
        try core.add(query)
        do { try query.begin(retryMilliseconds: core.options.feed.retryMilliseconds) } catch {
            core.remove(query)
            throw error
        }
        query.stream.onClose = { [weak core, weak editing] in
            if let editing { core?.note(editing) }
        }
        return .events(query.stream)
    }

    /// Notes that a request has written to a context.
    func note(_ editing: EditingContext) { core.note(editing) }

    private func start() throws {
        try running.withLock { running in
            if running.isStopped { throw Problem(.unavailable, "the service is stopping") }
            if running.thread != nil { return }
            let core = core
            guard let thread = SystemThread(name: "stele-ctx-live", { core.run() }) else {
                throw Problem(.busy, "live queries have no thread to run on")
            }
            running.thread = thread
            running.subscription = coordinator.broadcast.subscribe { _ in
                core.noteSave()
            } changedElsewhere: {
                core.noteSave()
            } poll: { [weak coordinator] in
                if core.isFollowing { _ = coordinator?.store.noticesForeignChange() }
            }
        }
    }
}

extension ContextQueries {
    /// What the thread shares with requests.
    private final class Core: Sendable {
        private struct State: Sendable {
            var queries: [ContextQuery] = []
            /// The families that a request has written to.
            var changed: Set<ObjectIdentifier> = []
            /// Whether the store has changed, which concerns all.
            var isSaved = false
            var isStopped = false

            var hasNews: Bool { isStopped || isSaved || !changed.isEmpty }

            /// Removes the queries that are over. They may hold the last reference to their context,
            /// so they are released without the lock.
            mutating func takeOver() -> [ContextQuery] {
                let over = queries.filter(\.isOver)
                if !over.isEmpty { queries.removeAll(where: \.isOver) }
                return over
            }
        }

        let options: Service.Options
        private let contexts: EditingContexts
        private let logger: Logger
        private let state = Monitor(State())
        /// How long the thread waits for a context that a request has, before it follows others.
        private static let turnSeconds = 0.05
        /// How long a query waits that could not be read.
        private static let retryNanoseconds: UInt64 = 500_000_000

        init(_ contexts: EditingContexts, _ options: Service.Options, _ logger: Logger) {
            self.contexts = contexts
            self.options = options
            self.logger = logger
        }

        // MARK: Called by requests

        var isFollowing: Bool { state.withLock { !$0.queries.isEmpty } }

        func add(_ query: ContextQuery) throws {
            let limits = options.limits
            var over: [ContextQuery] = []
            defer { withExtendedLifetime(over) {} }
            try state.withLock { state in
                if state.isStopped { throw Problem(.unavailable, "the service is stopping") }
                over = state.takeOver()
                let family = query.editing.family
                guard state.queries.count(where: { $0.editing.family === family }) < most else {
                    throw Problem(
                        .contextFull, "an editing context has at most \(most) live queries",
                        hint: "close one of its event streams first")
                }
                guard state.queries.count < limits.liveQueries,
                    state.queries.reduce(0, { $0 + $1.count }) < limits.liveRowsInAll
                else {
                    throw Problem(
                        .busy,
                        "\(state.queries.count) live queries of editing contexts are open, and "
                            + "there is no room for more", headers: [("Retry-After", "5")])
                }
                state.queries.append(query)
            }
        }

        func remove(_ query: ContextQuery) {
            state.withLock { $0.queries.removeAll { $0 === query } }
        }

        func note(_ editing: EditingContext) {
            let isFollowed = state.withLock { state in
                guard state.queries.contains(where: { $0.editing.family === editing.family }) else {
                    return false
                }
                state.changed.insert(ObjectIdentifier(editing.family))
                return true
            }
            if isFollowed { state.signal() }
        }

        func noteSave() {
            let isFollowed = state.withLock { state in
                state.isSaved = !state.queries.isEmpty
                return state.isSaved
            }
            if isFollowed { state.signal() }
        }

        func stop() {
            state.withLock { $0.isStopped = true }
            state.signal()
        }

        // MARK: The thread

        func run() {
            // Streams keep contexts from expiring, so they are asked more often than those expire.
            let seconds = min(options.heartbeatSeconds, options.limits.contextSeconds / 3)
            let pause = UInt64(max(seconds, 0.001) * 1e9)
            var beatAt = MonotonicClock.now &+ pause
            while true {
                var over: [ContextQuery] = []
                let news = state.withLock(when: \.hasNews, until: beatAt) { state, _ in
                    over = state.takeOver()
                    defer { (state.changed, state.isSaved) = ([], false) }
                    return state
                }
                over.removeAll()
                let queries = news.queries
                if news.isStopped { return queries.forEach { $0.finish() } }
                let began = MonotonicClock.now
                if began >= beatAt {
                    for query in queries { beat(query) }
                    beatAt = began &+ pause
                }
                let isLate = !follow(
                    queries.filter {
                        news.isSaved || news.changed.contains(ObjectIdentifier($0.editing.family))
                            || $0.loss.map { $0.retryAt <= began } ?? false
                    })
                let now = MonotonicClock.now
                if isLate { beatAt = min(beatAt, now &+ Self.retryNanoseconds) }
                // Reading takes half of the thread's time at most, whatever the rate of saves is.
                state.withLock(
                    when: { $0.isStopped }, until: now &+ min(now &- began, Self.retryNanoseconds)
                ) { _, _ in }
            }
        }

        private func beat(_ query: ContextQuery) {
            query.beat()
            if !query.isOver { contexts.touch(query.editing) }
        }

        /// Brings queries up to date.
        /// - Returns: false if some of them have to be read later.
        private func follow(_ queries: [ContextQuery]) -> Bool {
            var isDone = true
            for (_, family) in Dictionary(
                grouping: queries, by: { ObjectIdentifier($0.editing.family) })
            {
                guard let turn = family.first?.editing.family.turn,
                    !state.withLock({ $0.isStopped })
                else { continue }
                do { try turn.take(seconds: Self.turnSeconds, places: .max) } catch {
                    family.first.map { note($0.editing) }
                    isDone = false
                    continue
                }
                defer { turn.leave() }
                for query in family where !query.isOver {
                    advance(query)
                    if query.loss != nil { isDone = false }
                }
            }
            return isDone
        }

        private func advance(_ query: ContextQuery) {
            do {
                try contexts.check(query.editing)
                defer { query.editing.forgetWhatWasRead() }
                try query.advance()
                query.loss = nil
            } catch {
                let isTooLong =
                    switch error {
                    case StoreError.deadline, StoreError.overBudget: true
                    default: false
                    }
                query.loss =
                    isTooLong
                    ? nil
                    : LiveLoss(
                        error, after: query.loss, retryNanoseconds: Self.retryNanoseconds,
                        seconds: options.limits.liveRetrySeconds)
                if query.loss == nil {
                    query.end(problem(error, query), basePath: options.basePath)
                }
            }
        }

        private func problem(_ error: any Error, _ query: ContextQuery) -> Problem {
            let answer = ErrorResponse(
                error, renderer: query.answers.renderer, basePath: options.basePath,
                isEditing: true)
            if let (id, text) = answer.secret {
                logger.error(
                    "a live query failed", metadata: ["id": "\(id)", "error": "\(text)"])
            }
            return answer.problem
        }
    }
}
