/// The stored history, read back as it was told when it happened.

import SteleModel
import StelePersistence

/// Reads saves from the history's tables over one connection, in one view of the store.
public struct HistoryReader {
    private let schema: SQLSchema
    let connection: any SQLConnection
    private let images: BeforeImage
    private let known: KnownStates?

    /// - Parameter known: what others have found out, where the view is one of what is committed.
    public init(schema: SQLSchema, connection: any SQLConnection, known: KnownStates? = nil) {
        self.schema = schema
        self.connection = connection
        self.known = known
        images = BeforeImage(schema.model, folder: connection.externalFolder)
    }

    private static let token = SQLText(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(HistoryTables.transaction)")
    private static let oldest = SQLText("SELECT MIN(Z_PK) FROM ATRANSACTION")
    private static let transactions = SQLText(
        "SELECT t.Z_PK, t.ZTIMESTAMP, a.ZNAME, c.ZNAME FROM ATRANSACTION t "
            + "LEFT JOIN ATRANSACTIONSTRING a ON a.Z_PK = t.ZAUTHORTS "
            + "LEFT JOIN ATRANSACTIONSTRING c ON c.Z_PK = t.ZCONTEXTNAMETS "
            + "WHERE t.Z_PK > ?1 ORDER BY t.Z_PK LIMIT ?2")
    private static let changes = SQLText(
        "SELECT c.Z_PK, c.ZCHANGETYPE, c.ZENTITY, c.ZENTITYPK, c.ZTRANSACTIONID, b.ZVERSION, "
            + "b.ZVALUES FROM ACHANGE c "
            + "LEFT JOIN \(HistoryTables.beforeImages) b ON b.Z_PK = c.Z_PK "
            + "WHERE c.ZTRANSACTIONID BETWEEN ?1 AND ?2 ORDER BY c.ZTRANSACTIONID, c.Z_PK")

    /// The number of the last transaction that the view sees.
    public func lastTransaction() throws(StoreError) -> Int64 {
        let rows = try connection.rows(Self.token, [], [.integer])
        if case .int(let number)? = rows.first?.first { return number }
        return 0
    }

    /// The number of the oldest transaction kept, or nil where there is none.
    public func oldestTransaction() throws(StoreError) -> Int64? {
        let rows = try connection.rows(Self.oldest, [], [.integer])
        if case .int(let number)? = rows.first?.first { return number }
        return nil
    }

    /// What the slots of an object held at an older version, as far as they were changed since; nil
    /// where the history does not tell.
    /// - Parameter now: the object as it is.
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

    /// Saves after that one, oldest first.
    public func transactions(
        after token: Int64, limit: Int, values: Bool
    ) throws(StoreError) -> [HistoryTransaction] {
        let heads = try connection.rows(
            Self.transactions, [.int(token), .int(Int64(limit))],
            [.integer, .date, .text, .text])
        guard case .int(let first)? = heads.first?.first, case .int(let last)? = heads.last?.first
        else { return [] }
        var rows = try connection.rows(
            Self.changes, [.int(first), .int(last)],
            [.integer, .integer, .integer, .integer, .integer, .integer, .text]
        ).compactMap(ChangeRow.init)
        rows.removeAll { !schema.model.entities.indices.contains($0.entity) }
        let states =
            values ? try HistoryStates(schema, connection, images, known).after(rows) : [:]
        var byTransaction: [Int64: [HistoryChange]] = [:]
        for row in rows {
            byTransaction[row.transaction, default: []].append(change(row, states[row.key]))
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
        }
        return told
    }

    private static func text(_ value: Value) -> String? {
        if case .string(let text) = value { return text }
        return nil
    }
}

/// One row of ACHANGE with its before-image.
struct ChangeRow {
    var key: Int64
    var kind: ObjectChange.Kind
    /// The index of the concrete entity; may be out of the model's range in a foreign row.
    var entity: Int
    var object: Int64
    var transaction: Int64
    /// The version after an update or before a delete; after an insert of what was in the store
    /// before. Nil where there is no before-image.
    var version: Int64?
    var image: String?

    init?(_ row: [Value]) {
        guard case .int(let key) = row[0], case .int(let type) = row[1],
            case .int(let number) = row[2], case .int(let object) = row[3],
            case .int(let transaction) = row[4], let kind = ObjectChange.Kind(rawValue: Int(type))
        else { return nil }
        self.key = key
        self.kind = kind
        self.object = object
        self.transaction = transaction
        entity = Int(number) &- 1
        if case .int(let version) = row[5] { self.version = version }
        if case .string(let text) = row[6] { image = text }
    }
}
