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
    /// By entity, whether its rows must be inserted one by one.
    let constrained: [Bool]
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
        constrained = Self.constrained(schema)
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
        var permanent = try assignKeys(request.changes)
        var operations = try SaveOperations(
            request.changes, KeyReplacement(model: schema.model, permanent: permanent))
        if !request.reservations.isEmpty { try reserveKeys(request.reservations, &permanent) }
        guard !operations.isEmpty else {
            let result = SaveResult(token: max(request.readToken, 0), permanentKeys: permanent)
            try keep(request.receipt, result, at: time)
            return (result, nil)
        }
        let view = view(of: request)
        if view != .current { try checkExpectations(of: request) }
        // Nothing is written before the first change is: who is refused at once leaves nothing.
        var told: [HistoryChange] = []
        told.reserveCapacity(operations.count)
        var number = whole?.number
        func tell(_ applied: AppliedChange) throws(StoreError) {
            let transaction: Int64
            if let number {
                transaction = number
            } else {
                transaction = try history.begin(request, at: time, counters: &counters, connection)
                number = transaction
            }
            longDecimals.note(applied.change)
            told.append(
                try history.add(
                    applied, transaction: transaction, counters: &counters, connection))
        }
        if derived.isEmpty {
            try execute(operations, madeFrom: view, tell)
        } else {
            if view != .current { try refreshDerived(of: &operations) }
            var done: [AppliedChange] = []
            try execute(operations, madeFrom: view) { done.append($0) }
            try derive(&done, at: time)
            for applied in done { try tell(applied) }
        }
        try longDecimals.write(connection)
        let transaction = HistoryTransaction(
            number: number ?? token, timestamp: time, author: request.author,
            contextName: request.contextName, changes: told)
        let result = SaveResult(
            token: transaction.number, permanentKeys: permanent, changes: told)
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

    /// Gives new objects their keys.
    private func assignKeys(_ changes: [ObjectChange]) throws(StoreError) -> PermanentKeys {
        var permanent = PermanentKeys()
        for place in changes.indices
        where changes[place].key < 0 && changes[place].kind == .insert {
            let root = schema.model.entities[changes[place].entity].root
            permanent.insert(
                try counters.next(schema.number(of: root)),
                for: ObjectID(root: root, key: changes[place].key))
        }
        return permanent
    }

    private func reserveKeys(
        _ ids: [ObjectID], _ permanent: inout PermanentKeys
    ) throws(StoreError) {
        for id in ids {
            guard schema.model.entities.indices.contains(id.root) else {
                throw .invalid("the request names an entity that the model does not have")
            }
            permanent.insert(try counters.next(schema.number(of: id.root)), for: id)
        }
        hasReserved = true
    }

    private func view(of request: SaveRequest) -> RequestView {
        if request.readToken < trustedSince { return .foreign }
        return request.readToken == token ? .current : .own
    }

    private func checkExpectations(of request: SaveRequest) throws(StoreError) {
        try ExpectationCheck(schema: schema, connection: connection)
            .check(request.expectations, statements: &statements)
    }
}

/// A change as it was carried out.
struct AppliedChange {
    var change: ObjectChange
    /// The object afterwards; nil for a delete.
    var after: Snapshot?
}
