import SteleModel
import StelePersistence

/// Objects as they were after a save.
extension HistoryReader {
    private static let firstLater = SQLText(
        "SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID > ?1 ORDER BY ZTRANSACTIONID, Z_PK LIMIT 1")

    /// The key of the first change of the saves after one; nil where there is none.
    private func firstChange(after save: Int64) throws(StoreError) -> Int64? {
        let rows = try connection.rows(Self.firstLater, [.int(save)], [.integer])
        if case .int(let key)? = rows.first?.first { return key }
        return nil
    }

    /// Returns objects as they were after a save, as `StoreReader.snapshots(root:keys:after:)`.
    /// - Throws: the errors of a statement (`SQLConnection`).
    public func snapshots(
        root: Int, keys: [Int64], after save: Int64
    ) throws(StoreError) -> [Int64: Snapshot] {
        try states.before(try firstChange(after: save) ?? .max, root: root, keys: keys)
    }

    /// Returns the keys of objects that later saves have made, as
    /// `StoreReader.inserted(root:keys:after:)`.
    /// - Throws: the errors of a statement (`SQLConnection`).
    public func inserted(
        root: Int, keys: [Int64], after save: Int64
    ) throws(StoreError) -> Set<Int64> {
        let rows = try connection.rows(
            SQLText(
                "SELECT ZENTITYPK, ZENTITY, ZCHANGETYPE FROM ACHANGE WHERE ZTRANSACTIONID > ?1 "
                    + "AND ZCHANGETYPE <> 1 AND ZENTITYPK \(connection.dialect.isOneOf("?2")) "
                    + "ORDER BY Z_PK"),
            [.int(save), .string(KeyList.json(keys))], [.integer, .integer, .integer])
        var (seen, found): (Set<Int64>, Set<Int64>) = ([], [])
        for row in rows {
            guard case .int(let key) = row[0], case .int(let number) = row[1],
                let entity = schema.entity(numbered: number),
                schema.model.entities[entity].root == root, seen.insert(key).inserted
            else { continue }
            if row[2] == .int(Int64(ObjectChange.Kind.insert.rawValue)) { found.insert(key) }
        }
        return found
    }

    /// Returns what later saves have changed of to-many relationships, as
    /// `StoreReader.memberChanges(root:keys:after:)`.
    /// - Throws: the errors of a statement (`SQLConnection`).
    public func memberChanges(
        root: Int, keys: [Int64], after save: Int64
    ) throws(StoreError) -> [Int64: [MemberChange]] {
        guard let first = try firstChange(after: save) else { return [:] }
        var walk = try ImageWalk(
            connection, family: schema.number(of: root),
            objects: Dictionary(keys.map { ($0, .max) }, uniquingKeysWith: { first, _ in first }),
            from: first)
        let changes = try saves(of: walk.remaining.map(\.key))
        walk.reverse()
        var found: [Int64: [MemberChange]] = [:]
        while let (place, text) = try walk.next() {
            guard let text, let change = changes[place.key] else { continue }
            if text.contains("\"added\":") {
                for case .members(let relationship, let added, let removed)
                    in images.values(text, entity: change.entity)
                {
                    found[place.object, default: []].append(
                        MemberChange(
                            save: change.save, relationship: relationship, added: added,
                            removed: removed))
                }
            }
            if change.isDeletion {
                found[place.object, default: []].append(
                    MemberChange(save: change.save, relationship: nil))
            }
        }
        return found
    }

    /// The saves of changes, the entities of their objects, and whether they are deletions.
    private func saves(
        of changes: [Int64]
    ) throws(StoreError) -> [Int64: (save: Int64, entity: Int, isDeletion: Bool)] {
        if changes.isEmpty { return [:] }
        let rows = try connection.rows(
            SQLText(
                "SELECT Z_PK, ZTRANSACTIONID, ZENTITY, ZCHANGETYPE FROM ACHANGE "
                    + "WHERE Z_PK \(connection.dialect.isOneOf("?1"))"),
            [.string(KeyList.json(changes))], [.integer, .integer, .integer, .integer])
        var found: [Int64: (save: Int64, entity: Int, isDeletion: Bool)] = [:]
        let deletion = Value.int(Int64(ObjectChange.Kind.delete.rawValue))
        for row in rows {
            guard case .int(let key) = row[0], case .int(let save) = row[1],
                case .int(let number) = row[2], let entity = schema.entity(numbered: number)
            else { continue }
            found[key] = (save, entity, row[3] == deletion)
        }
        return found
    }
}
