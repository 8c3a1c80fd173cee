/// Live queries: lists as event streams that tell what each save changes of them.

import Logging
import SteleAnswers
import SteleGraph
import SteleHTTP
import StelePersistence
import SteleRequests
import SteleSystem

/// All live queries of a service (contract, section 7).
///
/// A query is built where its first request is answered: its rows' places and its snapshot come
/// from one view of the store. From then on one thread of its own follows the saves, for all
/// queries, and sends the same bytes to all streams of a query. The thread starts with the first
/// live query.
public final class LiveQueries: Sendable {
    let coordinator: PersistentStoreCoordinator
    let renderer: LiveRenderer
    let options: ChangeFeed.Options
    let limits: Limits
    let logger: Logger
    let inbox = SavesInbox(LiveLetters())

    /// How far a query is that somebody has asked for.
    private enum Standing {
        case building, followed
    }
    private struct Running: Sendable {
        var standings: [String: Standing] = [:]
        var streams = 0
        /// Rows that all queries hold.
        var rows = 0
        var thread: SystemThread?
        var subscription: Subscription?
        var isStopped = false
    }
    private let running = Mutex(Running())

    package init(
        _ coordinator: PersistentStoreCoordinator, limits: Limits, renderer: SnapshotRenderer,
        options: ChangeFeed.Options, logger: Logger
    ) {
        self.coordinator = coordinator
        self.renderer = LiveRenderer(limits: limits, renderer: renderer)
        self.options = options
        self.logger = logger
        self.limits = limits
    }

    /// Ends all streams: each gets what waits for it and its last chunk.
    public func stop() {
        let (thread, subscription) = running.withLock { running in
            running.isStopped = true
            defer { (running.thread, running.subscription) = (nil, nil) }
            return (running.thread, running.subscription)
        }
        inbox.stop()
        subscription?.cancel()
        thread?.join()
    }

    /// The answer to a live query, or to several on one stream.
    /// - Throws: `Problem`, `PredicateError`, `StoreError`: what keeps a query from being followed.
    package func answer(_ parts: [LivePart], _ request: Request) throws -> Response {
        try start()
        let stream = EventStream(capacity: .max)
        let arrival = LiveArrival(
            stream: stream, parts: parts,
            known: request.headers["Last-Event-ID"].flatMap { LiveID($0) })
        for part in parts { try build(part.plan, for: arrival) }
        try count(stream)
        if !inbox.put({ $0.arrivals.append(arrival) }) { stream.finish() }
        return .events(stream)
    }

    private func start() throws {
        try running.withLock { running in
            guard running.thread == nil, !running.isStopped else { return }
            let inbox = inbox
            running.subscription = coordinator.broadcast.subscribe(
                { inbox.put($0) }, changedElsewhere: { inbox.putChangedElsewhere() })
            running.thread = SystemThread(name: "stele-live") { [self] in
                LiveLoop(self).run()
            }
            guard running.thread != nil else {
                running.subscription?.cancel()
                throw Problem(.busy, "live queries have no thread to run on")
            }
        }
    }

    private func count(_ stream: EventStream) throws {
        let isFree = running.withLock { running in
            guard running.streams < limits.liveStreams else { return false }
            running.streams += 1
            return true
        }
        guard isFree else {
            throw Problem(
                .busy, "\(limits.liveStreams) streams of live queries are open",
                headers: [("Retry-After", "5")])
        }
        stream.onClose = { [weak self] in self?.running.withLock { $0.streams -= 1 } }
    }

    // MARK: Which queries there are

    /// Builds a query unless somebody does or has; then the stream waits for it on the thread.
    private func build(_ plan: LivePlan, for arrival: LiveArrival) throws {
        guard try takePlace(plan.key, beside: arrival.keys) else { return }
        do {
            let query = try made(plan, for: [arrival])
            try count(rowsOf: query, beside: arrival.keys)
            inbox.put { $0.built.append(query) }
        } catch {
            forget(plan.key)
            inbox.put { $0.failed.append((plan.key, error)) }
            throw error
        }
    }

    /// Takes one of the places that there are for different queries.
    /// - Returns: false where somebody builds this one or has.
    private func takePlace(_ key: String, beside keys: [String]) throws -> Bool {
        for isLastLook in [false, true] {
            let isNew = running.withLock { running -> Bool? in
                if running.standings[key] != nil { return false }
                guard running.standings.count < limits.liveQueries else { return nil }
                running.standings[key] = .building
                return true
            }
            if let isNew { return isNew }
            if !isLastLook { waitForRoom(LiveRoom(keys: keys, rows: 0)) }
        }
        throw Problem(
            .busy, "\(limits.liveQueries) different live queries are followed",
            headers: [("Retry-After", "5")])
    }

    private func count(rowsOf query: LiveQuery, beside keys: [String]) throws {
        let weight = query.weight
        var held = 0
        for isLastLook in [false, true] {
            let tooMany = running.withLock { running -> Int? in
                guard running.rows + weight <= limits.liveRowsInAll else { return running.rows }
                running.rows += weight
                running.standings[query.plan.key] = .followed
                return nil
            }
            guard let tooMany else { return }
            held = tooMany
            if !isLastLook { waitForRoom(LiveRoom(keys: keys, rows: weight)) }
        }
        throw Problem(
            .busy,
            "live queries hold \(held) rows of \(limits.liveRowsInAll) that they "
                + "may, and this one has \(weight)",
            hint: "add a limit, or a narrower where", headers: [("Retry-After", "5")])
    }

    /// Has the thread let go of queries that nobody listens to, and waits a second for it at most.
    private func waitForRoom(_ room: LiveRoom) {
        guard inbox.put({ $0.waiting.append(room) }) else { return }
        room.alarm.sleep(until: MonotonicClock.deadline(in: 1))
    }

    /// A query with its snapshot, as the store is now.
    /// - Parameter arrivals: who waits for it: what was to be told since the earliest save that one
    ///   of them knows is in the query's log, where the history tells it.
    func made(_ plan: LivePlan, for arrivals: [LiveArrival]) throws -> LiveQuery {
        let context = ManagedObjectContext(coordinator)
        defer { context.close() }
        let query = try LiveQuery(plan, context)
        try renderer.takeSnapshot(of: query, context)
        let known = arrivals.compactMap {
            $0.number(of: plan.key, in: query.generation, coordinator)
        }
        if let token = known.min(),
            let log = try renderer.log(of: query, since: token, context)
        {
            query.log = log
        }
        return query
    }

    /// Whether someone is at building it.
    func isBeingBuilt(_ key: String) -> Bool {
        running.withLock { $0.standings[key] == .building }
    }

    func forget(_ key: String) {
        running.withLock { $0.standings[key] = nil }
    }

    /// How many rows all queries hold now.
    func note(rows count: Int) {
        running.withLock { $0.rows = count }
    }

    func note(followed key: String) {
        running.withLock { $0.standings[key] = .followed }
    }

    /// What a client is told of an error, as an event's data.
    func problem(_ error: any Error) -> Problem {
        let answer = ErrorResponse(
            error, renderer: renderer.renderer, basePath: options.basePath)
        if let (id, text) = answer.secret {
            logger.error("a live query failed", metadata: ["id": "\(id)", "error": "\(text)"])
        }
        return answer.problem
    }
}
