import SteleModel
import StelePersistence
import StelePredicates
import SteleSQL

/// A reader of a PostgreSQL store: a repeatable-read transaction on a connection of the pool.
final class PostgreSQLReader: StoreReader, DerivationReader {
    /// Nil after `close`.
    private(set) var connection: Connection?
    private let schema: SQLSchema
    private let translator: FetchTranslator
    private let pool: ReaderPool?
    private let known: KnownStates?
    private let counters: DatabaseCounters?
    private var number: Int64
    /// The oldest transaction of the view, which may have none; nil where the view was not opened
    /// with it, on the writer's connection.
    private var oldest: Int64??
    /// Saves that were read with the opening.
    private var ahead: (page: HistoryPage, found: [[[Value]]])?
    private var limits = MatchLimits.standard

    /// Opens a reader on a connection of the pool, in a new transaction.
    /// - Parameters:
    ///   - counter: the commits that the view must have; nil on a standby, which may be behind.
    ///   - page: saves of the history that are read with the opening.
    ///   - notes: called with the last commit that the view has.
    init(
        schema: SQLSchema, translator: FetchTranslator, pool: ReaderPool,
        counter: CommitCounter?, known: KnownStates?,
        counters: DatabaseCounters, reading page: HistoryPage? = nil,
        noting notes: (CommitCounter.Commit) -> Void
    ) throws(StoreError) {
        self.schema = schema
        self.translator = translator
        self.pool = pool
        self.known = known
        self.counters = counters
        let (view, connection) = try pool.use { connection throws(StoreError) in
            try CommitCounter.open(
                connection, pool.access, counter, reading: page?.reads(schema) ?? [])
        }
        if let page { ahead = (page, view.found) }
        number = view.token
        oldest = .some(view.oldest)
        self.connection = connection
        notes(view.commit)
    }

    /// Opens a reader on the writer's connection, within its transaction.
    init(schema: SQLSchema, translator: FetchTranslator, writer: Connection, token: Int64) {
        self.schema = schema
        self.translator = translator
        pool = nil
        // The writer's transaction may be rolled back, so its states are not shared.
        known = nil
        counters = nil
        connection = writer
        number = token
    }

    deinit { close() }

    func close() {
        guard let connection else { return }
        self.connection = nil
        guard let pool else { return }
        connection.end()
        pool.give(connection, isEnding: true)
    }

    func read(within budget: ReadBudget?, matching limits: MatchLimits) { self.limits = limits }

    private func open() throws(StoreError) -> Connection {
        guard let connection else { throw .closed }
        return connection
    }

    var token: Int64 { get throws(StoreError) { number } }

    // MARK: Rows

    func snapshot(_ id: ObjectID) throws(StoreError) -> Snapshot? {
        guard let shape = schema.shapes[id.root] else { return nil }
        return try open().snapshots(
            translator.snapshotByKey(root: id.root), [.int(id.key)], shape
        ).first
    }

    func snapshots(root: Int, keys: [Int64]) throws(StoreError) -> [Snapshot] {
        guard let shape = schema.shapes[root], !keys.isEmpty else { return [] }
        return try open().snapshots(
            translator.snapshotsByKey(root: root), [.string(KeyList.json(keys))], shape)
    }

    // MARK: Fetching

    func fetch(_ request: FetchRequest) throws(StoreError) -> [Snapshot] {
        try answer(request, translator.snapshots) { (statement) throws(StoreError) in
            guard let shape = schema.shapes[request.entity.root] else { return [] }
            var found = try open().snapshots(statement.sql, statement.bindings, shape)
            if statement.isUnordered { found.sort { $0.key < $1.key } }
            return found
        } otherwise: { (all) throws(StoreError) in
            try all.snapshots()
        }
    }

    func fetchRows(_ request: FetchRequest) throws(StoreError) -> [[Value]] {
        try answer(request, translator.rows, rows) { (all) throws(StoreError) in try all.rows() }
    }

    func position(of key: Int64, in request: FetchRequest) throws(StoreError) -> [Value] {
        try answer(request) { (request) throws(StoreError) in
            try translator.position(of: key, in: request)
        } _: { (statement) throws(StoreError) in
            try rows(statement).first ?? []
        } otherwise: { (all) throws(StoreError) in
            try all.position(of: key)
        }
    }

    func count(_ request: FetchRequest) throws(StoreError) -> Int {
        try answer(request, translator.count) { (statement) throws(StoreError) in
            Int(try open().integer(statement.sql, statement.bindings) ?? 0)
        } otherwise: { (all) throws(StoreError) in
            try all.count()
        }
    }

    func cursor(_ request: FetchRequest) throws(StoreError) -> any FetchCursor {
        let isOfObjects = request.propertiesToFetch.isEmpty
        guard let shape = schema.shapes[request.entity.root],
            let statement = try translated(
                request, isOfObjects ? translator.objects : translator.rows),
            !statement.mayFail
        else {
            return WholeCursor(
                isOfObjects ? .objects(try fetch(request)) : .values(try fetchRows(request)))
        }
        return try PostgreSQLCursor(
            statement, isOfObjects ? .objects(shape) : .values(statement.kinds), of: self,
            on: open())
    }

    private func rows(_ statement: FetchStatement) throws(StoreError) -> [[Value]] {
        try open().rows(statement.sql, statement.bindings, statement.kinds)
    }

    // MARK: Answering

    /// Returns the statement of a request; nil where PostgreSQL has none with its meaning.
    private func translated(
        _ request: FetchRequest,
        _ translate: (FetchRequest) throws(StoreError) -> FetchStatement
    ) throws(StoreError) -> FetchStatement? {
        do { return try translate(request) } catch {
            guard case .unsupported = error else { throw error }
            return nil
        }
    }

    /// Answers a request by a statement. Where PostgreSQL has none, or one of its types does not
    /// hold a value of the statement, such as a sum, the request is evaluated in memory.
    private func answer<R>(
        _ request: FetchRequest,
        _ translate: (FetchRequest) throws(StoreError) -> FetchStatement,
        _ run: (FetchStatement) throws(StoreError) -> R,
        otherwise: (LoadedFetch) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        let connection = try open()
        guard let statement = try translated(request, translate) else {
            return try otherwise(loaded(request))
        }
        guard statement.mayFail else { return try run(statement) }
        do {
            return try connection.attempt { () throws(StoreError) in try run(statement) }
        } catch {
            guard connection.lastState.hasPrefix("22") else { throw error }
            return try otherwise(loaded(request))
        }
    }

    private func loaded(_ request: FetchRequest) throws(StoreError) -> LoadedFetch {
        counters?.evaluated.add(1, ordering: .relaxed)
        return try LoadedFetch(
            request, in: schema.model,
            because: "for a predicate that PostgreSQL does not evaluate", matching: limits,
            from: { _ in [self] }
        ) { (relationship, owners) throws(StoreError) in
            try members(of: relationship, owners: owners)
        }
    }

    // MARK: Relationships

    func members(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [Int64: [Int64]] {
        let statement = try translator.members(of: relationship, owners: owners)
        let rows = try open().query(statement.sql, statement.bindings)
        var members: [Int64: [Int64]] = [:]
        for row in 0..<rows.count where rows.integer(row, 1) > 0 {
            members[rows.integer(row, 0), default: []].append(rows.integer(row, 1))
        }
        return members
    }

    func memberSnapshots(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        let root = schema.model.destination(of: relationship).root
        guard let shape = schema.shapes[root] else { return [] }
        let statement = try translator.memberSnapshots(of: relationship, owners: owners)
        return try open().ownedSnapshots(statement.sql, statement.bindings, shape)
    }

    // MARK: History

    func history(
        after position: HistoryPosition, limit: Int, changes: Int, values: Bool
    ) throws(StoreError) -> HistoryPiece {
        let reader = try history()
        let page = HistoryPage(after: position.save, limit: limit, changes: changes)
        if let ahead, position.change == nil, ahead.page == page {
            return try reader.piece(ahead.found, page, values: values)
        }
        return try reader.piece(
            after: position, limit: limit, changes: changes, values: values)
    }

    func slots(
        of id: ObjectID, atVersion version: Int64
    ) throws(StoreError) -> [Int: Value]? {
        guard let now = try snapshot(id) else { return nil }
        return try history().slots(of: now, atVersion: version)
    }

    func snapshots(
        root: Int, keys: [Int64], after save: Int64
    ) throws(StoreError) -> [Int64: Snapshot] {
        try history().snapshots(root: root, keys: keys, after: save)
    }

    func leastInserted(after save: Int64) throws(StoreError) -> [Int: Int64] {
        try history().leastInserted(after: save)
    }

    func inserted(root: Int, keys: [Int64], after save: Int64) throws(StoreError) -> Set<Int64> {
        try history().inserted(root: root, keys: keys, after: save)
    }

    func memberChanges(
        root: Int, keys: [Int64], after save: Int64
    ) throws(StoreError) -> [Int64: [MemberChange]] {
        try history().memberChanges(root: root, keys: keys, after: save)
    }

    private func history() throws(StoreError) -> HistoryReader {
        HistoryReader(
            schema: schema, connection: try open(), known: known, translator: translator)
    }

    func receipt(_ key: String) throws(StoreError) -> Receipt? {
        try Receipts(open()).receipt(key)
    }

    func firstTransactionToKeep(since time: Double?, bytes: Int?) throws(StoreError) -> Int64 {
        try HistoryReader(schema: schema, connection: open()).firstToKeep(since: time, bytes: bytes)
    }

    func oldestTransaction() throws(StoreError) -> Int64? {
        let connection = try open()
        if let oldest { return oldest }
        return try HistoryReader(schema: schema, connection: connection).oldestTransaction()
    }
}
