/// A round of the live queries' thread, which advances all queries to the same save.

import SteleGraph
import SteleHTTP
import StelePersistence
import StelePredicates
import SteleSystem

/// Some saves, and a view of the store once one is needed.
final class LiveRound {
    private let loop: LiveLoop
    private let view: SavesView
    /// Whether the round begins with reading the store, and reads queries again that another
    /// program has made stale.
    private let mustRead: Bool
    private let context: RoundContext
    private let time: JudgingTime

    /// The context of a round, opened when something has to be read.
    private final class RoundContext {
        package let coordinator: PersistentStoreCoordinator
        private var opened: ManagedObjectContext?
        private var sighted: [String: ManagedObjectContext] = [:]

        package init(_ coordinator: PersistentStoreCoordinator) { self.coordinator = coordinator }

        package func get() -> ManagedObjectContext {
            if let opened { return opened }
            let made = ManagedObjectContext(coordinator)
            opened = made
            return made
        }

        /// A context of the same view, with what is seen alone.
        package func get(_ sight: Sight?) throws -> ManagedObjectContext {
            guard let sight else { return get() }
            if let known = sighted[sight.name] { return known }
            let made = try get().seen(by: sight)
            sighted[sight.name] = made
            return made
        }

        package func close() {
            for context in sighted.values { context.close() }
            opened?.close()
        }
    }

    package init(_ loop: LiveLoop, _ mail: SavesInbox<LiveLetters>.Mail, isBehind: Bool) {
        self.loop = loop
        let context = RoundContext(loop.hub.coordinator)
        self.context = context
        let limits = loop.hub.limits
        if loop.lane == .shared {
            time = JudgingTime(shared: limits.liveJudging)
        } else {
            time = JudgingTime(slow: limits.slowLiveJudging, beyond: limits.liveJudging) {
                !loop.isStopping
            }
        }
        let now = MonotonicClock.now
        let tokens = loop.queries.values.filter { $0.loss == nil }.map(\.token)
        let saves = Array(mail.told.saves.drop { $0.number <= loop.position })
        // A gap is another program's saves, or saves that the inbox has discarded; a new query is a
        // little ahead or behind.
        let isNext = saves.last.map { $0.number - loop.position == Int64(saves.count) } ?? true
        let isEven = tokens.allSatisfy { $0 == loop.position }
        let isWhole = isNext && isEven
        let mustRead =
            isBehind || !isWhole || mail.isChangedElsewhere
            || mail.told.latest > saves.last?.number ?? loop.position
            || loop.pending.contains { $0.since > saves.last?.number ?? loop.position }
            || loop.isStale(in: loop.hub.coordinator.cacheGeneration)
            || loop.queries.values.contains { query in
                query.loss.map { $0.retryAt <= now } ?? loop.wantsSnapshot(query)
            }
        self.mustRead = mustRead
        view = SavesView(
            after: isWhole ? loop.position : min(loop.position, tokens.min() ?? loop.position),
            isWhole ? saves : []
        ) {
            let reader = try context.get().reader()
            let generation = try context.get().cacheGeneration()
            // Another program's change is in the view: the rows that are read would count as
            // changed by the saves alone.
            guard generation == loop.hub.coordinator.cacheGeneration,
                mustRead || !loop.isStale(in: generation)
            else { throw StoreError.moved("another program has changed the store") }
            let inbox = loop.hub.inbox(of: loop.lane)
            reader.read { !inbox.isStopping }
            return reader
        }
    }

    package func close() { context.close() }

    /// - Throws: where the store cannot be read; it can be tried again.
    package func run() throws {
        var isRebuilt = false
        if mustRead {
            try view.reader()
            isRebuilt = try rebuild()
            // What was not read again yet cannot advance.
            if loop.isUneven { return loop.sendPlaces() }
        }
        try advanceAll()
        if !view.isOpen, loop.queries.values.contains(where: loop.wantsSnapshot) {
            try view.reader()
            try advanceAll()
        }
        let isFurther = view.token > loop.position
        loop.position = max(loop.position, view.token)
        for query in loop.queries.values.filter(loop.wantsSnapshot) where goesOn() {
            do {
                limit(changes: 0)
                try loop.hub.renderer.takeSnapshot(of: query, context.get(query.plan.sight))
            } catch {
                lose(query, error)
            }
        }
        if isRebuilt {
            // The ids from before are not valid any more.
            loop.sendPlaces()
        } else if isFurther {
            loop.sendPlacesShared()
        }
    }

    private func advanceAll() throws {
        // Reading for one query may extend the view for those before it.
        while !loop.isStopping, !loop.isUneven {
            let behind = loop.queries.values.filter { $0.loss == nil && $0.token < view.token }
            if behind.isEmpty { return }
            for query in Self.inOrder(behind) where goesOn() {
                if loop.queries[query.plan.key] === query, query.loss == nil {
                    try advance(query)
                }
            }
        }
    }

    /// Those without patterns first, then those that took little last.
    private static func inOrder(_ queries: [LiveQuery]) -> [LiveQuery] {
        queries.sorted { ($0.hasPatterns ? 1 : 0, $0.judged) < ($1.hasPatterns ? 1 : 0, $1.judged) }
    }

    /// Whether there is time for another query in this round. Where many slow ones were found,
    /// quick ones with later saves come first again.
    private func goesOn() -> Bool {
        if time.isCrowded { loop.isUneven = true }
        loop.keepAlive()
        return !loop.isUneven && !loop.isStopping
    }

    /// Begins the time of a query.
    /// - Parameter changes: how many it follows; 0 where it is read as a whole, which takes its
    ///   time on the thread for slow queries.
    private func limit(changes: Int) {
        time.begin(changes: changes)
        var match = time.match
        if changes == 0, !time.isShared {
            match = .standard
            match.isOfProcessor = true
        }
        view.limits = SavesView.Limits(
            match: match, reading: time.reading(changes: changes),
            joinsSaves: !time.isShared, isLeft: time.isLeft
        ) { [time] in time.begin(changes: changes) }
    }

    private func advance(_ query: LiveQuery) throws {
        let start = query.token
        limit(changes: view.changes(after: start))
        let spent = time.spent
        do {
            var after = start
            var events: [LiveEvent] = []
            for difference in try query.advance(in: view) {
                let event = try loop.hub.renderer.event(
                    difference, of: query, in: view, after: after, shown: &query.shown
                ) {
                    try self.view.reader()
                    return try self.context.get(query.plan.sight)
                }
                if let event { events.append(event) }
                after = difference.token
            }
            // Sending is not the query's time.
            let isLeft = time.isLeft()
            let isLong = time.end()
            query.judged = time.spent - spent
            for event in events { tell(event, query) }
            settle(query, isLeft: isLeft, isLong: isLong)
        } catch {
            let isUnopened =
                !view.isOpen && error is StoreError && !loop.lane.isTooLong(error)
            // A query that has not advanced when the view could not be opened is still valid.
            if !isUnopened || query.token != start { lose(query, error) }
            if isUnopened { throw error }
        }
    }

    /// Has a query followed by the thread that has time for it.
    private func settle(_ query: LiveQuery, isLeft: Bool, isLong: Bool) {
        if !isLeft, !loop.isStopping {
            time.endAsSlow()
            loop.slowDown(query, isLost: false)
        } else if isLong {
            loop.hub.slow.note(query.plan.key)
        } else if loop.lane == .slow, !loop.hub.slow.has(query.plan.key) {
            loop.speedUp(query)
        }
    }

    private func lose(_ query: LiveQuery, _ error: any Error) {
        if loop.lane.isTooLong(error) { time.endAsSlow() } else { time.end() }
        loop.lose(query, error)
    }

    private func tell(_ event: LiveEvent, _ query: LiveQuery) {
        query.log.append(event)
        var rendered: [String: [UInt8]] = [:]
        for member in query.members {
            for (index, part) in member.parts.enumerated() where part.key == query.plan.key {
                let buffer = loop.event(event, to: member, part: index, sharing: &rendered)
                if !member.send(buffer) {
                    loop.remove(member)
                    break
                }
            }
        }
    }

    /// Reads queries again that were read before another program's change or whose result is not
    /// current, and sends a snapshot where listeners have another result.
    /// - Returns: whether there were any.
    private func rebuild() throws -> Bool {
        let generation = try context.get().cacheGeneration()
        let now = MonotonicClock.now
        let stale = loop.queries.values.filter { query in
            query.loss.map { $0.retryAt <= now } ?? (query.generation != generation)
        }
        for query in Self.inOrder(stale) where goesOn() {
            do {
                limit(changes: 0)
                let fresh = try LiveQuery(query.plan, context.get())
                try loop.hub.renderer.takeSnapshot(
                    of: fresh, context.get(query.plan.sight))
                fresh.members = query.members
                fresh.idleSince = query.idleSince
                fresh.judged = query.judged
                loop.queries[query.plan.key] = fresh
                if !fresh.isShown(byListenersOf: query) { loop.resend(fresh) }
            } catch {
                lose(query, error)
            }
        }
        return !stale.isEmpty
    }
}
