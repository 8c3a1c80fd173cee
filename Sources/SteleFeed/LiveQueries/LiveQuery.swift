/// A live query: its result, its last events and its listeners.

import SteleGraph
import SteleHTTP
import StelePersistence
import SteleRequests

/// An event with a change of a query's result.
package struct LiveEvent {
    /// The last transaction before the change.
    package let after: Int64
    /// The last transaction of the change.
    package let token: Int64
    /// `{…}` and the empty line after it.
    package let data: [UInt8]
}

/// The last events of a query, for streams that resume or that join after a snapshot.
package struct LiveLog {
    static let maximumEvents = 1_000
    private static let maximumBytes = 1 << 20

    private var events: [LiveEvent] = []
    /// All events after this transaction are kept.
    private(set) var start: Int64
    private var bytes = 0

    package init(start: Int64) { self.start = start }

    package mutating func append(_ event: LiveEvent) {
        events.append(event)
        bytes += event.data.count
        while bytes > Self.maximumBytes || events.count > Self.maximumEvents,
            let first = events.first
        {
            start = first.token
            bytes -= first.data.count
            events.removeFirst()
        }
    }

    /// The events after a transaction; nil where they are no longer kept, or it lies within one
    /// event.
    package func events(after token: Int64) -> [LiveEvent]? {
        guard token >= start else { return nil }
        let later = Array(events.drop { $0.token <= token })
        if let first = later.first, first.after < token { return nil }
        return later
    }
}

// @unchecked: the thread that builds it passes it to the live queries' thread, and uses it no more.
/// A query that is followed.
package final class LiveQuery: @unchecked Sendable {
    package let plan: LivePlan
    /// The cache generation in which it was read. Another program's change, which may not be in the
    /// history, begins another one.
    package let generation: String
    /// The result: one of these two is set.
    package var objects: FetchedResults?
    package var rows: RowResults?
    /// The whole result at a transaction, as the data of an event.
    package var snapshot: (data: [UInt8], token: Int64)?
    /// The rows as listeners see them; nil where they see every change of a row.
    package var shown: ShownRows?
    package var log: LiveLog
    package var members: [LiveMember] = []
    /// The rows that are counted until its thread has received it.
    var arrivingRows = 0
    /// Set while the result is not current.
    var loss: LiveLoss?
    /// How long it took last, in nanoseconds; what is not known comes last.
    var judged = UInt64.max
    /// Whether it may match texts against regular expressions.
    let hasPatterns: Bool
    /// When its last listener left, on the monotonic clock.
    var idleSince: UInt64?

    /// Reads the result in a context's view.
    /// - Throws: as reading; `Problem` where there are too many rows.
    package init(_ plan: LivePlan, _ context: ManagedObjectContext) throws {
        self.plan = plan
        let conditions = [plan.request.predicate, plan.request.havingPredicate]
        hasPatterns = conditions.contains { $0?.hasPatterns == true }
        let reader = try context.reader()
        generation = try context.cacheGeneration()
        log = LiveLog(start: try reader.token)
        do {
            if let query = plan.results(context.model) {
                objects = try FetchedResults(query, reader)
            } else {
                rows = try RowResults(
                    plan.request, of: plan.owner, identity: plan.identity,
                    maximumRows: plan.maximumRows,
                    model: context.model, reader)
            }
        } catch let error as ResultsError {
            throw Self.problem(error, plan)
        }
    }

    /// The last transaction of the result.
    package var token: Int64 { objects?.token ?? rows?.token ?? 0 }

    /// How many rows it holds. A row of a snapshot with more than `bytesARow` counts as several.
    package var weight: Int {
        max(objects?.weight ?? rows?.rows.count ?? 0, (snapshot?.data.count ?? 0) / Self.bytesARow)
    }
    private static let bytesARow = 250

    /// Advances the result to the last save of a view.
    /// - Throws: as the results; the result is not valid then.
    func advance(in view: SavesView) throws -> [ResultsDifference] {
        do {
            if objects != nil { return try objects?.advance(in: view) ?? [] }
            return try rows?.advance(in: view).map { [$0] } ?? []
        } catch let error as ResultsError {
            throw Self.problem(error, plan)
        }
    }

    /// Whether a joining stream needs a new snapshot: there is none, or the events after it are
    /// longer than a new one. Where rules limit what is visible, any event after it may hide what
    /// it shows.
    var needsSnapshot: Bool {
        guard let snapshot, let later = log.events(after: snapshot.token) else { return true }
        if plan.sight != nil { return !later.isEmpty }
        let bytes = later.reduce(0) { $0 + $1.data.count }
        return bytes > max(4 << 10, snapshot.data.count / 2)
    }

    /// Whether listeners of another query have this result: they were sent an equal snapshot and no
    /// event after it.
    package func isShown(byListenersOf other: LiveQuery) -> Bool {
        guard let snapshot, let sent = other.snapshot,
            other.log.events(after: sent.token)?.isEmpty == true
        else { return false }
        return snapshot.data == sent.data
    }

    private static func problem(_ error: ResultsError, _ plan: LivePlan) -> Problem {
        switch error {
        case .tooManyRows(let maximum):
            Problem(
                .parameter,
                "more than \(maximum) rows of \(plan.entity.name) match, the most that a live "
                    + "query may hold", hint: "add a limit, or a narrower where")
        case .ownerDeleted:
            Problem(
                .object,
                plan.address.map { "there is no \($0.entity.name) \($0.key)" } ?? "it was deleted")
        }
    }
}

/// A stream and its queries.
package final class LiveMember {
    /// One query of a stream.
    package struct Part {
        package let key: String
        /// The prefix of its events' names: `NAME.` where there are several queries.
        package let prefix: String

        package init(key: String, prefix: String) {
            self.key = key
            self.prefix = prefix
        }
    }

    package let stream: EventStream
    package let parts: [Part]
    /// The last transaction that the client was sent of each part; nil for none.
    package var told: [Int64?]
    /// Bytes of the first events, while they wait for the client.
    private var greeting = 0
    private let capacity: Int

    package init(_ stream: EventStream, _ parts: [Part], capacity: Int) {
        self.stream = stream
        self.parts = parts
        told = parts.map { _ in nil }
        self.capacity = capacity
    }

    /// Whether it is a stream of `/live`, where each event names its query.
    var isShared: Bool { parts.contains { !$0.prefix.isEmpty } }

    /// Sends the first events, of any size.
    package func greet(_ buffers: [[UInt8]]) -> Bool {
        greeting += buffers.reduce(0) { $0 + $1.count }
        return buffers.allSatisfy(stream.send)
    }

    /// As `greet`, for a new snapshot; false where too many bytes wait already, and the stream is
    /// dropped.
    func greetAgain(_ buffers: [[UInt8]]) -> Bool {
        guard stream.queuedBytes <= capacity else {
            stream.drop()
            return false
        }
        greeting = 0
        return greet(buffers)
    }

    /// Sends an event; false where the stream has ended or the client is too slow. The stream is
    /// dropped then, and the client resumes with its last id.
    package func send(_ buffer: [UInt8]) -> Bool {
        let waiting = stream.queuedBytes
        if waiting <= capacity { greeting = 0 }
        if waiting + buffer.count <= capacity + greeting || waiting == 0, stream.send(buffer) {
            return true
        }
        stream.drop()
        return false
    }
}
