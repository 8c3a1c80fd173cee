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

    package func token(_ number: Int64) -> String { "\(line.generation(of: number))-\(number)" }

    /// The events of some saves.
    struct Events {
        /// In the order of sending; small events share a buffer.
        var buffers: [[UInt8]] = []
        /// The last of the saves; nil for none.
        var last: Int64?
        /// Whether the time for the last one was over before all of its changes were judged. The
        /// others are included.
        var isOver = false
    }

    /// The events of the saves, of all of them where others wait for the thread.
    /// - Parameter time: what judging may take. At the end of its turn the events end.
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
        let judge = ChangeJudge(filter, model: model, reader, time)
        if time.isShared { judge.begin(changes: changes) }
        for transaction in transactions {
            if !time.isShared { judge.begin(changes: transaction.changes.count) }
            let changes: [ToldChange]
            do throws(StoreError) { changes = try judge.told(of: transaction) } catch {
                // What is known of the saves before it is told first.
                guard !time.isShared, events.last != nil else { throw error }
                break
            }
            if !time.isShared { time.end() }
            let parts = parts(of: changes, values: filter.values)
            for (index, changes) in parts.enumerated() {
                event(transaction, changes, part: index, of: parts.count, to: &writer)
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

    /// A save as an entry of the JSON form.
    package func entry(
        _ transaction: HistoryTransaction, _ changes: [ToldChange], values: Bool,
        to writer: inout ByteWriter
    ) {
        head(transaction, to: &writer)
        writer.raw(",\"changes\":[")
        for (index, change) in changes.enumerated() {
            if index > 0 { writer.byte(UInt8(ascii: ",")) }
            write(change, values: values, to: &writer)
        }
        writer.raw("]}")
    }

    private func event(
        _ transaction: HistoryTransaction, _ changes: [UInt8], part: Int, of count: Int,
        to writer: inout ByteWriter
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
        writer.raw("]}\n\n")
    }

    /// `id: TOKEN` and a line break.
    func idLine(_ number: Int64, to writer: inout ByteWriter) {
        writer.raw("id: ")
        writer.write(token(number))
        writer.byte(UInt8(ascii: "\n"))
    }

    /// A comment with an id, which moves the client's place.
    package func place(_ number: Int64) -> [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writer.raw(":\n")
        idLine(number, to: &writer)
        writer.byte(UInt8(ascii: "\n"))
        return writer.take()
    }

    private func head(_ transaction: HistoryTransaction, to writer: inout ByteWriter) {
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

    /// The changes, separated by commas, in parts of at most so many changes and bytes.
    private func parts(of changes: [ToldChange], values: Bool) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        var writer = ByteWriter(capacity: min(changes.count, 1024) * 96)
        var count = 0
        for change in changes {
            let start = writer.count
            if count > 0 { writer.byte(UInt8(ascii: ",")) }
            write(change, values: values, to: &writer)
            if values, writer.count - start > bytesPerPart {
                writer.bytes.removeSubrange((count > 0 ? start + 1 : start)...)
                write(change, values: values, isTooLarge: true, to: &writer)
            }
            count += 1
            if count == changesPerPart || writer.count >= bytesPerPart {
                parts.append(writer.take())
                count = 0
            }
        }
        if count > 0 { parts.append(writer.take()) }
        return parts
    }
}
