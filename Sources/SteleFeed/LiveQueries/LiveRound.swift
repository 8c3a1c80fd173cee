/// A round of the live queries' thread, which advances all queries to the same save.

import SteleGraph
import SteleHTTP
import StelePersistence
import SteleSystem

/// Some saves, and a view of the store once one is needed.
final class LiveRound {
    private let loop: LiveLoop
    private let view: SavesView
    /// Whether the round begins with reading the store, and reads queries again that another
    /// program has made stale.
    private let mustRead: Bool
    private let context: RoundContext

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
        let now = MonotonicClock.now
        let tokens = loop.queries.values.filter { $0.loss == nil }.map(\.token)
        let saves = Array(mail.told.saves.drop { $0.number <= loop.position })
        // A gap is another program's saves, or saves that the inbox has discarded; a new query is a
        // little ahead or behind.
        let isNext = saves.last.map { $0.number - loop.position == Int64(saves.count) } ?? true
        let isEven = tokens.allSatisfy { $0 == loop.position }
        let isWhole = isNext && isEven
        let mustRead =
            isBehind || !isWhole || mail.told.latest > saves.last?.number ?? loop.position
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
        }
        try advanceAll()
        if !view.isOpen, loop.queries.values.contains(where: loop.wantsSnapshot) {
            try view.reader()
            try advanceAll()
        }
        let isFurther = view.token > loop.position
        loop.position = max(loop.position, view.token)
        for query in Array(loop.queries.values) where loop.wantsSnapshot(query) {
            do {
                try loop.hub.renderer.takeSnapshot(of: query, context.get(query.plan.sight))
            } catch {
                loop.lose(query, error)
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
        while let query = loop.queries.values.first(
            where: { $0.loss == nil && $0.token < view.token })
        {
            try advance(query)
        }
    }

    private func advance(_ query: LiveQuery) throws {
        let start = query.token
        do {
            var after = start
            for difference in try query.advance(in: view) {
                let event = try loop.hub.renderer.event(
                    difference, of: query, in: view, after: after, shown: &query.shown
                ) {
                    try self.view.reader()
                    return try self.context.get(query.plan.sight)
                }
                if let event { tell(event, query) }
                after = difference.token
            }
        } catch {
            let isUnopened = !view.isOpen && error is StoreError
            // A query that has not advanced when the view could not be opened is still valid.
            if !isUnopened || query.token != start { loop.lose(query, error) }
            if isUnopened { throw error }
        }
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
        for query in stale {
            do {
                let fresh = try LiveQuery(query.plan, context.get())
                try loop.hub.renderer.takeSnapshot(
                    of: fresh, context.get(query.plan.sight))
                fresh.members = query.members
                fresh.idleSince = query.idleSince
                loop.queries[query.plan.key] = fresh
                if !fresh.isShown(byListenersOf: query) { loop.resend(fresh) }
            } catch {
                loop.lose(query, error)
            }
        }
        return !stale.isEmpty
    }
}
