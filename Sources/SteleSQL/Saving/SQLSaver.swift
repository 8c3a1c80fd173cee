/// The save: from a request to rows, history and a result, in the writer's transaction.

import SteleModel
import StelePersistence

/// Saves requests one after the other on the writer's connection; used by the writer's thread.
///
/// The caller opens the transaction and takes back what this throws on, to a savepoint or with the
/// whole transaction.
public final class SQLSaver {
    let schema: SQLSchema
    let connection: any SQLConnection
    var statements: SaveStatements
    var counters: Counters
    private var history: HistoryWriter
    let derived: DerivedAttributes
    /// For reading what derived attributes are made from.
    var translator: FetchTranslator?
    var longDecimals: LongDecimals
    /// Whether something was written that no transaction of the history tells of.
    var hasWrittenBeside = false
    /// Requests read below that number may not have seen another program's commit.
    private var trustedSince: Int64 = 0

    /// - Throws: what reading the counters throws; the writer's lock must be held.
    public init(schema: SQLSchema, connection: any SQLConnection) throws(StoreError) {
        self.schema = schema
        self.connection = connection
        statements = SaveStatements(schema)
        derived = DerivedAttributes(schema.model)
        history = try HistoryWriter(schema, connection)
        counters = try Counters(schema, connection)
        longDecimals = try LongDecimals(schema, connection)
    }

    /// The number of the last transaction, those of this batch included.
    public var token: Int64 { counters.highest(HistoryTables.transaction) }

    /// Forgets what another program may have changed; the writer's lock must be held.
    public func reload() throws(StoreError) {
        let read = (try Counters(schema, connection), try LongDecimals(schema, connection))
        try history.reload(connection)
        (counters, longDecimals) = read
        trustedSince = token + 1
    }

    /// Deletes the oldest transactions of the history before that one, so many at most.
    /// - Returns: how many were deleted.
    public func deleteHistory(before number: Int64, limit: Int) throws(StoreError) -> Int {
        let deleted = try history.delete(before: number, limit: limit, connection)
        if deleted > 0 { hasWrittenBeside = true }
        return deleted
    }

    /// Whether there is something to commit although no transaction of the history tells of it;
    /// asked once a batch.
    public func takesWrittenBeside() -> Bool {
        defer { hasWrittenBeside = false }
        return hasWrittenBeside
    }

    /// What `restore` needs to take a request back.
    public struct Mark {
        let counters: Counters
        let history: HistoryWriter.Mark
        let longDecimals: LongDecimals
    }

    public var mark: Mark {
        Mark(counters: counters, history: history.mark, longDecimals: longDecimals)
    }

    /// The Decimal attributes with values of more than 15 digits, for `FetchTranslator`.
    public var attributesWithLongDecimals: Set<String> { longDecimals.attributes }

    /// Takes counters back to where they were, when the request's rows are taken back.
    public func restore(_ mark: Mark) {
        counters = mark.counters
        history.restore(mark.history)
        longDecimals = mark.longDecimals
    }

    /// Saves one request.
    /// - Parameter whole: the transaction that this is a further part of; nil for one of its own.
    /// - Returns: the result, and the transaction to tell of; nil where nothing was to change.
    /// - Throws: `StoreError`: `.moved`, `.conflicts`, `.constraint` and what SQLite refuses.
    public func save(
        _ request: SaveRequest, at time: Double, continuing whole: HistoryTransaction? = nil
    ) throws(StoreError) -> (SaveResult, HistoryTransaction?) {
        let wanted = operations(from: request)
        let (keyed, inserted) = try assignKeys(wanted)
        var permanent = inserted
        if !request.reservations.isEmpty {
            permanent.merge(try reserveKeys(request.reservations)) { first, _ in first }
        }
        var operations = order(dropEmpty(mergeByObject(keyed)))
        guard !operations.isEmpty else {
            let result = SaveResult(token: max(request.readToken, 0), permanentKeys: permanent)
            try keep(request.receipt, result, at: time)
            return (result, nil)
        }
        let view = view(of: request)
        if view != .current { try checkExpectations(of: request) }
        if !derived.isEmpty, view != .current { try refreshDerived(of: &operations) }
        var done = try execute(operations, madeFrom: view)
        if !derived.isEmpty {
            try derive(&done, at: time)
            operations = done.map(\.change)
        }
        try longDecimals.note(operations, connection)
        let transaction = try history.add(
            done, request, at: time, continuing: whole, counters: &counters, connection)
        let result = result(of: done, transaction, permanent)
        try keep(request.receipt, result, at: time)
        return (result, transaction)
    }

    /// Whether keys were given out that no row has; the batch is to be committed for them alone.
    public private(set) var hasReserved = false

    /// Writes the history's rows that wait to be written together: before a savepoint is released,
    /// for they belong to it, and before something reads them.
    public func writeHistory() throws(StoreError) { try history.write(to: connection) }

    /// Writes what the batch's end needs: the history's rows, the highest keys.
    public func finishBatch() throws(StoreError) {
        try history.finishBatch(connection)
        try counters.write(connection)
        hasReserved = false
    }

    // MARK: The lines of the save

    private func operations(from request: SaveRequest) -> [ObjectChange] { request.changes }

    /// Gives new objects their keys, and puts them wherever a negative one stands.
    private func assignKeys(
        _ changes: [ObjectChange]
    ) throws(StoreError) -> ([ObjectChange], [ObjectID: Int64]) {
        var permanent: [ObjectID: Int64] = [:]
        for change in changes where change.key < 0 && change.kind == .insert {
            let root = schema.model.entities[change.entity].root
            permanent[ObjectID(root: root, key: change.key)] = try counters.next(
                schema.number(of: root))
        }
        guard !permanent.isEmpty else { return (changes, permanent) }
        let keys = KeyReplacement(model: schema.model, permanent: permanent)
        return (changes.map(keys.replacing), permanent)
    }

    private func reserveKeys(
        _ ids: [ObjectID]
    ) throws(StoreError) -> [ObjectID: Int64] {
        var reserved: [ObjectID: Int64] = [:]
        for id in ids {
            guard schema.model.entities.indices.contains(id.root) else {
                throw .invalid("the request names an entity that the model does not have")
            }
            reserved[id] = try counters.next(schema.number(of: id.root))
        }
        hasReserved = true
        return reserved
    }

    /// One change an object: of two, the later one's values with the earlier one's start.
    private func mergeByObject(_ changes: [ObjectChange]) -> [ObjectChange] {
        if changes.count < 2 { return changes }
        var places: [ObjectID: Int] = [:]
        places.reserveCapacity(changes.count)
        var merged: [ObjectChange] = []
        merged.reserveCapacity(changes.count)
        for change in changes {
            let root = schema.model.entities[change.entity].root
            let id = ObjectID(root: root, key: change.key)
            if let place = places[id] {
                let first = merged[place]
                merged[place] = change
                merged[place].before = first.before ?? change.before
                if first.kind == .insert && change.kind == .update { merged[place].kind = .insert }
                merged[place].changedSlots = Array(
                    Set(first.changedSlots + change.changedSlots)
                ).sorted()
                merged[place].toManys = first.toManys + change.toManys
            } else {
                places[id] = merged.count
                merged.append(change)
            }
        }
        return merged
    }

    private func dropEmpty(_ changes: [ObjectChange]) -> [ObjectChange] {
        changes.filter { $0.kind != .update || !$0.changedSlots.isEmpty || !$0.toManys.isEmpty }
    }

    /// Deletes first, so that a unique value can pass to another object; then updates, inserts.
    private func order(_ changes: [ObjectChange]) -> [ObjectChange] {
        func rank(_ kind: ObjectChange.Kind) -> Int {
            switch kind {
            case .delete: 0
            case .update: 1
            case .insert: 2
            }
        }
        guard let first = changes.first, changes.contains(where: { $0.kind != first.kind })
        else { return changes }
        return changes.enumerated().sorted {
            (rank($0.element.kind), $0.offset) < (rank($1.element.kind), $1.offset)
        }.map(\.element)
    }

    private func view(of request: SaveRequest) -> RequestView {
        if request.readToken < trustedSince { return .foreign }
        return request.readToken == token ? .current : .own
    }

    private func checkExpectations(of request: SaveRequest) throws(StoreError) {
        try ExpectationCheck(schema: schema, connection: connection)
            .check(request.expectations, statements: &statements)
    }

    private func result(
        of done: [AppliedChange], _ transaction: HistoryTransaction, _ permanent: [ObjectID: Int64]
    ) -> SaveResult {
        var result = SaveResult(token: transaction.number, permanentKeys: permanent)
        result.snapshots.reserveCapacity(done.count)
        for applied in done {
            guard let after = applied.after else { continue }
            let root = schema.model.entities[after.entity].root
            result.snapshots[ObjectID(root: root, key: after.key)] = after
        }
        return result
    }
}

/// A change as it was carried out.
struct AppliedChange {
    var change: ObjectChange
    /// The object afterwards; nil for a delete.
    var after: Snapshot?
}
