/// The change feed: the history as an event stream without an end, and as pages of JSON.

import Dispatch
import Glibc
import Logging
import SteleAnswers
import SteleGraph
import SteleHTTP
import SteleJSON
import StelePersistence
import SteleRequests
import SteleSystem

/// Sends each save to all streams, in order and once (contract, section 6).
///
/// A thread renders each save once for each filter and sends the buffer to all streams of the
/// filter. A resuming stream is answered at once, reads the stored history in turns with others,
/// and joins the live streams at its position. A stream is a suspended connection, never a thread.
public final class ChangeFeed: Sendable {
    /// The options of a feed.
    public struct Options: Sendable {
        /// The prefix of all routes, such as `/api`.
        public var basePath = ""
        /// Seconds between two heartbeats.
        public var heartbeatSeconds = 15.0
        /// Bytes that may wait for one client; a slower client is disconnected.
        public var bufferBytes = 4 << 20
        /// The most changes in one part of a save.
        public var changesPerPart = 1_000
        /// Milliseconds after which a client reconnects (`retry:`).
        public var retryMilliseconds = 2_000
        /// Seconds between two checks for saves of other programs.
        public var pollSeconds = 0.5
        /// Seconds for which the history keeps a save; nil is without a limit.
        public var historySeconds: Double? = 7 * 86_400
        /// About how many bytes the history may take; nil for no bound.
        public var historyBytes: Int? = 1 << 30
        /// Seconds between two deletions of old history.
        public var keepSeconds = 60.0
        /// Seconds for which a client may take nothing while it reads old history.
        public var stallSeconds = 30.0
        /// Transactions of a JSON page without `limit`.
        public var defaultLimit = 100
        /// The most transactions of a JSON page.
        public var maximumLimit = 10_000
        /// Bytes after which a JSON page ends, with its current save unless that is as large.
        public var pageBytes = 1 << 20
        /// The most changes of a JSON page. A save that has more is cut.
        public var pageChanges = 1_000
        /// Changes after which a JSON page ends, matching or not.
        public var pageLooked = 100_000
        /// Saves after which a JSON page ends, matching or not.
        public var pageSaves = 10_000
        /// Seconds of judging after which a JSON page ends.
        public var pageSeconds = 5.0

        /// The defaults.
        public init() {}

        /// Whether the history has a bound.
        var boundsHistory: Bool { historySeconds != nil || historyBytes != nil }
        var heartbeatNanoseconds: UInt64 { UInt64(max(heartbeatSeconds, 0.001) * 1e9) }
        var pollNanoseconds: UInt64 { UInt64(max(pollSeconds, 0.001) * 1e9) }
        var keepNanoseconds: UInt64 { UInt64(max(keepSeconds, 0.001) * 1e9) }
        var pageNanoseconds: UInt64 { UInt64(max(pageSeconds, 0.001) * 1e9) }
        var stallNanoseconds: UInt64 { UInt64(max(stallSeconds, 0.001) * 1e9) }
        /// Bytes that may wait for a client while it reads old history.
        var roomBytes: Int { max(bufferBytes / 16, 1) }
        /// A part fits beside waiting bytes, and a line of an event has a bound.
        var bytesPerPart: Int {
            max(min(bufferBytes / 4, ChangeRenderer.mostBytesPerPart), 1)
        }
    }

    package typealias Work = @Sendable () -> Void
    /// Subscribes to saves, and returns the closure that ends the subscription.
    package typealias Subscribe =
        @Sendable (
            _ saves: @escaping @Sendable ([HistoryTransaction]) -> Void, _ elsewhere: @escaping Work
        ) -> Work

    package let store: any PersistentStore
    package let renderer: ChangeRenderer
    package let options: Options
    let limits: Limits
    package let logger: Logger
    let inbox = SavesInbox(FeedLetters())
    let pages = HistoryPages(keeping: 8)
    /// Pages of slow filters, which are small and have taken long.
    let slowPages = HistoryPages(keeping: 128)
    /// The filters that take too long where others wait.
    let slow = SlowOnes<ChangeFilter>()
    let currentToken: @Sendable () -> Int64
    /// Reads the history for resuming streams, a page of each in turn.
    let resuming = DispatchQueue(label: "stele.change-feed.resuming")
    /// Reads the end of the history for streams that were live, so that they do not wait for
    /// streams that begin far back.
    let lagging = DispatchQueue(label: "stele.change-feed.lagging")
    /// Reads and judges the history for streams with slow filters, a page for each filter in turn.
    let judging = WorkerPool(
        name: "feed-slow", threads: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)) / 2),
        queue: 1 << 20, isLowPriority: true, stackBytes: 8 << 20)
    /// Deletes old history.
    package let keeping = DispatchQueue(label: "stele.change-feed.keeping")
    private let subscribe: Subscribe
    private struct Running: Sendable {
        var thread: SystemThread?
        var unsubscribe: Work?
    }
    private let running = Mutex(Running())

    package init(
        store: any PersistentStore, renderer: SnapshotRenderer, options: Options,
        limits: Limits = Limits(), logger: Logger,
        currentToken: @escaping @Sendable () -> Int64, subscribe: @escaping Subscribe
    ) {
        self.store = store
        self.options = options
        self.limits = limits
        self.logger = logger
        self.currentToken = currentToken
        self.subscribe = subscribe
        self.renderer = ChangeRenderer(
            model: store.model, line: store.historyLine, renderer: renderer, store: store,
            changesPerPart: max(options.changesPerPart, 1), bytesPerPart: options.bytesPerPart,
            bytesPerBuffer: min(32 << 10, options.bufferBytes / 8))
    }

    package convenience init(
        coordinator: PersistentStoreCoordinator, renderer: SnapshotRenderer, options: Options,
        limits: Limits, logger: Logger
    ) {
        self.init(
            store: coordinator.store, renderer: renderer, options: options, limits: limits,
            logger: logger,
            currentToken: { coordinator.currentToken },
            subscribe: { saves, elsewhere in
                let subscription = coordinator.broadcast.subscribe(
                    saves, changedElsewhere: elsewhere)
                return { subscription.cancel() }
            })
    }

    /// Starts the feed's thread. Further calls do nothing.
    public func start() {
        running.withLock { running in
            guard running.thread == nil else { return }
            let inbox = inbox
            running.unsubscribe = subscribe(
                { inbox.put($0) }, { inbox.putChangedElsewhere() })
            let position = currentToken()
            running.thread = SystemThread(name: "stele-feed") { [self] in
                FeedLoop(self, position: position).run()
            }
            if running.thread == nil { logger.error("the change feed has no thread to run on") }
        }
    }

    /// Ends all streams, each after its waiting buffers, and the thread.
    public func stop() {
        inbox.stop()
        judging.close()
        let (thread, unsubscribe) = running.withLock { running in
            defer { running = Running() }
            return (running.thread, running.unsubscribe)
        }
        unsubscribe?()
        thread?.join()
    }

    /// Answers `GET /changes`.
    /// - Parameters:
    ///   - format: JSON or events.
    ///   - sight: what is visible to the role; nil for everything.
    ///   - budget: the time for judging a page, on a thread that others wait for; nil for a page
    ///     that ends when it has taken long.
    /// - Throws: `Problem`, `StoreError`: `.overBudget` as reading.
    package func answer(
        _ request: Request, _ query: Query, as format: MediaType, seenBy sight: Sight? = nil,
        within budget: ReadBudget? = nil
    ) throws -> Response {
        var call = try ChangesCall(
            request, query, as: format, model: store.model, storeIdentifiers: store.identifiers,
            maximumLimit: options.maximumLimit)
        call.sight = sight
        return call.isStream ? stream(call) : try page(call, of: request, within: budget)
    }

    /// The response of an event stream. It is 200 also for a bad token: a browser reconnects after
    /// no other status.
    package func stream(_ call: ChangesCall) -> Response {
        let stream = EventStream(capacity: options.bufferBytes)
        begin(stream, call)
        return .events(stream)
    }

    private func begin(_ stream: EventStream, _ call: ChangesCall) {
        do throws(StoreError) {
            switch try place(call) {
            case .at(let position):
                greet(stream, position: position)
                if call.start == nil {
                    join(stream, call.filter, position: position.save)
                } else {
                    wait(CatchUp(stream, call.filter, at: position, on: .resuming))
                }
            case .expired(let problem, let position):
                greet(stream, position: HistoryPosition(after: position), expired: problem)
                join(stream, call.filter, position: position)
            }
        } catch {
            logger.error("the change feed cannot read the history: \(error)")
            stream.finish()
        }
    }

    func greet(
        _ stream: EventStream, position: HistoryPosition, expired: Problem? = nil
    ) {
        var writer = ByteWriter(capacity: 256)
        writer.raw("retry: ")
        writer.integer(Int64(options.retryMilliseconds))
        writer.raw("\n")
        // A client that is disconnected before the first save resumes here.
        renderer.idLine(position, to: &writer)
        if let expired { write("expired", expired, to: &writer) }
        writer.raw("\n")
        stream.send(writer.take())
    }

    /// The lines of an event with a problem; an empty line ends it.
    func write(_ event: String, _ problem: Problem, to writer: inout ByteWriter) {
        writer.write("event: \(event)\ndata: ")
        problem.json(basePath: options.basePath).write(to: &writer)
        writer.raw("\n")
    }

    func join(
        _ stream: EventStream, _ filter: ChangeFilter, position: Int64, from one: CatchUp? = nil
    ) {
        let isTaken = inbox.put { letters in
            letters.arrivals.append(Arrival(stream: stream, filter: filter, position: position))
            if let one { letters.returned.append(one) }
        }
        if !isTaken { stream.finish() }
    }

    /// The saves with the objects' values, read from the store where the broadcast has omitted
    /// some.
    func completed(_ saves: [HistoryTransaction], after position: Int64) -> [HistoryTransaction] {
        let isComplete = saves.allSatisfy { save in
            save.changes.allSatisfy {
                $0.snapshot != nil && ($0.kind != .update || $0.before != nil)
            }
        }
        if isComplete { return saves }
        do throws(StoreError) {
            let reader = try store.reader(forHistoryAfter: position, limit: saves.count)
            defer { reader.close() }
            let read = try reader.history(after: position, limit: saves.count, values: true)
            return read.last?.number == saves.last?.number ? read : saves
        } catch {
            logger.error("the change feed cannot read the history: \(error)")
            return saves
        }
    }
}
