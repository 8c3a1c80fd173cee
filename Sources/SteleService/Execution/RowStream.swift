/// A list that is too long to hold, read batch by batch in one view of the store.

import SteleAnswers
import SteleGraph
import StelePersistence
import StelePredicates
import SteleRequests
import SteleSystem

/// The rows of one answer. The stream keeps their reader until it is closed or released.
///
/// One thread at a time uses it: the worker that begins it passes it to the one that streams.
// The thread that makes the stream passes it on with the answer, and no longer uses it.
final class RowStream: RowSource, @unchecked Sendable {
    private enum Rows {
        case cursor(any FetchCursor)
        /// The members of an ordered relationship that are left.
        case keys(OrderedMembers, ArraySlice<Int64>)
    }

    private let context: ManagedObjectContext
    private let execution: Execution
    private let plan: ListPlan
    private var place: StreamPlace?
    /// Nil where all are read.
    private var rows: Rows?

    /// - Throws: `StoreError`. An error of the query is thrown here, before anything is sent.
    init(
        _ request: FetchRequest, _ plan: ListPlan, by execution: Execution,
        in context: ManagedObjectContext, _ place: StreamPlace
    ) throws {
        self.context = context
        self.execution = execution
        self.plan = plan
        self.place = place
        if let ordered = OrderedMembers(plan, execution, context) {
            let keys = try ordered.keys().dropFirst(plan.offset)
            rows = .keys(ordered, keys.prefix(plan.pageLimit))
        } else {
            rows = .cursor(try context.reader().cursor(request))
        }
    }

    /// The next rows, with what is embedded in them; nil at the end.
    func next() throws -> (rows: FetchedRows, embedded: Embedded)? {
        guard let rows else { return nil }
        try check()
        let count = execution.limits.streamBatchRows
        let batch: FetchedRows
        switch rows {
        case .cursor(let cursor): batch = try cursor.next(count)
        case .keys(let members, let left):
            batch = try members.batch(Array(left.prefix(count)))
            self.rows = .keys(members, left.dropFirst(count))
        }
        guard batch.count > 0 else {
            close()
            return nil
        }
        let embedded = try Embedding.embedded(
            in: batch, plan.shape, context, limits: execution.limits)
        // A client may take long for the last rows.
        if case .cursor = rows, batch.count < count { close() }
        return (batch, embedded)
    }

    /// Throws where rows are left and the store has to end their view.
    func check() throws {
        if rows != nil { try context.reader().checkView() }
    }

    /// Releases the reader.
    func close() {
        rows = nil
        context.close()
        place = nil
    }

    deinit { close() }
}

/// The place of an answer that keeps a reader while a client takes it; left when it is released.
/// There are fewer places than readers, so that slow clients leave some to other requests.
final class StreamPlace: Sendable {
    private let places: Places

    /// - Throws: `Problem`, 503, if all places are taken.
    init(_ places: Places) throws {
        guard places.take() else {
            throw Problem(
                .busy, "\(places.most) long answers are being sent; try again in a moment",
                headers: [("Retry-After", "1")])
        }
        self.places = places
    }

    deinit { places.leave() }
}
