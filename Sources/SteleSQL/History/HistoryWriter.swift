/// Saves' rows in the history, written with them.

import SteleModel
import StelePersistence

/// Texts that transactions point to, and their keys.
struct TransactionStrings {
    var keys: [ExactText: Int64] = [:]
}

/// Writes saves into ATRANSACTION, ACHANGE and the before-images.
///
/// Nothing in a batch reads the history, so that its rows wait until there are many, or until the
/// batch ends.
struct HistoryWriter {
    private let schema: SQLSchema
    private let images: BeforeImage
    private var strings = TransactionStrings()
    private var places: ImagePlaces
    private var transactionRows = RowBuffer(
        table: "ATRANSACTION",
        columns: [
            "Z_PK", "ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS", "ZTIMESTAMP",
        ], constants: [("Z_ENT", "\(HistoryTables.transaction)")])
    private var changeRows = RowBuffer(
        table: "ACHANGE",
        columns: ["Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS"],
        constants: [("Z_ENT", "\(HistoryTables.change)")])
    private var imageRows = RowBuffer(
        table: HistoryTables.beforeImages,
        columns: ["Z_PK", "ZFAMILY", "ZENTITYPK", "ZVERSION", "ZVALUES"])

    private static let stringSelect = SQLText(
        "SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?1")
    private static let stringInsert = SQLText(
        "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) "
            + "VALUES (?1, \(HistoryTables.transactionString), ?2)")

    /// - Throws: what reading throws; the writer's lock must be held.
    init(_ schema: SQLSchema, _ connection: any SQLConnection) throws(StoreError) {
        self.schema = schema
        images = BeforeImage(schema.model, folder: connection.externalFolder)
        places = try ImagePlaces(connection)
    }

    /// What `restore` needs: how many rows wait, and the texts that have keys.
    struct Mark {
        fileprivate let strings: TransactionStrings
        fileprivate let places: ImagePlaces
        fileprivate let transactions: Int
        fileprivate let changes: Int
        fileprivate let images: Int
    }

    var mark: Mark {
        Mark(
            strings: strings, places: places, transactions: transactionRows.count,
            changes: changeRows.count, images: imageRows.count)
    }

    /// Forgets what has come since. Rows that were written since are the transaction's to take back.
    mutating func restore(_ mark: Mark) {
        strings = mark.strings
        places = mark.places
        transactionRows.keep(mark.transactions)
        changeRows.keep(mark.changes)
        imageRows.keep(mark.images)
    }

    /// Forgets what another program may have changed.
    mutating func reload(_ connection: any SQLConnection) throws(StoreError) {
        places = try ImagePlaces(connection)
        strings = TransactionStrings()
    }

    /// Begins a save's transaction.
    /// - Returns: its number.
    mutating func begin(
        _ request: SaveRequest, at time: Double, counters: inout Counters,
        _ connection: any SQLConnection
    ) throws(StoreError) -> Int64 {
        let author = try key(of: request.author, &counters, connection)
        let context = try key(of: request.contextName, &counters, connection)
        let process = try key(of: "stele", &counters, connection)
        let number = try counters.next(HistoryTables.transaction)
        for value in [.int(number), author, process, context, process, .date(time)] {
            transactionRows.append(value)
        }
        return number
    }

    /// How many changes wait at most.
    private static let rowsWaiting = 512

    /// Inserts the rows that wait.
    mutating func write(to connection: any SQLConnection) throws(StoreError) {
        try transactionRows.write(to: connection)
        try changeRows.write(to: connection)
        try imageRows.write(to: connection)
    }

    /// Deletes the oldest transactions, those that wait to be written among them.
    mutating func delete(
        before number: Int64, limit: Int, _ connection: any SQLConnection
    ) throws(StoreError) -> Int {
        try write(to: connection)
        let deleted = try HistoryPurge(connection).delete(before: number, limit: limit)
        places = try ImagePlaces(connection)
        return deleted
    }

    /// Writes what the batch's end needs.
    mutating func finishBatch(_ connection: any SQLConnection) throws(StoreError) {
        try write(to: connection)
        try places.addIfMany(connection)
    }

    /// Adds a change and gives it as readers of the history will see it.
    /// - Parameter transaction: the number of the one that it is a part of.
    mutating func add(
        _ applied: AppliedChange, transaction: Int64, counters: inout Counters,
        _ connection: any SQLConnection
    ) throws(StoreError) -> HistoryChange {
        if changeRows.count >= Self.rowsWaiting { try write(to: connection) }
        let change = applied.change
        let key = try counters.next(HistoryTables.change)
        let family = schema.number(of: schema.model.entities[change.entity].root)
        changeRows.append(.int(key))
        changeRows.append(.int(Int64(change.kind.rawValue)))
        changeRows.append(.int(Int64(schema.number(of: change.entity))))
        changeRows.append(.int(change.key))
        changeRows.append(.int(transaction))
        changeRows.append(change.kind == .update ? columns(of: change.entity) : .null)
        var told = HistoryChange(
            kind: change.kind, entity: change.entity, key: change.key,
            version: applied.after?.version ?? change.before?.version, snapshot: applied.after)
        guard let before = change.before else { return told }
        let text: String
        if change.kind == .insert {
            // It was in the store before: its version goes on.
            text = BeforeImage.none
        } else if change.kind == .delete {
            told.snapshot = before
            text = images.text(of: before)
        } else {
            told.before =
                change.changedSlots.map { .slot($0, before.values[$0]) }
                + change.toManys.map {
                    .members(relationship: $0.relationship, added: $0.added, removed: $0.removed)
                }
            text = images.text(of: change, before: before)
        }
        places.note(1)
        imageRows.append(.int(key))
        imageRows.append(.int(Int64(family)))
        imageRows.append(.int(change.key))
        imageRows.append(.int(told.version ?? 0))
        imageRows.append(.string(text))
        return told
    }

    /// ZCOLUMNS with all bits set: which bit is which column is not known.
    private func columns(of entity: Int) -> Value {
        let count = schema.model.entities[entity].properties.count
        return .data([UInt8](repeating: 0xFF, count: (count + 7) / 8))
    }

    /// The key of an interned text; null for none.
    private mutating func key(
        of text: String?, _ counters: inout Counters, _ connection: any SQLConnection
    ) throws(StoreError) -> Value {
        guard let text else { return .null }
        if let known = strings.keys[ExactText(text)] { return .int(known) }
        let rows = try connection.rows(Self.stringSelect, [.string(text)], [.integer])
        if case .int(let found)? = rows.first?.first {
            strings.keys[ExactText(text)] = found
            return .int(found)
        }
        let key = try counters.next(HistoryTables.transactionString)
        try connection.execute(Self.stringInsert, [.int(key), .string(text)])
        strings.keys[ExactText(text)] = key
        return .int(key)
    }
}
