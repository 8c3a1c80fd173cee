import SteleModel
import StelePersistence
import StelePredicates
import SteleSQL

/// A reader of a PostgreSQL store: a repeatable-read transaction on a connection of the pool.
final class PostgreSQLReader: StoreReader, DerivationReader {
    /// Nil after `close`.
    private(set) var connection: Connection?
    private let schema: SQLSchema
    private let language: PostgreSQLLanguage
    private let pool: ReaderPool?
    private let known: KnownStates?
    private var number: Int64
    private var limits = MatchLimits.standard

    private var translator: FetchTranslator { language.translator }

    /// Opens a reader on a connection of the pool, in a new transaction.
    init(
        schema: SQLSchema, language: PostgreSQLLanguage, pool: ReaderPool, known: KnownStates
    ) throws(StoreError) {
        self.schema = schema
        self.language = language
        self.pool = pool
        self.known = known
        (number, connection) = try pool.use { connection throws(StoreError) in
            try connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            // The first read opens the view; the token belongs to it.
            return try HistoryReader.lastTransaction(connection)
        }
    }

    /// Opens a reader on the writer's connection, within its transaction.
    init(schema: SQLSchema, language: PostgreSQLLanguage, writer: Connection, token: Int64) {
        self.schema = schema
        self.language = language
        pool = nil
        // The writer's transaction may be rolled back, so its states are not shared.
        known = nil
        connection = writer
        number = token
    }

    deinit { close() }

    func close() {
        guard let connection else { return }
        self.connection = nil
        guard let pool else { return }
        _ = try? connection.run("COMMIT")
        pool.give(connection)
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
        let connection = try open()
        guard language.has(request) else { return try loaded(request).snapshots() }
        let statement = try translator.snapshots(request)
        guard let shape = schema.shapes[request.entity.root] else { return [] }
        var found = try connection.snapshots(statement.sql, statement.bindings, shape)
        if statement.isUnordered { found.sort { $0.key < $1.key } }
        return found
    }

    func fetchRows(_ request: FetchRequest) throws(StoreError) -> [[Value]] {
        let connection = try open()
        guard !request.propertiesToFetch.isEmpty, language.has(request) else {
            return try loaded(request).rows()
        }
        let statement = try translator.rows(request)
        return try connection.rows(statement.sql, statement.bindings, statement.kinds)
    }

    func position(of key: Int64, in request: FetchRequest) throws(StoreError) -> [Value] {
        let connection = try open()
        guard language.has(request) else { return try loaded(request).position(of: key) }
        let statement = try translator.position(of: key, in: request)
        return try connection.rows(statement.sql, statement.bindings, statement.kinds).first ?? []
    }

    func count(_ request: FetchRequest) throws(StoreError) -> Int {
        let connection = try open()
        guard language.has(request) else { return try loaded(request).count() }
        let statement = try translator.count(request)
        return Int(try connection.integer(statement.sql, statement.bindings) ?? 0)
    }

    func cursor(_ request: FetchRequest) throws(StoreError) -> any FetchCursor {
        let connection = try open()
        guard language.has(request) else {
            let all = try loaded(request)
            return WholeCursor(
                request.propertiesToFetch.isEmpty
                    ? .objects(try all.snapshots()) : .values(try all.rows()))
        }
        if request.propertiesToFetch.isEmpty {
            guard let shape = schema.shapes[request.entity.root] else {
                throw .unsupported("the entity \(request.entity.name) in this store")
            }
            return try PostgreSQLCursor(
                try translator.objects(request), .objects(shape), of: self, on: connection)
        }
        let statement = try translator.rows(request)
        return try PostgreSQLCursor(
            statement, .values(statement.kinds), of: self, on: connection)
    }

    private func loaded(_ request: FetchRequest) throws(StoreError) -> LoadedFetch {
        let checked: FetchRequest
        do throws(PredicateError) { checked = try request.checked(in: schema.model) } catch {
            throw .predicate(error)
        }
        return try LoadedFetch(
            checked, in: schema.model,
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
        for row in 0..<rows.count {
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
        after token: Int64, limit: Int, values: Bool
    ) throws(StoreError) -> [HistoryTransaction] {
        try HistoryReader(schema: schema, connection: open(), known: known)
            .transactions(after: token, limit: limit, values: values)
    }

    func slots(
        of id: ObjectID, atVersion version: Int64
    ) throws(StoreError) -> [Int: Value]? {
        guard let now = try snapshot(id) else { return nil }
        return try HistoryReader(schema: schema, connection: open())
            .slots(of: now, atVersion: version)
    }

    func receipt(_ key: String) throws(StoreError) -> Receipt? {
        try Receipts(open()).receipt(key)
    }

    func firstTransactionToKeep(since time: Double?, bytes: Int?) throws(StoreError) -> Int64 {
        try HistoryReader(schema: schema, connection: open()).firstToKeep(since: time, bytes: bytes)
    }

    func oldestTransaction() throws(StoreError) -> Int64? {
        try HistoryReader(schema: schema, connection: open()).oldestTransaction()
    }
}
