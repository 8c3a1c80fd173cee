/// Saves as text: events of a stream and entries of the JSON form.

import SteleAnswers
import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence

/// Writes transactions. All filters and threads share one renderer.
package struct ChangeRenderer: Sendable {
    package let model: Model
    package let line: HistoryLine
    package let renderer: SnapshotRenderer
    /// The store, for rules that lead to other objects.
    let store: any PersistentStore
    /// The most changes in one part.
    let changesPerPart: Int
    /// The most bytes of changes in one part; a larger change has no values.
    let bytesPerPart: Int
    /// About how many bytes of small events share a buffer.
    let bytesPerBuffer: Int

    /// Those of large saves, for the rules of roles.
    let indexes = SaveIndexes()

    /// The most bytes of a line of an event (contract, section 6), with room for what is beside
    /// the changes.
    static let mostBytesPerPart = 250 << 10

    package func token(_ number: Int64) -> String { "\(line.generation(of: number))-\(number)" }

    /// The token of a position.
    func token(_ position: HistoryPosition) -> String { ChangeToken.text(position, of: line) }

    /// The events of some saves.
    struct Events {
        /// In the order of sending; small events share a buffer.
        var buffers: [[UInt8]] = []
        /// The last of the saves; nil for none.
        var last: Int64?
        /// The save after them, if it has more matching changes than one page holds.
        var large: LargeSave?
        /// Whether the time for the last one was over before all of its changes were judged. The
        /// others are included.
        var isOver = false
    }

    /// The events of the saves, of all of them where others wait for the thread.
    /// - Parameters:
    ///   - time: what judging may take. At the end of its turn the events end.
    /// - Throws: `StoreError`: `.overBudget` as judging; where the filter has a sight also where
    ///   the store cannot be read.
    func events(
        of transactions: [HistoryTransaction], _ filter: ChangeFilter, in time: JudgingTime
    ) throws(StoreError) -> Events {
        let changes = transactions.reduce(0) { $0 + $1.changes.count }
        let reader =
            filter.sight == nil ? nil : try store.reader(budget: time.reading(changes: changes))
        defer { reader?.close() }
        var events = Events()
        var writer = ByteWriter(capacity: 1024)
        let judge = ChangeJudge(filter, self, reader, time)
        if time.isShared { judge.begin(changes: changes) }
        for transaction in transactions {
            if !time.isShared { judge.begin(changes: transaction.changes.count) }
            let told: (changes: [ToldChange], rest: Int64?)
            do throws(StoreError) { told = try judge.told(of: transaction) } catch {
                // What is known of the saves before it is told first.
                guard !time.isShared, events.last != nil else { throw error }
                break
            }
            if !time.isShared { time.end() }
            // Objects that it brings into sight may be more than it has changed, and its changes
            // may be from memory, which have no positions to go on after.
            if told.rest != nil || filter.sight != nil && filter.limits(told.changes.count) {
                events.large = LargeSave(transaction.number)
                break
            }
            var parts = SaveParts(self, filter)
            for change in told.changes where !parts.isFull { parts.add(change) }
            parts.end()
            for (index, part) in parts.parts.enumerated() {
                event(
                    transaction, part, part: index, of: parts.parts.count,
                    rest: parts.rest, to: &writer)
                if writer.count >= bytesPerBuffer { events.buffers.append(writer.take()) }
            }
            events.last = transaction.number
            // Where others wait, all are told or none: too little time is an error.
            guard !time.isShared else { continue }
            events.isOver = time.isOver
            if time.isOver || filter.isJudged && time.isTurnOver { break }
        }
        if writer.count > 0 { events.buffers.append(writer.take()) }
        return events
    }

    /// A part of a save as an event.
    /// - Parameters:
    ///   - changes: its changes, as in `SaveParts`.
    ///   - rest: the position of the last of them where those that follow are not told.
    func event(
        _ transaction: HistoryTransaction, _ changes: [UInt8], part: Int, of count: Int,
        rest: Int64?, to writer: inout ByteWriter
    ) {
        // Only the last part has the id: a client that is disconnected before gets all parts again.
        if part == count - 1 { idLine(transaction.number, to: &writer) }
        writer.raw("event: save\ndata: ")
        head(transaction, to: &writer)
        if count > 1 {
            writer.raw(",\"part\":")
            writer.integer(Int64(part + 1))
            writer.raw(",\"of\":")
            writer.integer(Int64(count))
        }
        writer.raw(",\"changes\":[")
        writer.raw(changes)
        writer.byte(UInt8(ascii: "]"))
        if let rest { self.rest(of: transaction.number, after: rest, to: &writer) }
        writer.raw("}\n\n")
    }

    /// Where the changes of a save that are not told begin.
    func rest(of save: Int64, after position: Int64, to writer: inout ByteWriter) {
        writer.raw(",\"rest\":")
        writer.string(token(HistoryPosition(after: save, change: position)))
    }

    /// `id: TOKEN` and a line break.
    func idLine(_ number: Int64, to writer: inout ByteWriter) {
        idLine(HistoryPosition(after: number), to: &writer)
    }

    /// `id: TOKEN` of a position, and a line break.
    func idLine(_ position: HistoryPosition, to writer: inout ByteWriter) {
        writer.raw("id: ")
        writer.write(token(position))
        writer.byte(UInt8(ascii: "\n"))
    }

    /// A comment with an id, which moves the client's place.
    package func place(_ number: Int64) -> [UInt8] { place(HistoryPosition(after: number)) }

    /// A comment with the id of a position.
    func place(_ position: HistoryPosition) -> [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writer.raw(":\n")
        idLine(position, to: &writer)
        writer.byte(UInt8(ascii: "\n"))
        return writer.take()
    }

    /// The beginning of a save's object.
    func head(_ transaction: HistoryTransaction, to writer: inout ByteWriter) {
        writer.raw("{\"transaction\":")
        writer.string(token(transaction.number))
        writer.raw(",\"at\":")
        writer.date(secondsSince2001: (transaction.timestamp * 1000).rounded() / 1000)
        writer.raw(",\"author\":")
        optional(transaction.author, to: &writer)
        writer.raw(",\"context\":")
        optional(transaction.contextName, to: &writer)
    }

    private func optional(_ text: String?, to writer: inout ByteWriter) {
        if let text { writer.string(text) } else { writer.null() }
    }
}
