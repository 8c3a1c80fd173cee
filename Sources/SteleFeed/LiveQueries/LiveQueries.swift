/// Live queries: lists as event streams, with the changes that each save makes to them.

import Logging
import SteleAnswers
import SteleGraph
import SteleHTTP
import StelePersistence
import SteleRequests
import SteleSystem

/// All live queries of a service (contract, section 7).
///
/// The thread of its first request builds a query: the order of its rows and its snapshot come from
/// one view of the store. Then one thread follows the saves for all queries, and sends the same
/// buffers to all streams of a query. It starts with the first live query.
public final class LiveQueries: Sendable {
    let coordinator: PersistentStoreCoordinator
    let renderer: LiveRenderer
    let options: ChangeFeed.Options
    let limits: Limits
    let logger: Logger
    let inbox = SavesInbox(LiveLetters())

    /// The state of a requested query.
    private enum Standing {
        case building, followed
    }
    private struct Running: Sendable {
        var standings: [String: Standing] = [:]
        var streams = 0
        /// How many rows all queries hold.
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

    /// How many queries there are, how many streams follow them, and how many rows they hold.
    package var figures: (queries: Int, streams: Int, rows: Int) {
        running.withLock { ($0.standings.count, $0.streams, $0.rows) }
    }

    /// Ends all streams, each after its waiting buffers, and the thread.
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

    /// The response to a live query, or to several on one stream.
    /// - Throws: `Problem`, `PredicateError`, `StoreError`: the reason why a query cannot be
    ///   followed.
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

    // MARK: Building queries

    /// Builds a query unless it is built or being built; the stream waits for it on the thread.
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

    /// Takes one of the places for different queries.
    /// - Returns: false where the query is followed or being built already.
    private func takePlace(_ key: String, beside keys: [String]) throws -> Bool {
        let isNew = tryTwice(LiveRoom(keys: keys, rows: 0)) { running -> Bool? in
            if running.standings[key] != nil { return false }
            guard running.standings.count < limits.liveQueries else { return nil }
            running.standings[key] = .building
            return true
        }
        if let isNew { return isNew }
        throw Problem(
            .busy, "\(limits.liveQueries) different live queries are followed",
            headers: [("Retry-After", "5")])
    }

    private func count(rowsOf query: LiveQuery, beside keys: [String]) throws {
        let weight = query.weight
        var held = 0
        let isCounted = tryTwice(LiveRoom(keys: keys, rows: weight)) { running -> Bool? in
            held = running.rows
            guard held + weight <= limits.liveRowsInAll else { return nil }
            running.rows += weight
            running.standings[query.plan.key] = .followed
            return true
        }
        if isCounted != nil { return }
        throw Problem(
            .busy,
            "live queries hold \(held) rows of at most \(limits.liveRowsInAll), and this one has "
                + "\(weight)",
            hint: "add a limit, or a narrower where", headers: [("Retry-After", "5")])
    }

    /// Makes an attempt. Where it gives nil, the thread is asked to release queries without
    /// listeners, which is waited for a second at most, and it is made again.
    private func tryTwice(
        _ room: LiveRoom, _ attempt: (inout sending Running) -> sending Bool?
    ) -> Bool? {
        if let result = running.withLock(attempt) { return result }
        if inbox.put({ $0.waiting.append(room) }) {
            room.alarm.sleep(until: MonotonicClock.deadline(in: 1))
        }
        return running.withLock(attempt)
    }

    /// A query with its snapshot, as the store is now.
    /// - Parameter arrivals: streams that wait for it. Its log begins at the earliest save that one
    ///   of them knows, where the history has the saves since.
    func made(_ plan: LivePlan, for arrivals: [LiveArrival]) throws -> LiveQuery {
        let context = ManagedObjectContext(coordinator)
        defer { context.close() }
        let query = try LiveQuery(plan, context)
        try renderer.takeSnapshot(of: query, context.seen(by: plan.sight))
        let known = arrivals.compactMap {
            $0.number(of: plan.key, in: query.generation, coordinator)
        }
        if let token = known.min(),
            let log = try renderer.log(
                of: query, since: token, context.seen(by: plan.sight))
        {
            query.log = log
        }
        return query
    }

    /// Whether a request is building it.
    func isBeingBuilt(_ key: String) -> Bool {
        running.withLock { $0.standings[key] == .building }
    }

    func forget(_ key: String) {
        running.withLock { $0.standings[key] = nil }
    }

    /// Sets how many rows all queries hold.
    func note(rows count: Int) {
        running.withLock { $0.rows = count }
    }

    func note(followed key: String) {
        running.withLock { $0.standings[key] = .followed }
    }

    /// An error as the data of an event.
    func problem(_ error: any Error) -> Problem {
        let answer = ErrorResponse(
            error, renderer: renderer.renderer, basePath: options.basePath)
        if let (id, text) = answer.secret {
            logger.error("a live query failed", metadata: ["id": "\(id)", "error": "\(text)"])
        }
        return answer.problem
    }
}
