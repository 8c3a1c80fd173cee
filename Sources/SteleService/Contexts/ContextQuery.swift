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

/// A list with the unsaved changes of a context, and its client. It is read again and compared
/// after each change: unsaved changes have no history from which differences could be computed.
// Its variables are used only by the thread that has the turn of the context's family.
final class ContextQuery: @unchecked Sendable {
    let editing: EditingContext
    let stream: EventStream
    private let place: Place
    var answers: Answers { place.answers }
    private let plan: LivePlan
    private let terms: Terms
    private let renderer: LiveRenderer
    private let member: LiveMember
    private var rows = ListedRows()
    private var shown = ShownRows()
    private var numbers: RowNumbers
    /// Whether its client has gone, or was told why the stream ends.
    var isOver: Bool { isEnded || stream.isClosed }
    private var isEnded = false

    init(
        _ plan: LivePlan, _ call: Call, in place: Place, of editing: EditingContext,
        _ options: Service.Options
    ) {
        self.plan = plan
        self.place = place
        self.editing = editing
        terms = call.terms
        renderer = LiveRenderer(limits: options.limits, renderer: place.answers.renderer)
        numbers = RowNumbers(identity: plan.identity)
        stream = EventStream(capacity: .max)
        member = LiveMember(
            stream, [LiveMember.Part(key: plan.key, prefix: "")],
            capacity: options.feed.bufferBytes)
    }

    /// Reads the list and sends its rows.
    /// - Throws: as reading the list.
    func begin(retryMilliseconds: Int) throws {
        let (now, written) = try read()
        let data = try renderer.snapshot(plan, count: written.count, sections: now.sections) {
            $1.raw(written[$0])
        } note: {
            shown.note(now.keys[$0], $1)
        }
        rows = now
        _ = member.greet([
            Array("retry: \(retryMilliseconds)\n\nevent: snapshot\ndata: ".utf8), data,
        ])
    }

    /// Reads the list again and sends what has changed.
    /// - Throws: as reading the list.
    func advance() throws {
        let (now, written) = try read()
        let before = withCurrentKeys(rows)
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
    private func withCurrentKeys(_ rows: ListedRows) -> ListedRows {
        var rows = rows
        let (ids, root) = (editing.family.temporaries, plan.entity.root)
        for (index, key) in rows.keys.enumerated() {
            let now = ids.current(key, root: root)
            if now == key { continue }
            rows.keys[index] = now
            shown.rename(key, to: now)
        }
        return rows
    }

    /// Sends a comment, which keeps the connection open.
    func beat() { _ = member.send(Array(":\n\n".utf8)) }

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
        isEnded = true
    }

    /// The rows of the list, and the object of each as JSON.
    private func read() throws -> (rows: ListedRows, written: [[UInt8]]) {
        guard case .list(let list) = try place.execution.list(plan.list, terms) else {
            throw Problem(.precondition, "a live query takes no If-Match and no If-None-Match")
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
        return (ListedRows(keys: keys, names: try sections(of: keys)), written)
    }

    /// The section of each row; empty without sections.
    private func sections(of keys: [Int64]) throws -> [Value] {
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
