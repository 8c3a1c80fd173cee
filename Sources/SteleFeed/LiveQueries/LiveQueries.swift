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
/// buffers to all streams of a query. Queries that take long are followed by another one of low
/// priority. Both start with the first live query.
public final class LiveQueries: Sendable {
    let coordinator: PersistentStoreCoordinator
    let renderer: LiveRenderer
    let options: ChangeFeed.Options
    let limits: Limits
    let logger: Logger
    let inbox = SavesInbox(LiveLetters())
    private let slowInbox = SavesInbox(LiveLetters())
    /// The keys of queries that take too long on the shared thread.
    let slow = SlowOnes<String>()

    /// The state of a requested query.
    private enum Standing {
        case building, followed
    }
    /// A query on a thread.
    private struct Place: Hashable {
        let key: String
        let lane: LiveLane
    }
    private struct Running: Sendable {
        var standings: [Place: Standing] = [:]
        /// The keys of queries whose streams are about to arrive, and how many do.
        var expected: [String: Int] = [:]
        var streams = 0
        /// How many rows all queries of a thread hold.
        var rows: [LiveLane: Int] = [:]
        /// How many rows the queries have that requests have built and no thread has received.
        var arriving = 0
        var threads: [LiveLane: SystemThread] = [:]
        var subscription: Subscription?
        var isStopped = false

        var allRows: Int { rows.values.reduce(arriving, +) }
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
        running.withLock { ($0.standings.count, $0.streams, $0.allRows) }
    }

    func inbox(of lane: LiveLane) -> SavesInbox<LiveLetters> {
        lane == .shared ? inbox : slowInbox
    }

    /// Ends all streams, each after its waiting buffers, and the threads.
    public func stop() {
        let (threads, subscription) = running.withLock { running in
            running.isStopped = true
            defer { (running.threads, running.subscription) = ([:], nil) }
            return (running.threads, running.subscription)
        }
        for lane in LiveLane.allCases { inbox(of: lane).stop() }
        subscription?.cancel()
        for thread in threads.values { thread.join() }
    }

    /// The response to a live query, or to several on one stream.
    /// - Throws: `Problem`, `PredicateError`, `StoreError`: the reason why a query cannot be
    ///   followed.
    package func answer(_ parts: [LivePart], _ request: Request) throws -> Response {
        try start()
        let stream = EventStream(capacity: .max)
        let arrival = LiveArrival(
            stream: stream, parts: parts,
            known: request.headers["Last-Event-ID"].flatMap { LiveID($0) },
            since: coordinator.currentToken)
        let lane = lane(of: arrival.keys)
        expect(arrival)
        do {
            for part in parts { try build(part.plan, for: arrival, on: lane) }
            try count(stream)
        } catch {
            welcome(arrival)
            throw error
        }
        send(arrival, to: lane)
        return .events(stream)
    }

    /// Keeps the queries of a stream from being released until it has arrived.
    func expect(_ arrival: LiveArrival) {
        running.withLock { running in
            for key in arrival.keys { running.expected[key, default: 0] += 1 }
        }
    }

    /// Notes that an expected stream is on the thread of its queries, or does not come.
    func welcome(_ arrival: LiveArrival) {
        running.withLock { running in
            for key in arrival.keys {
                let left = (running.expected[key] ?? 0) - 1
                running.expected[key] = left > 0 ? left : nil
            }
        }
    }

    /// Hands an expected stream to a thread, which welcomes it.
    func send(_ arrival: LiveArrival, to lane: LiveLane) {
        if inbox(of: lane).put({ $0.arrivals.append(arrival) }) { return }
        welcome(arrival)
        arrival.stream.finish()
    }

    /// The keys of queries whose streams are about to arrive.
    var expectedKeys: Set<String> { running.withLock { Set($0.expected.keys) } }

    private func start() throws {
        try running.withLock { running in
            guard running.threads.count < LiveLane.allCases.count, !running.isStopped else {
                return
            }
            if running.subscription == nil {
                let inboxes = LiveLane.allCases.map(inbox)
                running.subscription = coordinator.broadcast.subscribe(
                    { saves in for inbox in inboxes { inbox.put(saves) } },
                    changedElsewhere: { for inbox in inboxes { inbox.putChangedElsewhere() } })
            }
            for lane in LiveLane.allCases where running.threads[lane] == nil {
                let thread = SystemThread(name: lane.threadName) { [self] in
                    if lane == .slow { SystemThread.lowerPriority() }
                    LiveLoop(self, lane).run()
                }
                guard let thread else {
                    throw Problem(.busy, "live queries have no thread to run on")
                }
                running.threads[lane] = thread
            }
        }
    }

    /// The thread for a stream: all of its queries are followed by one.
    private func lane(of keys: [String]) -> LiveLane {
        let isSlow = keys.contains { slow.has($0) || isFollowed($0, only: .slow) }
        return isSlow ? .slow : .shared
    }

    private func isFollowed(_ key: String, only lane: LiveLane) -> Bool {
        running.withLock { running in
            running.standings[Place(key: key, lane: lane)] != nil
                && running.standings[Place(key: key, lane: lane.other)] == nil
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
    private func build(
        _ plan: LivePlan, for arrival: LiveArrival, on lane: LiveLane
    ) throws {
        let place = Place(key: plan.key, lane: lane)
        guard try take(place) else { return }
        do {
            let query = try made(plan, for: [arrival])
            try count(rowsOf: query, on: lane)
            inbox(of: lane).put { $0.built.append(query) }
        } catch {
            forget(plan.key, on: lane)
            inbox(of: lane).put { $0.failed.append((plan, error)) }
            throw error
        }
    }

    /// Takes one of the places for different queries.
    /// - Returns: false where the query is followed or being built already.
    private func take(_ place: Place) throws -> Bool {
        let isNew = tryTwice(LiveRoom(rows: 0), place.lane) { running -> Bool? in
            if running.standings[place] != nil { return false }
            guard running.standings.count < limits.liveQueries else { return nil }
            running.standings[place] = .building
            return true
        }
        if let isNew { return isNew }
        throw Problem(
            .busy, "\(limits.liveQueries) different live queries are followed",
            headers: [("Retry-After", "5")])
    }

    /// Counts the rows of a query that a request has built.
    /// - Throws: `Problem`, 503, where queries hold too many rows.
    private func count(rowsOf query: LiveQuery, on lane: LiveLane) throws {
        let weight = query.weight
        query.arrivingRows = weight
        let isCounted = tryTwice(LiveRoom(rows: weight), lane) { running -> Bool? in
            guard running.allRows + weight <= limits.liveRowsInAll else { return nil }
            running.arriving += weight
            running.standings[Place(key: query.plan.key, lane: lane)] = .followed
            return true
        }
        if isCounted == nil { throw tooManyRows(query) }
    }

    /// Whether a thread may follow a query that it has built; then it is counted.
    func takes(_ query: LiveQuery, on lane: LiveLane) -> Bool {
        running.withLock { running in
            guard running.allRows + query.weight <= limits.liveRowsInAll else { return false }
            running.rows[lane, default: 0] += query.weight
            running.standings[Place(key: query.plan.key, lane: lane)] = .followed
            return true
        }
    }

    /// The error for a query for which there is no room.
    func tooManyRows(_ query: LiveQuery) -> Problem {
        Problem(
            .busy,
            "live queries hold \(figures.rows) rows of at most \(limits.liveRowsInAll), and this "
                + "one has \(query.weight)",
            hint: "add a limit, or a narrower where", headers: [("Retry-After", "5")])
    }

    /// Makes an attempt. Where it gives nil, the thread is asked to release queries without
    /// listeners, which is waited for a second at most, and it is made again.
    private func tryTwice(
        _ room: LiveRoom, _ lane: LiveLane, _ attempt: (inout sending Running) -> sending Bool?
    ) -> Bool? {
        if let result = running.withLock(attempt) { return result }
        if inbox(of: lane).put({ $0.waiting.append(room) }) {
            room.alarm.sleep(until: MonotonicClock.deadline(in: 1))
        }
        return running.withLock(attempt)
    }

    /// A query with its snapshot, as the store is now.
    /// - Parameters:
    ///   - arrivals: streams that wait for it. Its log begins at the earliest save that one of them
    ///     knows, where the history has the saves since.
    ///   - budget: the limit on reading, for the shared thread.
    func made(
        _ plan: LivePlan, for arrivals: [LiveArrival], within budget: ReadBudget? = nil
    ) throws -> LiveQuery {
        let context = ManagedObjectContext(coordinator)
        defer { context.close() }
        if let budget {
            try context.reader().read(
                within: budget, matching: limits.liveJudging.match(changes: 0))
        }
        let query = try LiveQuery(plan, context)
        try renderer.takeSnapshot(of: query, context.seen(by: plan.sight))
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

    /// Whether a request is building it.
    func isBeingBuilt(_ key: String, on lane: LiveLane) -> Bool {
        running.withLock { $0.standings[Place(key: key, lane: lane)] == .building }
    }

    func forget(_ key: String, on lane: LiveLane) {
        running.withLock { $0.standings[Place(key: key, lane: lane)] = nil }
    }

    /// Sets how many rows all queries of a thread hold.
    /// - Parameter received: rows of them that were counted as arriving.
    func note(rows count: Int, received: Int = 0, on lane: LiveLane) {
        running.withLock { running in
            running.rows[lane] = count
            running.arriving -= received
        }
    }

    func note(followed key: String, on lane: LiveLane = .shared) {
        running.withLock { $0.standings[Place(key: key, lane: lane)] = .followed }
    }

    /// How many queries and rows a thread has.
    func load(of lane: LiveLane) -> (queries: Int, rows: Int) {
        running.withLock { running in
            (running.standings.keys.count { $0.lane == lane }, running.rows[lane] ?? 0)
        }
    }

    /// An error of a query as the data of an event.
    func problem(_ error: any Error, of plan: LivePlan) -> Problem {
        let answer = ErrorResponse(
            plan.sight?.told(error) ?? error, renderer: renderer.renderer,
            basePath: options.basePath)
        if let (id, text) = answer.secret {
            logger.error("a live query failed", metadata: ["id": "\(id)", "error": "\(text)"])
        }
        return answer.problem
    }
}
