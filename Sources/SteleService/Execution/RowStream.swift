/// A list that is too long to hold, batch by batch in one view of the store.

import SteleAnswers
import SteleGraph
import StelePersistence
import StelePredicates
import SteleRequests
import SteleSystem

/// The rows of one answer, from their first to their last. It keeps the reader that they come from
/// until it is closed or forgotten.
///
/// It belongs to one thread at a time: the worker that begins it hands it to the one that streams.
// Whoever begins it gives it away with the answer and does not come back to it.
final class RowStream: RowSource, @unchecked Sendable {
    private enum Rows {
        case cursor(any FetchCursor)
        /// Members of an ordered relationship: those that are left.
        case keys(OrderedMembers, ArraySlice<Int64>)
    }

    private let context: ManagedObjectContext
    private let execution: Execution
    private let plan: ListPlan
    private let place: StreamPlaces.Place
    private var rows: Rows

    /// - Throws: `StoreError`; what the store cannot do is known here, before anything is sent.
    init(
        _ request: FetchRequest, _ plan: ListPlan, _ execution: Execution,
        _ context: ManagedObjectContext, _ place: StreamPlaces.Place
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

    /// The next rows with what is embedded in them; nil at the end.
    func next() throws -> (rows: FetchedRows, embedded: Embedded)? {
        let count = execution.limits.streamBatchRows
        let batch: FetchedRows
        switch rows {
        case .cursor(let cursor): batch = try cursor.next(count)
        case .keys(let members, let left):
            batch = try members.batch(Array(left.prefix(count)))
            rows = .keys(members, left.dropFirst(count))
        }
        guard batch.count > 0 else { return nil }
        return (
            batch,
            try Embedding.embedded(
                in: batch, plan.shape, context, limits: execution.limits)
        )
    }

    /// Gives the reader back.
    func close() {
        context.close()
        place.leave()
    }

    deinit { close() }
}

/// The places for answers that keep a reader while a client takes them: fewer than there are
/// readers, so that slow clients leave some to all others.
final class StreamPlaces: Sendable {
    private let taken = Mutex(0)
    private let limit: Int

    init(_ limit: Int) { self.limit = limit }

    /// One place, until it is left.
    final class Place: Sendable {
        private let places: StreamPlaces
        private let isTaken = Mutex(true)

        fileprivate init(_ places: StreamPlaces) { self.places = places }

        func leave() {
            let was = isTaken.withLock { taken in
                defer { taken = false }
                return taken
            }
            if was { places.taken.withLock { $0 -= 1 } }
        }

        deinit { leave() }
    }

    /// - Throws: `Problem`, 503, where all are taken.
    func take() throws -> Place {
        let isFree = taken.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        guard isFree else {
            throw Problem(
                .busy, "\(limit) long answers are under way; try again in a moment",
                headers: [("Retry-After", "1")])
        }
        return Place(self)
    }
}
