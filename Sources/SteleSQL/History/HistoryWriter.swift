import SteleModel
import StelePersistence

/// Writes saves into ATRANSACTION, ACHANGE and the table of before-images.
///
/// Rows are collected and written together, because nothing reads the history within a batch.
struct HistoryWriter {
    private let schema: SQLSchema
    private let images: BeforeImage
    /// The keys of interned texts.
    private var strings: [ExactText: Int64] = [:]
    private var places: ImagePlaces
    private var transactionRows: RowBuffer
    private var changeRows: RowBuffer
    private var imageRows: RowBuffer

    private static let stringSelect = SQLText(
        "SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?1")
    private static let stringInsert = SQLText(
        "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) "
            + "VALUES (?1, \(HistoryTables.transactionString), ?2)")

    /// Reads the state of the tables. The caller holds the write lock.
    init(_ schema: SQLSchema, _ connection: any SQLConnection) throws(StoreError) {
        self.schema = schema
        images = BeforeImage(schema.model, folder: connection.externalFolder)
        places = try ImagePlaces(connection)
        let texts = ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"]
        transactionRows = RowBuffer(
            table: "ATRANSACTION",
            columns: ["Z_PK"] + (schema.internsHistoryTexts ? texts.map { $0 + "TS" } : texts)
                + ["ZTIMESTAMP"],
            constants: [("Z_ENT", "\(HistoryTables.transaction)")], schema.dialect)
        changeRows = RowBuffer(
            table: "ACHANGE",
            columns: ["Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS"],
            constants: [("Z_ENT", "\(HistoryTables.change)")], schema.dialect)
        imageRows = RowBuffer(
            table: HistoryTables.beforeImages,
            columns: ["Z_PK", "ZFAMILY", "ZENTITYPK", "ZVERSION", "ZVALUES"], schema.dialect)
    }

    /// The state for `restore`: the number of waiting rows, and the interned texts.
    struct Mark {
        fileprivate let strings: [ExactText: Int64]
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

    /// Drops everything since a mark. Rows written since are rolled back with the transaction.
    mutating func restore(_ mark: Mark) {
        strings = mark.strings
        places = mark.places
        transactionRows.keep(mark.transactions)
        changeRows.keep(mark.changes)
        imageRows.keep(mark.images)
    }

    /// Rereads everything that another program may have changed.
    /// - Parameter keepingTexts: whether the keys of texts stay: no node deletes a text.
    mutating func reload(
        _ connection: any SQLConnection, keepingTexts: Bool
    ) throws(StoreError) {
        places = try ImagePlaces(connection)
        if !keepingTexts { strings = [:] }
    }

    /// Begins a save's transaction and returns its number.
    /// - Parameter least: the least number that it may have.
    mutating func begin(
        by author: String?, in contextName: String?, at time: Double, least: Int64,
        counters: inout Counters, _ connection: any SQLConnection
    ) throws(StoreError) -> Int64 {
        let author = try key(of: author, &counters, connection)
        let context = try key(of: contextName, &counters, connection)
        let process = try key(of: "stele", &counters, connection)
        counters.reserve(least &- 1, of: HistoryTables.transaction)
        let number = try counters.next(HistoryTables.transaction)
        for value in [.int(number), author, process, context, process, .date(time)] {
            transactionRows.append(value)
        }
        return number
    }

    /// The most waiting changes.
    private static let rowsWaiting = 512

    /// Inserts the waiting rows.
    /// - Throws: `.failed` where the history is damaged.
    mutating func write(to connection: any SQLConnection) throws(StoreError) {
        try Self.insert { () throws(StoreError) in
            try transactionRows.write(to: connection)
            try changeRows.write(to: connection)
            try imageRows.write(to: connection)
        }
    }

    /// Inserts rows of the history, whose numbers no row has unless the counters are damaged.
    private static func insert(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        do throws(StoreError) { try body() } catch .constraint {
            throw .failed(
                "the history of the store is damaged: Z_MAX in Z_PRIMARYKEY is below the number of "
                    + "a row (stele inspect names the row of Z_PRIMARYKEY); nothing is saved until "
                    + "it is at least the largest Z_PK")
        }
    }

    /// Deletes the oldest transactions, including those that are not written yet.
    mutating func delete(
        before number: Int64, limit: Int, _ connection: any SQLConnection
    ) throws(StoreError) -> Int {
        try write(to: connection)
        let deleted = try HistoryPurge(connection).delete(before: number, limit: limit)
        places = try ImagePlaces(connection)
        return deleted
    }

    /// Writes the rest of a batch.
    mutating func finishBatch(_ connection: any SQLConnection) throws(StoreError) {
        try write(to: connection)
        try places.addIfMany(connection)
    }

    /// Adds a change, and returns it as readers of the history will see it.
    /// - Parameter transaction: the number of its transaction.
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
            // The object existed before, so its version continues.
            text = BeforeImage.none
        } else if change.kind == .delete {
            // The other end of a to-one has the link, too, and of two objects that are deleted
            // together neither other end of many to many has it.
            let members = change.toManys.filter {
                let relationship = schema.model.relationships[$0.relationship]
                return schema.model.inverse(of: relationship)?.isToMany != false
            }
            told.snapshot = before
            told.before = members.map {
                .members(relationship: $0.relationship, added: [], removed: $0.removed)
            }
            text = images.text(
                of: before,
                members.map { ToManyChange(relationship: $0.relationship, removed: $0.removed) })
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

    /// ZCOLUMNS with all bits set; Core Data's assignment of bits to columns is not known.
    private func columns(of entity: Int) -> Value {
        let count = schema.model.entities[entity].properties.count
        return .data([UInt8](repeating: 0xFF, count: (count + 7) / 8))
    }

    /// Returns the key of an interned text, or the text where the store has no table of texts; null
    /// for nil.
    private mutating func key(
        of text: String?, _ counters: inout Counters, _ connection: any SQLConnection
    ) throws(StoreError) -> Value {
        guard let text else { return .null }
        guard schema.internsHistoryTexts else { return .string(text) }
        if let known = strings[ExactText(text)] { return .int(known) }
        if let found = try connection.integer(Self.stringSelect, [.string(text)]) {
            strings[ExactText(text)] = found
            return .int(found)
        }
        let key = try counters.next(HistoryTables.transactionString)
        try Self.insert { () throws(StoreError) in
            try connection.write(Self.stringInsert, [.int(key), .string(text)])
        }
        strings[ExactText(text)] = key
        return .int(key)
    }
}
