/// A save's rows in the history, written with it.

import SteleModel
import StelePersistence

/// Texts that transactions point to, and their keys.
struct TransactionStrings {
    var keys: [String: Int64] = [:]
}

/// Writes one save into ATRANSACTION, ACHANGE and the before-images.
struct HistoryWriter {
    let schema: SQLSchema
    let connection: any SQLConnection
    var counters: Counters
    var strings: TransactionStrings

    private static let transactionInsert = SQLText(
        "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, "
            + "ZPROCESSIDTS, ZTIMESTAMP) VALUES (?1, \(HistoryTables.transaction), ?2, ?3, ?4, ?3, ?5)")
    private static let changeInsert = SQLText(
        "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, "
            + "ZCOLUMNS) VALUES (?1, \(HistoryTables.change), ?2, ?3, ?4, ?5, ?6)")
    private static let imageInsert = SQLText(
        "INSERT INTO \(HistoryTables.beforeImages) (Z_PK, ZFAMILY, ZENTITYPK, ZVERSION, ZVALUES) "
            + "VALUES (?1, ?2, ?3, ?4, ?5)")
    private static let stringSelect = SQLText(
        "SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?1")
    private static let stringInsert = SQLText(
        "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) "
            + "VALUES (?1, \(HistoryTables.transactionString), ?2)")

    /// Writes the save and gives it as readers of the history will see it.
    /// - Parameter whole: the transaction that it is a further part of; nil for one of its own.
    mutating func write(
        _ done: [AppliedChange], _ request: SaveRequest, at time: Double, images: BeforeImage,
        continuing whole: HistoryTransaction? = nil
    ) throws(StoreError) -> HistoryTransaction {
        let number: Int64
        if let whole { number = whole.number } else {
            let author = try key(of: request.author)
            let context = try key(of: request.contextName)
            let process = try key(of: "stele")
            number = try counters.next(HistoryTables.transaction)
            try connection.execute(
                Self.transactionInsert, [.int(number), author, process, context, .date(time)])
        }
        var changes: [HistoryChange] = []
        changes.reserveCapacity(done.count)
        var rest = done[...]
        while let applied = rest.first {
            let alike = rest.count < Self.fewestTogether ? rest.prefix(1) : alike(in: rest)
            if alike.count < Self.fewestTogether {
                changes.append(try write(applied, transaction: number, images: images))
                rest = rest.dropFirst()
            } else {
                changes += try write(together: alike, transaction: number, images: images)
                rest = rest.dropFirst(alike.count)
            }
        }
        return HistoryTransaction(
            number: number, timestamp: time, author: request.author,
            contextName: request.contextName, changes: changes)
    }

    private mutating func write(
        _ applied: AppliedChange, transaction: Int64, images: BeforeImage
    ) throws(StoreError) -> HistoryChange {
        let change = applied.change
        let key = try counters.next(HistoryTables.change)
        let family = schema.number(of: schema.model.entities[change.entity].root)
        try connection.execute(
            Self.changeInsert,
            [
                .int(key), .int(Int64(change.kind.rawValue)),
                .int(Int64(schema.number(of: change.entity))), .int(change.key),
                .int(transaction), change.kind == .update ? columns(of: change.entity) : .null,
            ])
        let (told, image) = told(applied, images)
        guard let image else { return told }
        try connection.execute(
            Self.imageInsert,
            [
                .int(key), .int(Int64(family)), .int(change.key), .int(told.version ?? 0),
                .string(image),
            ])
        return told
    }

    /// A change as readers of the history see it, and its before-image; an insert has none.
    func told(_ applied: AppliedChange, _ images: BeforeImage) -> (HistoryChange, String?) {
        let change = applied.change
        var told = HistoryChange(
            kind: change.kind, entity: change.entity, key: change.key,
            version: applied.after?.version ?? change.before?.version, snapshot: applied.after)
        guard change.kind != .insert, let before = change.before else { return (told, nil) }
        if change.kind == .delete {
            told.snapshot = before
            return (told, images.text(of: before))
        }
        told.before =
            change.changedSlots.map { .slot($0, before.values[$0]) }
            + change.toManys.map {
                .members(relationship: $0.relationship, added: $0.added, removed: $0.removed)
            }
        return (told, images.text(of: change, before: before))
    }

    /// ZCOLUMNS with all bits set: which bit is which column is not known.
    func columns(of entity: Int) -> Value {
        let count = schema.model.entities[entity].properties.count
        return .data([UInt8](repeating: 0xFF, count: (count + 7) / 8))
    }

    /// The key of an interned text; null for none.
    private mutating func key(of text: String?) throws(StoreError) -> Value {
        guard let text else { return .null }
        if let known = strings.keys[text] { return .int(known) }
        let rows = try connection.rows(Self.stringSelect, [.string(text)], [.integer])
        if case .int(let found)? = rows.first?.first {
            strings.keys[text] = found
            return .int(found)
        }
        let key = try counters.next(HistoryTables.transactionString)
        try connection.execute(Self.stringInsert, [.int(key), .string(text)])
        strings.keys[text] = key
        return .int(key)
    }
}
