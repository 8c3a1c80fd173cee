/// One live query as it is now: its result, what was told of it, and who listens.

import SteleGraph
import SteleHTTP
import StelePersistence
import SteleRequests

/// A change as it was told.
package struct LiveEvent {
    /// It tells what was saved after this transaction,
    package let after: Int64
    /// up to this one.
    package let token: Int64
    /// `{…}` and the empty line behind it.
    package let data: SharedBuffer
}

/// The last changes of a query, for who comes back and for who joins a moment after a snapshot.
package struct LiveLog {
    static let maximumEvents = 1_000
    private static let maximumBytes = 1 << 20

    private var events: [LiveEvent] = []
    /// All that was told after this transaction is kept.
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

    /// What was told after a transaction; nil where that is not known any more, or lies within what
    /// one event tells.
    package func events(after token: Int64) -> [LiveEvent]? {
        guard token >= start else { return nil }
        let later = Array(events.drop { $0.token <= token })
        if let first = later.first, first.after < token { return nil }
        return later
    }
}

/// A query that is followed.
// Who builds it gives it away to the live queries' thread and does not come back to it.
package final class LiveQuery: @unchecked Sendable {
    package let plan: LivePlan
    /// The cache generation that it was read in: another one means another program's change, which
    /// need not be in the history.
    package let generation: String
    /// One of these is there.
    package var objects: FetchedResults?
    package var rows: RowResults?
    /// The whole result as an event's data, as of a transaction.
    package var snapshot: (data: SharedBuffer, token: Int64)?
    /// What listeners see of the rows; nil where any change of one shows.
    package var shown: ShownRows?
    package var log: LiveLog
    package var members: [LiveMember] = []
    /// Why it is not as the store is; nil where it is.
    var loss: LiveLoss?
    /// When its last listener left, on the monotonic clock.
    var idleSince: UInt64?

    /// The result as a context's view has it.
    /// - Throws: as reading; `Problem` where there are too many rows.
    package init(_ plan: LivePlan, _ context: ManagedObjectContext) throws {
        self.plan = plan
        let reader = try context.reader()
        generation = try context.cacheGeneration()
        log = LiveLog(start: try reader.token)
        do {
            if let query = plan.results(context.model) {
                objects = try FetchedResults(query, reader)
            } else {
                rows = try RowResults(
                    plan.request, identity: plan.identity, maximumRows: plan.maximumRows,
                    model: context.model, reader)
            }
        } catch let error as ResultsError {
            throw Self.problem(error, plan)
        }
    }

    /// The last transaction that it knows.
    package var token: Int64 { objects?.token ?? rows?.token ?? 0 }

    /// How many rows it holds.
    package var weight: Int { objects?.weight ?? rows?.rows.count ?? 0 }

    /// Moves on to the last save of a view.
    /// - Throws: as the results; the query is of no use then.
    func advance(in view: SavesView) throws -> [ResultsDifference] {
        do {
            if objects != nil { return try objects?.advance(in: view) ?? [] }
            return try rows?.advance(in: view).map { [$0] } ?? []
        } catch let error as ResultsError {
            throw Self.problem(error, plan)
        }
    }

    /// Whether a snapshot for who joins has to be made: there is none, or what was told after it is
    /// longer than a new one.
    var needsSnapshot: Bool {
        guard let snapshot, let later = log.events(after: snapshot.token) else { return true }
        let bytes = later.reduce(0) { $0 + $1.data.count }
        return bytes > max(4 << 10, snapshot.data.count / 2)
    }

    /// Whether who was sent another's snapshot shows this result: nothing was told after it, and it
    /// is the same.
    package func isShown(byListenersOf other: LiveQuery) -> Bool {
        guard let snapshot, let sent = other.snapshot,
            other.log.events(after: sent.token)?.isEmpty == true
        else { return false }
        return snapshot.data.bytes == sent.data.bytes
    }

    private static func problem(_ error: ResultsError, _ plan: LivePlan) -> Problem {
        switch error {
        case .tooManyRows(let maximum):
            Problem(
                .parameter,
                "more than \(maximum) rows of \(plan.entity.name) match, and a live "
                    + "query holds no more", hint: "add a limit, or a narrower where")
        }
    }
}

/// A stream and the queries that it shows.
package final class LiveMember {
    /// One query of a stream.
    package struct Part {
        package let key: String
        /// What stands before its events' names: `NAME.` where there are several.
        package let prefix: String
    }

    package let stream: EventStream
    package let parts: [Part]
    /// Up to which transaction the client was told each part; nil for what it was not sent.
    package var told: [Int64?]
    /// Bytes of what it was greeted with, as long as they wait for the client.
    private var greeting = 0
    private let capacity: Int

    package init(_ stream: EventStream, _ parts: [Part], capacity: Int) {
        self.stream = stream
        self.parts = parts
        told = parts.map { _ in nil }
        self.capacity = capacity
    }

    /// Whether it is `/live`, where each event says of which query it is.
    var isShared: Bool { parts.contains { !$0.prefix.isEmpty } }

    /// Sends what a stream begins with, of whatever size.
    func greet(_ buffers: [SharedBuffer]) -> Bool {
        greeting += buffers.reduce(0) { $0 + $1.count }
        return buffers.allSatisfy(stream.send)
    }

    /// As `greet`, in the place of all before; false where so much waits already that the client is
    /// too slow, and is broken off.
    func greetAgain(_ buffers: [SharedBuffer]) -> Bool {
        guard stream.queuedBytes <= capacity else {
            stream.drop()
            return false
        }
        greeting = 0
        return greet(buffers)
    }

    /// Sends; false where the stream has ended or its client is too slow, and then it is broken
    /// off: the client comes back by its last id.
    package func send(_ buffer: SharedBuffer) -> Bool {
        let waiting = stream.queuedBytes
        if waiting <= capacity { greeting = 0 }
        if waiting + buffer.count <= capacity + greeting || waiting == 0, stream.send(buffer) {
            return true
        }
        stream.drop()
        return false
    }
}
