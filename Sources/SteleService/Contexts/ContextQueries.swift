/// The live queries of all editing contexts.

import Logging
import SteleAnswers
import SteleFeed
import SteleGraph
import SteleHTTP
import StelePersistence
import SteleRequests
import SteleSystem

/// Follows the lists of editing contexts. One thread of low priority reads them again after the
/// requests that write to their contexts, and after saves to the store. It waits for its turn as a
/// request does. It begins with the first live query, and ends when this is released or stopped.
final class ContextQueries: Sendable {
    /// The most live queries of a context and its relatives.
    static let most = 16

    private let core: Core
    private let subscription: Subscription
    private let thread = Mutex<SystemThread?>(nil)

    init(
        _ coordinator: PersistentStoreCoordinator, _ contexts: EditingContexts,
        _ options: Service.Options, _ logger: Logger
    ) {
        let core = Core(contexts, options, logger)
        self.core = core
        subscription = coordinator.broadcast.subscribe { _ in
            core.noteSave()
        } changedElsewhere: {
            core.noteSave()
        }
    }

    deinit { stop() }

    /// Ends all streams, and the thread.
    func stop() {
        subscription.cancel()
        core.stop()
        thread.withLock { $0.take() }?.join()
    }

    /// The response to a live query. The caller has the context's turn.
    /// - Throws: as reading the list; `Problem` if the context has too many live queries.
    func answer(
        _ plan: LivePlan, _ call: Call, in place: Place, of editing: EditingContext
    ) throws -> Response {
        let family = editing.family
        family.queries.removeAll(where: \.isOver)
        guard family.queries.count < Self.most else {
            throw Problem(
                .contextFull, "an editing context has at most \(Self.most) live queries",
                hint: "close one of its event streams first")
        }
        let query = ContextQuery(plan, call, in: place, of: editing, core.options)
        try query.begin(retryMilliseconds: core.options.feed.retryMilliseconds)
        try start()
        family.queries.append(query)
        core.add(family)
        query.stream.onClose = { [weak core, weak family] in
            if let family { core?.note(family) }
        }
        return .events(query.stream)
    }

    /// Notes that a request has written to a context.
    func note(_ editing: EditingContext) { core.note(editing.family) }

    private func start() throws {
        try thread.withLock { thread in
            if thread != nil { return }
            let core = core
            thread = SystemThread(name: "stele-ctx-live") {
                SystemThread.lowerPriority()
                core.run()
            }
            if thread == nil {
                throw Problem(.busy, "live queries have no thread to run on")
            }
        }
    }
}

extension ContextQueries {
    /// What the thread shares with requests.
    private final class Core: Sendable {
        private struct State: Sendable {
            /// The families with live queries.
            var families: [ObjectIdentifier: ContextFamily] = [:]
            /// Those of them that a request has written to.
            var changed: Set<ObjectIdentifier> = []
            /// Whether the store has changed, which concerns all.
            var isSaved = false
            var isStopped = false

            var hasNews: Bool { isStopped || isSaved || !changed.isEmpty }
        }

        let options: Service.Options
        private let contexts: EditingContexts
        private let logger: Logger
        private let state = Monitor(State())

        init(_ contexts: EditingContexts, _ options: Service.Options, _ logger: Logger) {
            self.contexts = contexts
            self.options = options
            self.logger = logger
        }

        func add(_ family: ContextFamily) {
            state.withLock { $0.families[ObjectIdentifier(family)] = family }
        }

        func note(_ family: ContextFamily) {
            let id = ObjectIdentifier(family)
            let isFollowed = state.withLock { state in
                guard state.families[id] != nil else { return false }
                state.changed.insert(id)
                return true
            }
            if isFollowed { state.signal() }
        }

        func noteSave() {
            let isFollowed = state.withLock { state in
                state.isSaved = !state.families.isEmpty
                return state.isSaved
            }
            if isFollowed { state.signal() }
        }

        func stop() {
            state.withLock { $0.isStopped = true }
            state.signal()
        }

        func run() {
            let pause = UInt64(max(options.feed.heartbeatSeconds, 0.001) * 1e9)
            var beatAt = MonotonicClock.now &+ pause
            while true {
                let (families, isStopped) = state.withLock(when: \.hasNews, until: beatAt) {
                    state, _ in take(&state, isBeat: MonotonicClock.now >= beatAt)
                }
                let began = MonotonicClock.now
                let isBeat = began >= beatAt
                var isLate = false
                for family in families
                where !follow(family, isBeat: isBeat, isStopped: isStopped) {
                    note(family)
                    isLate = true
                }
                if isStopped { return }
                let now = MonotonicClock.now
                if isBeat { beatAt = now &+ pause }
                // Reading takes half of the thread's time at most, whatever the rate of saves is.
                let rest = isLate ? Self.retryNanoseconds : min(now &- began, pause)
                state.withLock(when: { $0.isStopped }, until: now &+ rest) { _, _ in }
            }
        }

        /// How long a family waits that could not be followed.
        private static let retryNanoseconds: UInt64 = 500_000_000

        private func take(
            _ state: inout State, isBeat: Bool
        ) -> (families: [ContextFamily], isStopped: Bool) {
            let isForAll = isBeat || state.isSaved || state.isStopped
            let families = state.families.filter { isForAll || state.changed.contains($0.key) }
            (state.changed, state.isSaved) = ([], false)
            return (Array(families.values), state.isStopped)
        }

        /// Brings the queries of a family up to date.
        /// - Returns: false if that has to be tried again.
        private func follow(_ family: ContextFamily, isBeat: Bool, isStopped: Bool) -> Bool {
            do {
                try family.turn.take(seconds: options.limits.contextTurnSeconds, places: .max)
            } catch {
                return false
            }
            defer { family.turn.leave() }
            var isDone = true
            for query in family.queries where !query.isOver {
                if isStopped {
                    query.finish()
                    continue
                }
                if isBeat { query.beat() }
                do {
                    try contexts.check(query.editing)
                    // An open stream keeps its context from expiring.
                    contexts.touch(query.editing)
                    try query.advance()
                    query.editing.forgetWhatWasRead()
                } catch let error as StoreError where error.mayPass {
                    isDone = false
                } catch {
                    query.end(problem(error, query), basePath: options.basePath)
                }
            }
            family.queries.removeAll(where: \.isOver)
            if family.queries.isEmpty {
                state.withLock { $0.families[ObjectIdentifier(family)] = nil }
            }
            return isDone
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
