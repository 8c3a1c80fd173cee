// Many changes of one kind and entity, by a few statements for all.

import SteleModel
import StelePersistence

extension HistoryWriter {
    /// From how many changes on statements for all cost less than some for each.
    static let fewestTogether = 16
    private static let imagesAStatement = 64

    private static let changesInsert = SQLText(
        "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, "
            + "ZCOLUMNS) SELECT ?2 + key, \(HistoryTables.change), ?3, ?4, value, ?5, ?6 "
            + "FROM json_each(?1)")
    private static let oneImage = imagesInsert(1)
    private static let manyImages = imagesInsert(imagesAStatement)

    private static func imagesInsert(_ count: Int) -> SQLText {
        let rows = (0..<count).map { row in
            "(" + (1...5).map { "?\(row * 5 + $0)" }.joined(separator: ", ") + ")"
        }
        return SQLText(
            "INSERT INTO \(HistoryTables.beforeImages) (Z_PK, ZFAMILY, ZENTITYPK, ZVERSION, ZVALUES) "
                + "VALUES \(rows.joined(separator: ", "))")
    }

    /// The changes at the start that are of one kind and entity.
    func alike(in changes: ArraySlice<AppliedChange>) -> ArraySlice<AppliedChange> {
        guard let first = changes.first?.change else { return changes }
        return changes.prefix { $0.change.kind == first.kind && $0.change.entity == first.entity }
    }

    /// Writes changes of one kind and entity.
    mutating func write(
        together changes: ArraySlice<AppliedChange>, transaction: Int64, images: BeforeImage
    ) throws(StoreError) -> [HistoryChange] {
        guard let first = changes.first?.change else { return [] }
        let start = try counters.next(HistoryTables.change, count: Int64(changes.count))
        try connection.execute(
            Self.changesInsert,
            [
                .string(KeyList.json(changes.map(\.change.key))), .int(start),
                .int(Int64(first.kind.rawValue)), .int(Int64(schema.number(of: first.entity))),
                .int(transaction), first.kind == .update ? columns(of: first.entity) : .null,
            ])
        let family = Value.int(Int64(schema.number(of: schema.model.entities[first.entity].root)))
        var told: [HistoryChange] = []
        told.reserveCapacity(changes.count)
        var rows: [Value] = []
        for (offset, applied) in changes.enumerated() {
            let (change, image) = self.told(applied, images)
            told.append(change)
            guard let image else { continue }
            rows += [
                .int(start + Int64(offset)), family, .int(change.key), .int(change.version ?? 0),
                .string(image),
            ]
            if rows.count == Self.imagesAStatement * 5 {
                try connection.execute(Self.manyImages, rows)
                rows.removeAll(keepingCapacity: true)
            }
        }
        for place in stride(from: 0, to: rows.count, by: 5) {
            try connection.execute(Self.oneImage, Array(rows[place..<place + 5]))
        }
        return told
    }
}
