import SteleModel
import StelePersistence

/// Saves requests one after the other: from a request to rows, history and a result. It is used on
/// the writer's thread.
///
/// The caller opens the transaction, and rolls back to a savepoint or the whole transaction after
/// an error.
package final class SQLSaver {
    let schema: SQLSchema
    let connection: any SQLConnection
    var statements: SaveStatements
    var counters: Counters
    private var history: HistoryWriter
    let derived: DerivedAttributes
    /// Returns what reads the sources of derived attributes in the open transaction; nil where
    /// statements of the translator read them all.
    let deriving: (() -> any DerivationReader)?
    /// Writes saves to where other programs read them; nil where nothing else has them.
    let follower: (any SaveFollower)?
    /// Whether the follower writes the saves from now on.
    var isFollowed = true
    /// Returns the columns with foreign values that are known.
    let foreign: () -> ForeignValues
    /// For reading the sources of derived attributes.
    var translator: FetchTranslator?
    var longDecimals: LongDecimals
    /// The tables with triggers of other programs; nil where they have not been read since another
    /// program's commit.
    var tablesWithTriggers: Set<String>?
    /// Whether something was written that is in no transaction of the history.
    var hasWrittenBeside = false
    /// Requests with a read token below this number may not have seen a commit of another program.
    private var trustedSince: Int64 = 0

    /// Reads the counters and the metadata. The caller holds the write lock.
    package init(
        schema: SQLSchema, connection: any SQLConnection,
        foreign: @escaping () -> ForeignValues = { ForeignValues() },
        deriving: (() -> any DerivationReader)? = nil, follower: (any SaveFollower)? = nil
    ) throws(StoreError) {
        self.foreign = foreign
        self.follower = follower
        self.deriving = deriving
        self.schema = schema
        self.connection = connection
        statements = SaveStatements(schema)
        derived = DerivedAttributes(schema.model)
        history = try HistoryWriter(schema, connection)
        counters = try Counters(schema, connection).checked()
        longDecimals = try LongDecimals(schema, connection)
    }

    /// The number of the last transaction, including those of this batch.
    package var token: Int64 { counters.highest(HistoryTables.transaction) }

    /// Rereads everything that another program may have changed. The caller holds the write lock.
    package func reload() throws(StoreError) {
        tablesWithTriggers = nil
        if schema.dialect.isKeptByNodes {
            // Two statements, because nodes that save in turn read all of it after each other.
            counters = try Counters(schema, connection, looksAtRows: false).checked()
            try history.reload(connection, keepingTexts: true)
        } else {
            let read = (
                try Counters(schema, connection).checked(), try LongDecimals(schema, connection)
            )
            try history.reload(connection, keepingTexts: false)
            (counters, longDecimals) = read
        }
        trustedSince = token + 1
    }

    /// Deletes up to `limit` of the oldest transactions of the history before `number`.
    /// - Returns: the number of deleted transactions.
    package func deleteHistory(before number: Int64, limit: Int) throws(StoreError) -> Int {
        let deleted = try history.delete(before: number, limit: limit, connection)
        if deleted > 0 { hasWrittenBeside = true }
        return deleted
    }

    /// Changes users' keys of the metadata.
    /// - Throws: as `PersistentStore.changeMetadata`.
    package func changeMetadata(
        _ identifier: String, _ change: (inout [String: PropertyList]) throws -> Void
    ) throws {
        var metadata = try LongDecimals.metadata(connection)
        guard try metadata.change(identifier, change) else { return }
        try metadata.write(to: connection)
        hasWrittenBeside = true
    }

    /// Returns whether something was written that is in no transaction of the history, and resets
    /// that. Called once per batch.
    package func takesWrittenBeside() -> Bool {
        defer { hasWrittenBeside = false }
        return hasWrittenBeside
    }

    /// The state for `restore`.
    package struct Mark {
        let counters: Counters
        let history: HistoryWriter.Mark
        let longDecimals: LongDecimals
    }

    package var mark: Mark {
        Mark(counters: counters, history: history.mark, longDecimals: longDecimals)
    }

    /// The Decimal attributes with values of more than 15 digits, for `FetchTranslator`.
    package var attributesWithLongDecimals: Set<String> { longDecimals.attributes }

    /// Restores the state after the request's rows have been rolled back.
    package func restore(_ mark: Mark) {
        counters = mark.counters
        history.restore(mark.history)
        longDecimals = mark.longDecimals
    }

    /// Saves a request.
    /// - Parameter whole: the transaction to continue; nil for a new one.
    /// - Returns: the result, and the transaction; nil where nothing changed.
    /// - Throws: `StoreError`: `.moved`, `.conflicts`, `.constraint`, and errors of SQLite.
    package func save(
        _ request: SaveRequest, at time: Double, continuing whole: HistoryTransaction? = nil
    ) throws(StoreError) -> (SaveResult, HistoryTransaction?) {
        try request.checkNames(in: schema.model)
        var permanent = try assignKeys(request.changes)
        var operations = try SaveOperations(
            request.changes, KeyReplacement(model: schema.model, permanent: permanent))
        if !request.reservations.isEmpty { try reserveKeys(request.reservations, &permanent) }
        if request.complete > token {
            counters.reserve(request.complete, of: HistoryTables.transaction)
            hasReserved = true
        }
        guard !operations.isEmpty else {
            let result = SaveResult(token: max(request.readToken, 0), permanentKeys: permanent)
            try keep(request.receipt, result, at: time)
            return (result, nil)
        }
        let view = view(of: request)
        if view != .current { try check(request.expectations) }
        // The transaction begins with the first change, so that a request rejected at once writes
        // nothing.
        var told: [HistoryChange] = []
        told.reserveCapacity(operations.count)
        var number = whole?.number
        // Constants, because `tell` would copy the whole request for each change.
        let (isRecorded, author) = (request.isRecorded, request.author)
        let contextName = request.contextName
        let least = request.number
        func tell(_ applied: AppliedChange) throws(StoreError) {
            guard isRecorded else {
                longDecimals.note(applied.change)
                return told.append(HistoryChange(applied))
            }
            let transaction: Int64
            if let number {
                transaction = number
            } else {
                transaction = try history.begin(
                    by: author, in: contextName, at: time, least: least, counters: &counters,
                    connection)
                number = transaction
            }
            longDecimals.note(applied.change)
            told.append(
                try history.add(
                    applied, transaction: transaction, counters: &counters, connection))
        }
        if derived.isEmpty, follower == nil {
            try execute(operations, madeFrom: view, tell)
        } else {
            if view != .current { try refreshDerived(of: &operations) }
            var done: [AppliedChange] = []
            try execute(operations, madeFrom: view) { done.append($0) }
            try follow(&done)
            try derive(&done, at: time)
            for applied in done { try tell(applied) }
        }
        try longDecimals.write(connection)
        guard request.isRecorded else {
            hasWrittenBeside = true
            return (SaveResult(token: token, permanentKeys: permanent, changes: told), nil)
        }
        let transaction = HistoryTransaction(
            number: number ?? token, timestamp: time, author: request.author,
            contextName: request.contextName, changes: told)
        let result = SaveResult(
            token: transaction.number, permanentKeys: permanent, changes: told)
        try keep(request.receipt, result, at: time)
        return (result, transaction)
    }

    /// Whether keys were reserved. A batch commits for them even where no row changes.
    package private(set) var hasReserved = false

    /// Writes the waiting rows of the history: before a savepoint that they belong to is released,
    /// and before the history is read.
    package func writeHistory() throws(StoreError) { try history.write(to: connection) }

    /// Writes the rest of a batch: the rows of the history and the counters.
    package func finishBatch() throws(StoreError) {
        try history.finishBatch(connection)
        try counters.write(connection)
        hasReserved = false
    }

    // MARK: The steps of a save

    /// Gives new objects their permanent keys.
    private func assignKeys(_ changes: [ObjectChange]) throws(StoreError) -> PermanentKeys {
        var permanent = PermanentKeys()
        for place in changes.indices
        where changes[place].key < 0 && changes[place].kind == .insert {
            let root = schema.model.entities[changes[place].entity].root
            permanent.insert(
                try nextKey(ofRoot: root), for: ObjectID(root: root, key: changes[place].key))
        }
        return permanent
    }

    /// - Throws: `.noKeys` where all keys are given out.
    private func nextKey(ofRoot root: Int) throws(StoreError) -> Int64 {
        try counters.next(schema.number(of: root), of: schema.model.entities[root].name)
    }

    private func reserveKeys(
        _ ids: [ObjectID], _ permanent: inout PermanentKeys
    ) throws(StoreError) {
        for id in ids {
            if id.isTemporaryID {
                permanent.insert(try nextKey(ofRoot: id.root), for: id)
            } else {
                counters.reserve(id.key, of: schema.number(of: id.root))
            }
        }
        hasReserved = true
    }

    private func view(of request: SaveRequest) -> RequestView {
        if request.readToken < trustedSince { return .foreign }
        return request.readToken == token ? .current : .own
    }
}

/// An executed change.
struct AppliedChange {
    var change: ObjectChange
    /// The object after the change; nil for a deletion.
    var after: Snapshot?
}

extension HistoryChange {
    /// A change that the history leaves out.
    fileprivate init(_ applied: AppliedChange) {
        self.init(
            kind: applied.change.kind, entity: applied.change.entity, key: applied.change.key,
            version: applied.after?.version ?? applied.change.before?.version,
            snapshot: applied.after)
    }
}
