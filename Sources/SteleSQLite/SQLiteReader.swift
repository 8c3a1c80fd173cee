/// One view of the store: a read transaction on a connection of the pool.

import CSQLite
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQL

/// A reader of an SQLite store; what it sees does not change until it is closed.
final class SQLiteReader: StoreReader {
    private var connection: Connection?
    private let schema: SQLSchema
    private let translator: FetchTranslator
    private let pool: ReaderPool?
    private var number: Int64?
    private var deadline: Deadline?

    private static let begin = SQLText("BEGIN")
    private static let end = SQLText("COMMIT")

    /// A reader on a connection of the pool, in a transaction of its own.
    init(schema: SQLSchema, translator: CurrentTranslator, pool: ReaderPool) throws(StoreError) {
        self.schema = schema
        self.pool = pool
        let connection = try pool.take()
        do {
            try connection.execute(Self.begin, [])
            // The first read opens the view; the token is what belongs to it.
            number = try HistoryReader(schema: schema, connection: connection).lastTransaction()
        } catch {
            pool.give(connection)
            throw error
        }
        // Only now: what the view holds, this translator knows of.
        self.translator = translator.current
        self.connection = connection
        deadline = Deadline(connection.handle, seconds: Limits.statementSeconds)
    }

    /// A reader on the writer's own connection, within its transaction.
    init(schema: SQLSchema, translator: CurrentTranslator, writer: Connection, token: Int64) {
        self.schema = schema
        self.translator = translator.current
        pool = nil
        connection = writer
        number = token
        deadline = Deadline(writer.handle, seconds: Limits.statementSeconds)
    }

    deinit { close() }

    func close() {
        guard let connection else { return }
        self.connection = nil
        deadline = nil
        guard let pool else { return }
        _ = try? connection.execute(Self.end, [])
        pool.give(connection)
    }

    private func open() throws(StoreError) -> Connection {
        guard let connection else { throw .closed }
        deadline?.start()
        return connection
    }

    var token: Int64 {
        get throws(StoreError) {
            guard let number else { throw .closed }
            return number
        }
    }

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

    func fetch(_ request: FetchRequest) throws(StoreError) -> [Snapshot] {
        let statement = try translator.snapshots(request)
        guard let shape = schema.shapes[request.entity.root] else { return [] }
        return try open().snapshots(statement.sql, statement.bindings, shape)
    }

    func fetchRows(_ request: FetchRequest) throws(StoreError) -> [[Value]] {
        let statement = try translator.rows(request)
        return try open().rows(statement.sql, statement.bindings, statement.kinds)
    }

    func position(of key: Int64, in request: FetchRequest) throws(StoreError) -> [Value] {
        let statement = try translator.position(of: key, in: request)
        return try open().rows(statement.sql, statement.bindings, statement.kinds).first ?? []
    }

    func count(_ request: FetchRequest) throws(StoreError) -> Int {
        let statement = try translator.count(request)
        let rows = try open().rows(statement.sql, statement.bindings, [.integer])
        if case .int(let count)? = rows.first?.first { return Int(count) }
        return 0
    }

    func members(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [Int64: [Int64]] {
        let statement = try translator.members(of: relationship, owners: owners)
        let rows = try open().rows(statement.sql, statement.bindings, [.integer, .integer])
        var members: [Int64: [Int64]] = [:]
        for row in rows {
            if case .int(let owner) = row[0], case .int(let member) = row[1] {
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
        let statement = try translator.memberSnapshots(of: relationship, owners: owners)
        return try open().ownedSnapshots(statement.sql, statement.bindings, shape)
    }

    func history(
        after token: Int64, limit: Int, values: Bool
    ) throws(StoreError) -> [HistoryTransaction] {
        try HistoryReader(schema: schema, connection: open())
            .transactions(after: token, limit: limit, values: values)
    }

    func oldestTransaction() throws(StoreError) -> Int64? {
        try HistoryReader(schema: schema, connection: open()).oldestTransaction()
    }
}
