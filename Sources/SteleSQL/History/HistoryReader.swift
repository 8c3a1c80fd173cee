import SteleModel
import StelePersistence

/// Reads saves from the tables of the history, in one view of the store.
public struct HistoryReader {
    private let schema: SQLSchema
    let connection: any SQLConnection
    private let images: BeforeImage
    private let known: KnownStates?

    /// - Parameters:
    ///   - schema: the layout of the database.
    ///   - connection: the connection that the view is open on.
    ///   - known: the states found by other readers, for a view of committed data only.
    public init(schema: SQLSchema, connection: any SQLConnection, known: KnownStates? = nil) {
        self.schema = schema
        self.connection = connection
        self.known = known
        images = BeforeImage(schema.model, folder: connection.externalFolder)
    }

    /// The SELECT of the number of the last transaction.
    package static let tokenStatement =
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(HistoryTables.transaction)"
    private static let token = SQLText(tokenStatement)
    private static let attachedToken = SQLText(
        "SELECT Z_MAX FROM history.Z_PRIMARYKEY WHERE Z_ENT = \(HistoryTables.transaction)")
    /// The SELECT of the number of the oldest transaction.
    package static let oldestStatement = "SELECT MIN(Z_PK) FROM ATRANSACTION"
    private static let oldest = SQLText(oldestStatement)
    private static let transactions = SQLText(
        "SELECT t.Z_PK, t.ZTIMESTAMP, COALESCE(a.ZNAME, t.ZAUTHOR), "
            + "COALESCE(c.ZNAME, t.ZCONTEXTNAME) FROM ATRANSACTION t "
            + "LEFT JOIN ATRANSACTIONSTRING a ON a.Z_PK = t.ZAUTHORTS "
            + "LEFT JOIN ATRANSACTIONSTRING c ON c.Z_PK = t.ZCONTEXTNAMETS "
            + "WHERE t.Z_PK > ?1 ORDER BY t.Z_PK LIMIT ?2")
    private static let transactionsWithTexts = SQLText(
        "SELECT Z_PK, ZTIMESTAMP, ZAUTHOR, ZCONTEXTNAME FROM ATRANSACTION "
            + "WHERE Z_PK > ?1 ORDER BY Z_PK LIMIT ?2")
    private static let changes = SQLText(
        "SELECT c.Z_PK, c.ZCHANGETYPE, c.ZENTITY, c.ZENTITYPK, c.ZTRANSACTIONID, b.ZVERSION, "
            + "b.ZVALUES FROM ACHANGE c "
            + "LEFT JOIN \(HistoryTables.beforeImages) b ON b.Z_PK = c.Z_PK "
            + "WHERE c.ZTRANSACTIONID > ?1 AND c.ZTRANSACTIONID <= (SELECT MAX(Z_PK) FROM "
            + "(SELECT Z_PK FROM ATRANSACTION WHERE Z_PK > ?1 ORDER BY Z_PK LIMIT ?2) AS t) "
            + "ORDER BY c.ZTRANSACTIONID, c.Z_PK")

    /// Returns the number of the last transaction in the view; 0 for none.
    /// - Throws: `StoreError.incompatible` (134080) for a number out of range; the errors of a
    ///   statement (`SQLConnection`).
    public func lastTransaction() throws(StoreError) -> Int64 {
        try Self.lastTransaction(connection)
    }

    /// Returns the number of the last transaction in the view of a connection; 0 for none.
    /// - Throws: as `lastTransaction()`.
    public static func lastTransaction(
        _ connection: any SQLConnection
    ) throws(StoreError) -> Int64 {
        try checked(
            try connection.integer(connection.hasAttachedHistory ? attachedToken : token)) ?? 0
    }

    /// Checks that the number of a transaction is from 0 to `most`, so that arithmetic on it does
    /// not overflow.
    /// - Throws: `.incompatible` (134080) for another number.
    package static func checked(_ number: Int64?) throws(StoreError) -> Int64? {
        guard let number, !(0...most).contains(number) else { return number }
        throw .incompatible(
            code: 134080,
            "the history of the store has the number \(number) for a transaction, which is out of "
                + "range: Z_PRIMARYKEY or ATRANSACTION is damaged (stele inspect says what is wrong "
                + "with the file)")
    }

    /// The highest number of a transaction, and of a change.
    static let most: Int64 = 1 << 62

    /// Returns the number of the oldest transaction in the history; nil for none.
    /// - Throws: as `lastTransaction()`.
    public func oldestTransaction() throws(StoreError) -> Int64? {
        try Self.checked(try connection.integer(Self.oldest))
    }

    /// Returns the values that an object's slots held at an older version, for the slots changed
    /// since; nil where the history does not go back far enough.
    /// - Parameters:
    ///   - now: the object in its current state.
    ///   - version: the older version of the object.
    /// - Throws: the errors of a statement (`SQLConnection`).
    public func slots(
        of now: Snapshot, atVersion version: Int64
    ) throws(StoreError) -> [Int: Value]? {
        var slots = OlderSlots(version: version)
        let family = schema.number(of: schema.model.entities[now.entity].root)
        var images = try ImageWalk(connection, family: family, objects: [now.key: .max], from: 0)
        images.remove { $0.version ?? version <= version }
        images.reverse()
        while let (place, text) = try images.next() {
            guard let made = place.version, let text,
                slots.take(self.images.values(text, entity: now.entity), version: made)
            else { return nil }
        }
        return slots.leading(to: now.version)
    }

    /// Returns the saves after a transaction, oldest first.
    /// - Throws: the errors of a statement (`SQLConnection`).
    public func transactions(
        after token: Int64, limit: Int, values: Bool
    ) throws(StoreError) -> [HistoryTransaction] {
        let reads = Self.reads(after: token, limit: limit, in: schema)
        return try transactions(try connection.rows(together: reads), values: values)
    }

    /// The statements that read the saves after a transaction.
    public static func reads(after token: Int64, limit: Int, in schema: SQLSchema) -> [SQLRead] {
        let page: [Value] = [.int(token), .int(Int64(limit))]
        return [
            SQLRead(
                schema.internsHistoryTexts ? transactions : transactionsWithTexts, page,
                [.integer, .date, .text, .text]),
            SQLRead(
                changes, page, [.integer, .integer, .integer, .integer, .integer, .integer, .text]),
        ]
    }

    /// Returns the saves of the rows of `reads`, oldest first.
    /// - Throws: the errors of a statement (`SQLConnection`).
    public func transactions(
        _ found: [[[Value]]], values: Bool
    ) throws(StoreError) -> [HistoryTransaction] {
        let heads = found[0]
        let rows = found[1].compactMap { ChangeRow($0, schema) }
        let states = HistoryStates(
            schema: schema, connection: connection, images: images, known: known)
        let after = values ? try states.after(rows) : [:]
        var byTransaction: [Int64: [HistoryChange]] = [:]
        for row in rows {
            byTransaction[row.transaction, default: []].append(change(row, after[row.key]))
        }
        return heads.compactMap { head in
            guard case .int(let number) = head[0] else { return nil }
            var time = 0.0
            if case .date(let seconds) = head[1] { time = seconds }
            return HistoryTransaction(
                number: number, timestamp: time, author: Self.text(head[2]),
                contextName: Self.text(head[3]), changes: byTransaction[number] ?? [])
        }
    }

    private func change(_ row: ChangeRow, _ state: Snapshot?) -> HistoryChange {
        var told = HistoryChange(
            kind: row.kind, entity: row.entity, key: row.object,
            version: row.version ?? (row.kind == .insert ? 1 : nil), snapshot: state)
        if row.kind == .update {
            told.before = row.image.map { images.values($0, entity: row.entity) }
        } else if row.kind == .delete {
            told.before = row.image.map { image in
                images.values(image, entity: row.entity).filter {
                    if case .members = $0 { true } else { false }
                }
            }
        }
        return told
    }

    private static func text(_ value: Value) -> String? {
        if case .string(let text) = value { return text }
        return nil
    }
}

/// A row of ACHANGE with its before-image.
struct ChangeRow {
    var key: Int64
    var kind: ObjectChange.Kind
    /// The index of the concrete entity.
    var entity: Int
    var object: Int64
    var transaction: Int64
    /// The version after an update, or after an insert of an object that existed before, or before
    /// a deletion. Nil without a before-image.
    var version: Int64?
    var image: String?

    /// Nil for a row of an entity that the model does not have.
    init?(_ row: [Value], _ schema: SQLSchema) {
        guard case .int(let key) = row[0], case .int(let type) = row[1],
            case .int(let number) = row[2], case .int(let object) = row[3],
            case .int(let transaction) = row[4],
            let kind = Int(exactly: type).flatMap(ObjectChange.Kind.init(rawValue:)),
            let entity = schema.entity(numbered: number)
        else { return nil }
        self.key = key
        self.kind = kind
        self.object = object
        self.transaction = transaction
        self.entity = entity
        if case .int(let version) = row[5] { self.version = version }
        if case .string(let text) = row[6] { image = text }
    }
}
