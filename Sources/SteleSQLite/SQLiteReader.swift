import CSQLite
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQL
import SteleSystem

/// A reader of an SQLite store: a read transaction on a connection of the pool.
final class SQLiteReader: StoreReader {
    private var connection: Connection?
    let schema: SQLSchema
    private let translators: CurrentTranslator
    private let search: ForeignSearch
    /// Taken at the first use.
    private var taken: FetchTranslator?
    private let pool: ReaderPool?
    let known: KnownStates?
    private var number: Int64?
    private var deadline: Deadline?
    /// Whether the result of a statement that runs for long is wanted.
    private var isWanted: @Sendable () -> Bool = { true }
    /// Whether the reader has a budget.
    private var hasBudget: Bool
    /// Whether its thread may not wait.
    private let isBrief: Bool
    private let beganAt = MonotonicClock.now
    /// The open cursors; they end with the reader.
    private var cursors: [SQLiteCursor] = []

    private static let begin = SQLText("BEGIN")
    private static let end = SQLText("COMMIT")

    /// Opens a reader on a connection of the pool, in a new transaction.
    /// - Parameter last: the number of a transaction that is in the view, where Z_PRIMARYKEY may have a
    ///   lower one for the last.
    init(
        schema: SQLSchema, translator: CurrentTranslator, search: ForeignSearch, pool: ReaderPool,
        known: KnownStates, budget: ReadBudget?, last: Int64 = 0
    ) throws(StoreError) {
        translators = translator
        self.search = search
        self.schema = schema
        self.pool = pool
        self.known = known
        hasBudget = budget != nil
        isBrief = budget.map { !$0.mayWait } ?? false
        let connection = try pool.take(waits: !isBrief)
        connection.pace = ReadingPace(budget)
        do {
            // What a budget allows fits in memory.
            try connection.sortInFiles(!hasBudget)
            if connection.hasAttachedHistory {
                number = try AttachedHistory.beginView(on: connection, waits: !isBrief)
            } else {
                try connection.execute(Self.begin, [])
                // The first read opens the view; the token belongs to it.
                number = max(try HistoryReader.lastTransaction(connection), last)
            }
        } catch {
            pool.give(connection)
            throw pool.damage.noting(error)
        }
        self.connection = connection
        follow(budget, connection)
    }

    /// Limits the cost of what is read from here on.
    private func follow(_ budget: ReadBudget?, _ connection: Connection) {
        // At its end it takes SQLite's handler away, also that of another one.
        deadline = nil
        deadline =
            budget.map { Deadline(connection.handle, budget: $0) }
            ?? Deadline(connection.handle, nanoseconds: StatementTime.limit)
        connection.deadline = deadline
        watch()
    }

    /// Ends a statement that runs for long where its result is not wanted or the view has to end.
    private func watch() {
        let (pool, view, isWanted) = (pool, connection?.view ?? 0, isWanted)
        deadline?.isWanted = { isWanted() && !(pool?.mustEnd(view) ?? false) }
    }

    /// Opens a reader on the writer's connection, within its transaction.
    init(
        schema: SQLSchema, translator: CurrentTranslator, search: ForeignSearch, writer: Connection,
        token: Int64
    ) {
        self.schema = schema
        translators = translator
        self.search = search
        hasBudget = false
        isBrief = false
        pool = nil
        // The writer's transaction may be rolled back, so its states are not shared.
        known = nil
        connection = writer
        number = token
        deadline = Deadline(writer.handle, nanoseconds: StatementTime.limit)
    }

    deinit { close() }

    /// The translator. It is taken after the view was opened, so that it covers the long decimals of
    /// all commits in it.
    func translator() throws(StoreError) -> FetchTranslator {
        if let taken { return taken }
        try search.settle(waits: !isBrief)
        let current = translators.current
        taken = current
        return current
    }

    func close() {
        guard let connection else { return }
        for cursor in cursors { cursor.end() }
        cursors = []
        self.connection = nil
        deadline = nil
        guard let pool else { return }
        connection.pace = .unhurried
        connection.matchLimits = .standard
        _ = try? connection.execute(Self.end, [])
        // The system counts mapped pages as the process's memory, once for each connection. Mapping
        // again takes longer than a short view.
        if MonotonicClock.now &- beganAt > Limits.longViewNanoseconds {
            connection.dropMapping()
        }
        pool.give(connection)
    }

    func read(within budget: ReadBudget?, matching limits: MatchLimits) {
        guard let connection else { return }
        follow(budget, connection)
        hasBudget = budget != nil
        connection.matchLimits = limits
    }

    func checkView() throws(StoreError) {
        guard let connection, let pool, pool.mustEnd(connection.view) else { return }
        throw .busy(
            "the store's log has become too long while this view was open, and can only be emptied "
                + "without it")
    }

    func read(while isWanted: @escaping @Sendable () -> Bool) {
        self.isWanted = isWanted
        watch()
    }

    /// Runs a statement within the time limit or the budget.
    func read<R>(
        _ body: (Connection) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        guard let connection else { throw .closed }
        deadline?.start()
        if !hasBudget {
            try checkView()
        } else if deadline?.isSpent ?? false {
            throw .overBudget
        }
        do { return try body(connection) } catch {
            if case .deadline = error {
                if hasBudget { throw .overBudget }
                // It may have ended because the view has to.
                try checkView()
            }
            throw pool?.damage.noting(error) ?? error
        }
    }

    private func snapshots(
        _ sql: SQLText, _ bindings: [Value], _ shape: RowShape
    ) throws(StoreError) -> [Snapshot] {
        try read { (it) throws(StoreError) in try it.snapshots(sql, bindings, shape) }
    }

    private func rows(
        _ sql: SQLText, _ bindings: [Value], _ kinds: [ColumnKind]
    ) throws(StoreError) -> [[Value]] {
        try read { (it) throws(StoreError) in try it.rows(sql, bindings, kinds) }
    }

    var token: Int64 {
        get throws(StoreError) {
            guard let number else { throw .closed }
            return number
        }
    }

    func snapshot(_ id: ObjectID) throws(StoreError) -> Snapshot? {
        guard let shape = schema.shapes[id.root] else { return nil }
        return try snapshots(
            try translator().snapshotByKey(root: id.root), [.int(id.key)], shape
        ).first
    }

    func snapshots(root: Int, keys: [Int64]) throws(StoreError) -> [Snapshot] {
        guard let shape = schema.shapes[root], !keys.isEmpty else { return [] }
        return try snapshots(
            try translator().snapshotsByKey(root: root), [.string(KeyList.json(keys))], shape)
    }

    func fetch(_ request: FetchRequest) throws(StoreError) -> [Snapshot] {
        guard let shape = schema.shapes[request.entity.root] else { return [] }
        let statement = try translated { (it) throws(StoreError) in try it.snapshots(request) }
        guard let statement else { return try loaded(request).snapshots() }
        var found = try snapshots(statement.sql, statement.bindings, shape)
        if statement.isUnordered { found.sort { $0.key < $1.key } }
        return found
    }

    func fetchRows(_ request: FetchRequest) throws(StoreError) -> [[Value]] {
        let statement = try translated { (it) throws(StoreError) in try it.rows(request) }
        guard let statement else { return try loaded(request).rows() }
        return try rows(statement.sql, statement.bindings, statement.kinds)
    }

    /// The statement of a request; nil where SQL has none with its meaning, such as for values of
    /// several types in one list.
    private func translated(
        _ translate: (FetchTranslator) throws(StoreError) -> FetchStatement
    ) throws(StoreError) -> FetchStatement? {
        let translator = try translator()
        do { return try translate(translator) } catch {
            guard case .unsupported = error else { throw error }
            return nil
        }
    }

    /// A request that SQL cannot have, evaluated in memory.
    /// - Throws: `.overBudget` on a thread that must not wait, because no budget limits that work.
    private func loaded(_ request: FetchRequest) throws(StoreError) -> LoadedFetch {
        if isBrief { throw .overBudget }
        let (isWanted, view) = (isWanted, connection?.view ?? 0)
        return try LoadedFetch(
            request, in: schema.model, because: "for a predicate that SQL does not have",
            matching: connection?.matchLimits ?? .standard,
            while: { [pool] in isWanted() && !(pool?.mustEnd(view) ?? false) },
            from: { _ in [self] }
        ) { (relationship, owners) throws(StoreError) in
            try members(of: relationship, owners: owners)
        }
    }

    func cursor(_ request: FetchRequest) throws(StoreError) -> any FetchCursor {
        guard let connection else { throw .closed }
        let isOfObjects = request.propertiesToFetch.isEmpty
        guard let shape = schema.shapes[request.entity.root] else {
            throw .unsupported("the entity \(request.entity.name) in this store")
        }
        let statement = try translated { (it) throws(StoreError) in
            isOfObjects ? try it.objects(request) : try it.rows(request)
        }
        guard let statement else {
            return WholeCursor(
                isOfObjects ? .objects(try fetch(request)) : .values(try fetchRows(request)))
        }
        let cursor = try SQLiteCursor(
            statement, rows: isOfObjects ? .objects(shape) : .values(statement.kinds),
            on: connection, deadline: deadline, damage: pool?.damage)
        cursors.append(cursor)
        return cursor
    }

    func fetchedSnapshots(
        _ request: FetchRequest
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        guard let shape = schema.shapes[request.entity.root] else { return [] }
        let statement = try translated { (it) throws(StoreError) in
            try it.fetchedSnapshots(request)
        }
        guard let statement else { return try loaded(request).fetchedSnapshots() }
        return try read { (it) throws(StoreError) in
            try it.ownedSnapshots(statement.sql, statement.bindings, shape)
        }
    }

    func position(of key: Int64, in request: FetchRequest) throws(StoreError) -> [Value] {
        let statement = try translated { (it) throws(StoreError) in
            try it.position(of: key, in: request)
        }
        guard let statement else { return try loaded(request).position(of: key) }
        return try rows(statement.sql, statement.bindings, statement.kinds).first ?? []
    }

    func count(_ request: FetchRequest) throws(StoreError) -> Int {
        let statement = try translated { (it) throws(StoreError) in try it.count(request) }
        guard let statement else { return try loaded(request).count() }
        let count = try read { (it) throws(StoreError) in
            try it.integer(statement.sql, statement.bindings)
        }
        return Int(count ?? 0)
    }

    func members(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [Int64: [Int64]] {
        let statement = try translator().members(of: relationship, owners: owners)
        let rows = try rows(statement.sql, statement.bindings, statement.kinds)
        var members: [Int64: [Int64]] = [:]
        for row in rows {
            if case .key(let owner) = row[0], case .key(let member) = row[1] {
                members[owner, default: []].append(member)
            }
        }
        return members
    }

    func memberSnapshots(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        let root = schema.model.destination(of: relationship).root
        guard let shape = schema.shapes[root] else { return [] }
        let statement = try translator().memberSnapshots(of: relationship, owners: owners)
        return try read { (it) throws(StoreError) in
            try it.ownedSnapshots(statement.sql, statement.bindings, shape)
        }
    }

    func infiniteNumbers(
        of attribute: Attribute, keys: [Int64]
    ) throws(StoreError) -> [Int64: Double] {
        let table = schema.table(of: attribute.owner).name
        let foreign = try translator().foreign
        guard !keys.isEmpty, let column = schema.column(of: attribute.slot, in: attribute.owner),
            foreign.columns[table]?.contains(column) == true
        else { return [:] }
        let rows = try rows(
            SQLText(
                "SELECT Z_PK, CASE WHEN \(column) > 0 THEN 1 ELSE 0 END, "
                    + "CAST(\(column) AS REAL) FROM \(table) WHERE Z_PK \(schema.dialect.isOneOf("?1")) "
                    + "AND \(ColumnKind(attribute.type).isBeyond(column))"),
            [.string(KeyList.json(keys))], [.integer, .integer, .double])
        var found: [Int64: Double] = [:]
        for row in rows {
            guard case .int(let key) = row[0] else { continue }
            var number: Double = row[1] == .int(1) ? .infinity : -.infinity
            if case .double(let finite) = row[2] { number = finite }
            found[key] = number
        }
        return found
    }
}
