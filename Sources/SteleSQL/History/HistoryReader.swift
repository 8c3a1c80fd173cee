import SteleModel
import StelePersistence

/// Reads saves from the tables of the history, in one view of the store.
public struct HistoryReader {
    let schema: SQLSchema
    let connection: any SQLConnection
    let images: BeforeImage
    private let known: KnownStates?
    private let translator: FetchTranslator?

    /// - Parameters:
    ///   - schema: the layout of the database.
    ///   - connection: the connection that the view is open on.
    ///   - known: the states found by other readers, for a view of committed data only.
    ///   - translator: reads the current rows; nil for one of the schema.
    public init(
        schema: SQLSchema, connection: any SQLConnection, known: KnownStates? = nil,
        translator: FetchTranslator? = nil
    ) {
        self.translator = translator
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
    /// The SELECT of the number of the oldest transaction. No save has a number below 1.
    package static let oldestStatement = "SELECT MIN(Z_PK) FROM ATRANSACTION WHERE Z_PK > 0"
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
            + "ORDER BY c.ZTRANSACTIONID, c.Z_PK LIMIT ?3")
    private static let changesOfOne = SQLText(
        "SELECT c.Z_PK, c.ZCHANGETYPE, c.ZENTITY, c.ZENTITYPK, c.ZTRANSACTIONID, b.ZVERSION, "
            + "b.ZVALUES FROM ACHANGE c "
            + "LEFT JOIN \(HistoryTables.beforeImages) b ON b.Z_PK = c.Z_PK "
            + "WHERE c.ZTRANSACTIONID = ?1 AND c.Z_PK > ?2 ORDER BY c.Z_PK LIMIT ?3")
    private static let firstChange = SQLText(
        "SELECT MIN(Z_PK) FROM ACHANGE WHERE ZTRANSACTIONID = ?1")
    private static let changeKinds: [ColumnKind] = [
        .integer, .integer, .integer, .integer, .integer, .integer, .text,
    ]

    /// Returns the number of the last transaction in the view; 0 for none. A counter out of range
    /// counts as the nearest number in it, because reading needs none (`HistoryCounters`). One that
    /// is too low is mended by an opening, because looking at the rows costs more than the rest here.
    /// - Throws: the errors of a statement (`SQLConnection`).
    public func lastTransaction() throws(StoreError) -> Int64 {
        try Self.lastTransaction(connection)
    }

    /// Returns the number of the last transaction in the view of a connection, as
    /// `lastTransaction()`.
    /// - Throws: as `lastTransaction()`.
    public static func lastTransaction(
        _ connection: any SQLConnection
    ) throws(StoreError) -> Int64 {
        let counter = try connection.integer(connection.hasAttachedHistory ? attachedToken : token)
        return min(max(counter ?? 0, 0), most)
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
    /// - Throws: as `checked`; the errors of a statement (`SQLConnection`).
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

    /// Returns some saves from a position on, as `StoreReader.history`.
    /// - Throws: the errors of a statement (`SQLConnection`).
    public func piece(
        after position: HistoryPosition, limit: Int, changes: Int, values: Bool
    ) throws(StoreError) -> HistoryPiece {
        guard let start = position.change else {
            let page = HistoryPage(after: position.save, limit: limit, changes: changes)
            return try piece(
                try connection.rows(together: page.reads(schema)), page, values: values)
        }
        let save = position.save
        let first = try connection.rows(Self.firstChange, [.int(save)], [.integer]).first?.first
        let heads = try connection.rows(Self.heads(schema), [.int(save - 1), .int(1)], Self.kinds)
        guard heads.first?.first == .int(save) else { return HistoryPiece([], hasMore: false) }
        var rows: [[Value]] = []
        let most = Self.one(more: changes)
        if case .int(let first)? = first {
            let (after, isBeyond) = (first - 1).addingReportingOverflow(max(start, 0))
            if !isBeyond {
                rows = try connection.rows(
                    Self.changesOfOne, [.int(save), .int(after), .int(most)], Self.changeKinds)
            }
            return HistoryPiece(
                try saves(heads, rows, atMost: changes, firsts: [save: first], values: values),
                hasMore: true)
        }
        return HistoryPiece(
            try saves(heads, rows, atMost: changes, firsts: [:], values: values), hasMore: true)
    }

    /// Returns the saves of the rows of a page.
    /// - Throws: the errors of a statement (`SQLConnection`).
    public func piece(
        _ found: [[[Value]]], _ page: HistoryPage, values: Bool
    ) throws(StoreError) -> HistoryPiece {
        var heads = found[0]
        let rows = found[1]
        let isCut = rows.count > page.changes
        if isCut, case .int(let last)? = rows[page.changes - 1].dropFirst(4).first {
            heads.removeAll { head in
                if case .int(let number) = head[0] { number > last } else { true }
            }
        }
        // A page begins with the first changes of its saves.
        var firsts: [Int64: Int64] = [:]
        for row in rows {
            guard case .int(let key) = row[0], case .int(let save) = row[4] else { continue }
            if firsts[save] == nil { firsts[save] = key }
        }
        return HistoryPiece(
            try saves(heads, rows, atMost: page.changes, firsts: firsts, values: values),
            hasMore: isCut || found[0].count >= page.limit)
    }

    /// The states of objects, computed from the before-images.
    var states: HistoryStates {
        HistoryStates(
            schema: schema, connection: connection, images: images, known: known,
            translator: translator)
    }

    /// The number of rows to read, to know whether there is one more than are wanted.
    fileprivate static func one(more changes: Int) -> Int64 {
        changes == .max ? .max : Int64(max(changes, 1)) + 1
    }

    fileprivate static func heads(_ schema: SQLSchema) -> SQLText {
        schema.internsHistoryTexts ? transactions : transactionsWithTexts
    }

    fileprivate static let kinds: [ColumnKind] = [.integer, .date, .text, .text]

    /// The statements that read a page.
    fileprivate static func reads(_ page: HistoryPage, in schema: SQLSchema) -> [SQLRead] {
        let (token, limit) = (Value.int(page.after), Value.int(Int64(page.limit)))
        return [
            SQLRead(heads(schema), [token, limit], kinds),
            SQLRead(changes, [token, limit, .int(one(more: page.changes))], changeKinds),
        ]
    }

    /// The saves of some rows, oldest first.
    /// - Parameters:
    ///   - most: the most changes. The row after them tells that the last save is cut.
    ///   - firsts: the key of each save's first change.
    private func saves(
        _ heads: [[Value]], _ found: [[Value]], atMost most: Int, firsts: [Int64: Int64],
        values: Bool
    ) throws(StoreError) -> [HistoryTransaction] {
        let rows = found.prefix(max(most, 1)).compactMap { ChangeRow($0, schema) }
        let after = values ? try states.after(rows) : [:]
        var byTransaction: [Int64: [HistoryChange]] = [:]
        for row in rows {
            var change = change(row, after[row.key])
            change.position = row.key - (firsts[row.transaction] ?? row.key) + 1
            byTransaction[row.transaction, default: []].append(change)
        }
        let cut = Self.cut(found, atMost: max(most, 1), firsts: firsts)
        return heads.compactMap { head in
            guard case .int(let number) = head[0] else { return nil }
            var time = 0.0
            if case .date(let seconds) = head[1] { time = seconds }
            var save = HistoryTransaction(
                number: number, timestamp: time, author: Self.text(head[2]),
                contextName: Self.text(head[3]), changes: byTransaction[number] ?? [])
            if let cut, cut.save == number { save.rest = cut.position }
            return save
        }
    }

    /// The save that has more changes than were wanted, and the position of its last one of them;
    /// nil for none.
    private static func cut(
        _ rows: [[Value]], atMost most: Int, firsts: [Int64: Int64]
    ) -> (save: Int64, position: Int64)? {
        guard rows.count > most, case .int(let key) = rows[most - 1][0],
            case .int(let save) = rows[most - 1][4], rows[most][4] == .int(save)
        else { return nil }
        return (save, key - (firsts[save] ?? key) + 1)
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

/// Saves of the history that are read together.
public struct HistoryPage: Equatable, Sendable {
    /// The number of the save before the first.
    public let after: Int64
    /// The most saves.
    public let limit: Int
    /// The most changes of all of them.
    public let changes: Int

    /// Creates a page.
    public init(after token: Int64, limit: Int, changes: Int) {
        after = token
        self.limit = max(limit, 0)
        self.changes = max(changes, 1)
    }

    /// The statements that read it, for `HistoryReader.piece`.
    public func reads(_ schema: SQLSchema) -> [SQLRead] { HistoryReader.reads(self, in: schema) }
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

    /// Nil for a row of an entity that the model does not have, or of a key that no object has.
    init?(_ row: [Value], _ schema: SQLSchema) {
        guard case .int(let key) = row[0], case .int(let type) = row[1],
            case .int(let number) = row[2], case .int(let object) = row[3], object > 0,
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
