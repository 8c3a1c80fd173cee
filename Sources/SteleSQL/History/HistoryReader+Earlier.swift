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

    /// Returns the least keys of objects that later saves have made, as
    /// `StoreReader.leastInserted(after:)`.
    /// - Throws: the errors of a statement (`SQLConnection`).
    public func leastInserted(after save: Int64) throws(StoreError) -> [Int: Int64] {
        let rows = try connection.rows(
            SQLText(
                "SELECT ZENTITY, MIN(ZENTITYPK) FROM ACHANGE WHERE ZTRANSACTIONID > ?1 "
                    + "AND ZCHANGETYPE = \(ObjectChange.Kind.insert.rawValue) GROUP BY ZENTITY"),
            [.int(save)], [.integer, .integer])
        var found: [Int: Int64] = [:]
        for row in rows {
            guard let key = row[1].integer,
                let entity = row[0].integer.flatMap(schema.entity(numbered:))
            else { continue }
            let root = schema.model.entities[entity].root
            found[root] = min(found[root] ?? key, key)
        }
        return found
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
        let ends = Dictionary(keys.map { ($0, Int64.max) }, uniquingKeysWith: { first, _ in first })
        let walk = try ImageWalk(
            connection, family: schema.number(of: root), objects: ends, from: first)
        var rest = walk.keys.reversed()[...]
        var found: [Int64: [MemberChange]] = [:]
        while !rest.isEmpty {
            try addMembers(Array(rest.prefix(Self.imagesAtOnce)), to: &found)
            rest = rest.dropFirst(Self.imagesAtOnce)
        }
        return found
    }

    private static let imagesAtOnce = 2_000

    /// Adds what some images have of to-many relationships, and deletions.
    /// - Parameter changes: the keys of the images, ascending.
    private func addMembers(
        _ changes: [Int64], to found: inout [Int64: [MemberChange]]
    ) throws(StoreError) {
        let hasMembers = "b.ZVALUES LIKE '%\"added\":%'"
        let rows = try connection.rows(
            SQLText(
                "SELECT b.ZENTITYPK, c.ZTRANSACTIONID, c.ZENTITY, c.ZCHANGETYPE, "
                    + "CASE WHEN \(hasMembers) THEN b.ZVALUES END "
                    + "FROM \(HistoryTables.beforeImages) b JOIN ACHANGE c ON c.Z_PK = b.Z_PK "
                    + "WHERE b.Z_PK \(connection.dialect.isOneOf("?1")) AND "
                    + "(c.ZCHANGETYPE = \(ObjectChange.Kind.delete.rawValue) OR \(hasMembers)) "
                    + "ORDER BY b.Z_PK"),
            [.string(KeyList.json(changes))], [.integer, .integer, .integer, .integer, .text])
        for row in rows {
            guard let object = row[0].integer, let save = row[1].integer,
                let entity = row[2].integer.flatMap(schema.entity(numbered:))
            else { continue }
            if case .string(let text) = row[4] {
                for case .members(let relationship, let added, let removed)
                    in images.values(text, entity: entity)
                {
                    found[object, default: []].append(
                        MemberChange(
                            save: save, relationship: relationship, added: added,
                            removed: removed))
                }
            }
            if row[3].integer == Int64(ObjectChange.Kind.delete.rawValue) {
                found[object, default: []].append(MemberChange(save: save, relationship: nil))
            }
        }
    }
}
