/// A live query of an editing context.

import SteleAnswers
import SteleFeed
import SteleGraph
import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests
import SteleSystem

/// A list with the unsaved changes of a context, and its client. It is read again and compared
/// after each change: unsaved changes have no history from which differences could be computed.
// `begin` and `advance` are called by the thread that has the turn of the context's family, the
// first by the request and before all others. What else changes is behind a lock.
final class ContextQuery: @unchecked Sendable {
    let editing: EditingContext
    let stream: EventStream
    var answers: Answers { place.answers }
    /// Set while the list is not current, because it could not be read. Of the thread that follows
    /// queries.
    var loss: LiveLoss?
    private let place: Place
    private let makePlan: @Sendable () throws -> LivePlan?
    private let renderer: LiveRenderer
    private let member: LiveMember
    /// The plan, and the version of the temporary ids that it was made with.
    private var planned: (plan: LivePlan, version: Int)?
    private var rows = ListedRows()
    private var shown = ShownRows()
    private var numbers = RowNumbers(identity: [])
    private let standing = Mutex((isBegun: false, isEnded: false, count: 0))

    /// - Parameter makePlan: makes the plan, again when objects have other ids; nil if there is no
    ///   service any more.
    init(
        of editing: EditingContext, in place: Place, _ options: Service.Options,
        _ makePlan: @escaping @Sendable () throws -> LivePlan?
    ) {
        self.place = place
        self.editing = editing
        self.makePlan = makePlan
        renderer = LiveRenderer(limits: options.limits, renderer: place.answers.renderer)
        stream = EventStream(capacity: .max)
        member = LiveMember(
            stream, [LiveMember.Part(key: "", prefix: "")], capacity: options.feed.bufferBytes)
    }

    /// Whether its client has gone, or was told why the stream ends.
    var isOver: Bool { standing.withLock { $0.isEnded } || stream.isClosed }

    /// The number of its rows.
    var count: Int { standing.withLock { $0.count } }

    /// The plan, in which objects that were saved have their permanent ids.
    private func plan() throws -> LivePlan {
        let version = editing.family.temporaries.version
        if let planned, planned.version == version { return planned.plan }
        guard let plan = try makePlan() else {
            throw Problem(.unavailable, "the service is stopping")
        }
        if planned == nil { numbers = RowNumbers(identity: plan.identity) }
        planned = (plan, version)
        return plan
    }

    /// Reads the list and sends its rows.
    /// - Throws: as reading the list.
    func begin(retryMilliseconds: Int) throws {
        let plan = try plan()
        let (now, written) = try read(plan)
        let data = try renderer.snapshot(plan, count: written.count, sections: now.sections) {
            $1.raw(written[$0])
        } note: {
            shown.note(now.keys[$0], $1)
        }
        rows = now
        _ = member.greet([
            Array("retry: \(retryMilliseconds)\n\nevent: snapshot\ndata: ".utf8), data,
        ])
        standing.withLock { $0.isBegun = true }
    }

    /// Reads the list again and sends what has changed.
    /// - Throws: as reading the list.
    func advance() throws {
        let plan = try plan()
        let (now, written) = try read(plan)
        let before = withCurrentKeys(rows, of: plan.entity)
        var difference = before.difference(to: now, token: 0) { _, _ in .unknown }
        var byKey: [Int64: [UInt8]] = [:]
        for (index, key) in now.keys.enumerated() {
            var writer = ByteWriter(capacity: written[index].count + 64)
            writer.raw(written[index])
            if !now.names.isEmpty {
                renderer.write(section: now.names[index], plan, to: &writer)
            }
            byKey[key] = writer.take()
        }
        shown.take(&difference, byKey)
        rows = now
        if difference.isEmpty { return }
        let data = try renderer.change(difference, plan, LiveRows(written: byKey))
        _ = member.send(Array("event: change\ndata: ".utf8) + data)
    }

    /// Rows in which objects that were saved have their permanent keys.
    private func withCurrentKeys(_ rows: ListedRows, of entity: Entity) -> ListedRows {
        var rows = rows
        let (ids, root) = (editing.family.temporaries, entity.root)
        for (index, key) in rows.keys.enumerated() {
            let now = ids.current(key, root: root)
            if now == key { continue }
            rows.keys[index] = now
            shown.rename(key, to: now)
        }
        return rows
    }

    /// Sends a comment, which keeps the connection open. Before the snapshot there is none: the
    /// request's thread still has the stream then.
    func beat() {
        if standing.withLock({ $0.isBegun }) { _ = member.send(Array(":\n\n".utf8)) }
    }

    /// Sends the reason why the stream ends, and ends it.
    func end(_ problem: Problem, basePath: String) {
        var writer = ByteWriter(capacity: 256)
        writer.write("event: error\ndata: ")
        problem.json(basePath: basePath).write(to: &writer)
        writer.raw("\n\n")
        _ = member.send(writer.take())
        finish()
    }

    /// Ends the stream after what waits.
    func finish() {
        stream.finish()
        standing.withLock { $0.isEnded = true }
    }

    /// The rows of the list, and the object of each as JSON.
    private func read(
        _ plan: LivePlan
    ) throws -> (rows: ListedRows, written: [[UInt8]]) {
        guard case .list(let list) = try place.execution.list(plan.list, .none) else {
            throw Problem(.unavailable, "the list cannot be followed")
        }
        let keys =
            switch (list.rows, plan.shape) {
            case (.objects(let objects), _): objects.map(\.key)
            case (.values(let rows), .rows): numbers.keys(of: rows)
            case (.values(let rows), _): rows.map { RowKey.id(of: $0) ?? 0 }
            }
        let form = renderer.form(plan, list.rows, list.embedded)
        let written = try (0..<list.rows.count).map { index in
            var writer = ByteWriter(capacity: 128)
            form.write(list.rows, index, list.embedded, to: &writer)
            if let failure = writer.failure { throw failure }
            return writer.take()
        }
        standing.withLock { $0.count = keys.count }
        return (ListedRows(keys: keys, names: try sections(of: keys, plan)), written)
    }

    /// The section of each row; empty without sections.
    private func sections(of keys: [Int64], _ plan: LivePlan) throws -> [Value] {
        guard let section = plan.section else { return [] }
        let columns = [
            ExpressionDescription(name: "#0", expression: section),
            ExpressionDescription(name: "#1", expression: .key("_id")),
        ]
        let found = try place.execution.reading {
            try $0.fetchedRows(of: keys, plan.entity, columns: columns)
        }
        guard case .values(let rows) = found else { return [] }
        let names = Dictionary(
            rows.map { (RowKey.id(of: $0) ?? 0, $0[0]) }, uniquingKeysWith: { first, _ in first })
        return keys.map { names[$0] ?? .null }
    }
}
