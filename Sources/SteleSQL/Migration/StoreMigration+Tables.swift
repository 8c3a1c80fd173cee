import SteleModel
import StelePersistence

/// The tables: copied, altered, dropped and renamed.
extension StoreMigration {
    /// The name of a new table until those of the source are gone.
    private func newName(_ table: TableMigration) -> String { "STELE_NEW\(table.table.root)" }

    private func newName(_ join: Int) -> String { "STELE_NEWJOIN\(join)" }

    /// Creates a table and copies the rows of the source into it.
    func copy(_ table: TableMigration) throws(StoreError) {
        let name = newName(table)
        try work.create(table.table.creation(named: name))
        guard let old = table.old else { return }
        let filled = zip(table.table.columns, table.origins).filter { $1 != .empty }
        let columns = filled.map { ", \($0.0.name)" }.joined()
        let values = filled.map { ", \($0.1.sql)" }.joined()
        try work.run(
            forRowsOf: old.name,
            "INSERT INTO \(name) (Z_PK, Z_ENT, Z_OPT\(columns)) "
                + "SELECT Z_PK, \(table.number), Z_OPT\(values) FROM \(old.name) "
                + "WHERE Z_PK BETWEEN ?1 AND ?2 AND \(table.condition) ORDER BY Z_PK")
    }

    /// Creates a join table and copies the links of the source into it.
    func copy(_ join: JoinMigration, _ index: Int) throws(StoreError) {
        let name = newName(index)
        try work.create(join.table.creation(named: name))
        if let filling = join.filling(name, map) { try work.run(filling) }
    }

    /// The names of the new columns of an altered table, until the old ones are gone.
    private func added(
        _ table: TableMigration
    ) -> [(column: SQLTable.Column, name: String, origin: ColumnOrigin)] {
        let names = Set((table.old?.columns ?? []).map { $0.name.uppercased() })
        return zip(table.table.columns, table.origins).enumerated().compactMap {
            index, pair -> (column: SQLTable.Column, name: String, origin: ColumnOrigin)? in
            let (column, origin) = pair
            switch origin {
            case .column, .changed: return nil
            case .empty, .expression: break
            }
            let isFree = !names.contains(column.name.uppercased())
            return (column, isFree ? column.name : "STELE_ADDED\(index)", origin)
        }
    }

    /// Adds the new columns of an altered table with their values.
    func compute(_ table: TableMigration) throws(StoreError) {
        guard let old = table.old else { return }
        let added = added(table)
        for (column, name, _) in added {
            try work.create("ALTER TABLE \(old.name) ADD COLUMN \(name) \(column.type)")
        }
        let assignments = added.filter { $0.origin != .empty }.map {
            "\($0.name) = \($0.origin.sql)"
        }
        if assignments.isEmpty { return }
        try work.run(
            forRowsOf: old.name,
            "UPDATE \(old.name) SET \(assignments.joined(separator: ", ")) "
                + "WHERE Z_PK BETWEEN ?1 AND ?2")
    }

    /// Removes the rows and columns that do not stay in an altered table, and gives the others
    /// their numbers and names.
    func reshape(_ table: TableMigration) throws(StoreError) {
        guard let old = table.old else { return }
        if table.losesRows { try work.run("DELETE FROM \(old.name) WHERE NOT \(table.condition)") }
        if table.isRenumbered {
            try work.run(
                forRowsOf: old.name,
                "UPDATE \(old.name) SET Z_ENT = \(table.number) WHERE Z_PK BETWEEN ?1 AND ?2")
        }
        try changeTypes(of: table)
        for name in table.dropped {
            try work.run("ALTER TABLE \(old.name) DROP COLUMN \(name)")
            work.note(old.name)
        }
        let added = added(table)
        let carried = table.carried
        let names =
            carried.map { (from: $0.key, to: $0.value) }
            + added.map { (from: $0.name, to: $0.column.name) }
        try rename(columns: names.sorted { $0.from < $1.from }, of: old.name)
    }

    /// Gives a join table's columns their names.
    func reshape(_ join: JoinMigration) throws(StoreError) {
        guard let old = join.old else { return }
        try rename(columns: join.columns, of: old.name)
    }

    private func rename(
        columns: [(from: String, to: String)], of table: String
    ) throws(StoreError) {
        for (from, to) in Self.renames(columns, by: "STELE_COLUMN") {
            try work.run("ALTER TABLE \(table) RENAME COLUMN \(from) TO \(to)")
        }
    }

    /// The names of the tables of the source that do not become others.
    var dropped: [String] {
        let altered = tables.filter { $0.way == .altered }.compactMap { $0.old?.name }
        let kept = Set(altered + joins.compactMap { $0.old?.name })
        let all =
            map.source.storedTables.map(\.name).sorted() + map.source.joinTables.map(\.name)
        return all.filter { !kept.contains($0) }
    }

    /// Drops the tables of the source that do not become others.
    func dropTables() throws(StoreError) {
        for name in dropped { try work.run("DROP TABLE \(name)") }
    }

    /// Gives all tables their names.
    func nameTables() throws(StoreError) {
        var names: [(from: String, to: String)] = tables.map { table in
            let now = table.way == .altered ? table.old?.name : nil
            return (now ?? newName(table), table.table.name)
        }
        for (index, join) in joins.enumerated() {
            names.append((join.old?.name ?? newName(index), join.table.name))
        }
        for (from, to) in Self.renames(names, by: "STELE_TABLE") {
            try work.run("ALTER TABLE \(from) RENAME TO \(to)")
        }
    }

    /// Returns the order of renaming all of some names: one that takes the present name of another
    /// gets a temporary name first.
    static func renames(
        _ wanted: [(from: String, to: String)], by temporary: String
    ) -> [(from: String, to: String)] {
        var taken = Set(wanted.map { $0.from.uppercased() })
        var first: [(from: String, to: String)] = []
        var second: [(from: String, to: String)] = []
        for (index, pair) in wanted.enumerated() where pair.from != pair.to {
            var name = pair.to
            if taken.contains(name.uppercased()) {
                name = "\(temporary)\(index)"
                second.append((name, pair.to))
            }
            first.append((pair.from, name))
            taken.remove(pair.from.uppercased())
            taken.insert(name.uppercased())
        }
        return first + second
    }

    // MARK: Indexes

    /// The names of the store's indexes, in capitals. An earlier version may have made it, with
    /// fewer indexes or under other names.
    func presentIndexes() throws(StoreError) -> Set<String> {
        let rows = try work.connection.rows(
            SQLText(work.connection.dialect.indexNames), [], [.text])
        return Set(
            rows.compactMap { row -> String? in
                if case .string(let name) = row[0] { name.uppercased() } else { nil }
            })
    }

    /// The indexes of the destination that the source does not have, or that do not stay.
    func newIndexes(besides present: Set<String>) -> [SQLIndex] {
        var carried: [String: (table: String, columns: [String: String])] = [:]
        for table in tables where table.way == .altered {
            guard let old = table.old else { continue }
            carried[old.name] = (table.table.name, table.unchanged)
            carried[old.name]?.columns["Z_ENT"] = "Z_ENT"
        }
        for join in joins {
            guard let old = join.old else { continue }
            carried[old.name] = (
                join.table.name,
                Dictionary(join.columns.map { ($0.from, $0.to) }, uniquingKeysWith: { a, _ in a })
            )
        }
        let rewritten = rewritten
        let kept = map.source.indexes.compactMap { index -> SQLIndex? in
            guard present.contains(index.name.uppercased()), let table = carried[index.table]
            else { return nil }
            let columns = index.columns.compactMap { table.columns[$0] }
            guard columns.count == index.columns.count else { return nil }
            // Made again after its values have changed, it names those that are there twice.
            if index.isUnique, rewritten[table.table]?.isDisjoint(with: columns) == false {
                return nil
            }
            return SQLIndex(
                index.name, on: table.table, columns, orders: index.orders,
                isUnique: index.isUnique)
        }
        let set = Set(kept)
        return map.destination.indexes.filter { !set.contains($0) }
    }

    /// Drops the indexes of the source that do not stay, as any version makes them, and those that an
    /// earlier state of the model has left.
    func dropIndexes(
        of present: Set<String>, besides new: [SQLIndex]
    ) throws(StoreError) {
        let made = Set(new.map(\.name))
        let kept = Set(map.destination.indexes.map(\.name)).subtracting(made)
        let source = map.source
        for index in source.indexes + source.indexes(as: .beforeFetchIndexes)
        where !kept.contains(index.name) && present.contains(index.name.uppercased()) {
            // One may be in both lists.
            try work.run("DROP INDEX IF EXISTS \(index.quotedName)")
        }
        for name in foreign.formerIndexes { try work.run("DROP INDEX \(sqlName(name))") }
    }

    /// Makes an index.
    /// - Throws: `.incompatible` (134110) with the rows that break a uniqueness constraint.
    func make(_ index: SQLIndex) throws(StoreError) {
        do {
            try work.connection.write(
                SQLText(work.connection.dialect.creation(index.creation)), [], changing: nil,
                isGuarded: index.isUnique)
        } catch .constraint {
            throw try duplicates(index)
        }
        if let old = tables.first(where: { $0.table.name == index.table })?.old {
            work.note(old.name)
        }
    }

    /// The most rows that an error lists.
    private static let listed = 20

    private func duplicates(_ index: SQLIndex) throws(StoreError) -> StoreError {
        let columns = index.columns.joined(separator: ", ")
        let groups =
            "SELECT \(columns), COUNT(*) AS n FROM \(index.table) WHERE "
            + index.columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
            + " GROUP BY \(columns) HAVING COUNT(*) > 1"
        let count = try work.count("SELECT CAST(SUM(n) AS BIGINT) FROM (\(groups)) g")
        let matches = index.columns.map { "g.\($0) = t.\($0)" }.joined(separator: " AND ")
        let shared = "FROM (\(groups)) g JOIN \(index.table) t ON \(matches)"
        // An index has all rows, also those with keys below 1.
        let low = try work.count("SELECT COUNT(*) \(shared) WHERE t.Z_PK < 1")
        let (what, hint) =
            low == 0
            ? ("objects", "")
            : (
                "rows",
                "\nrows with a Z_PK below 1 are no objects, and no request reaches them: delete them in "
                    + "the database while no program has the store open"
            )
        let order = index.columns.map { "t.\($0)" }.joined(separator: ", ")
        let values = index.columns.map { "CAST(t.\($0) AS TEXT)" }.joined(separator: " || ', ' || ")
        let rows = try work.connection.rows(
            SQLText(
                "SELECT t.Z_ENT, t.Z_PK, \(values) \(shared) "
                    + "ORDER BY \(order), t.Z_PK LIMIT \(Self.listed)"),
            [], [.integer, .integer, .text])
        let model = map.destination.model
        let list = rows.compactMap { row -> String? in
            guard case .int(let number) = row[0], case .int(let key) = row[1],
                case .string(let value) = row[2], model.entities.indices.contains(Int(number) - 1)
            else { return nil }
            let name =
                key < 1
                ? "the row \(key) of \(index.table), which is no object"
                : "\(model.entities[Int(number) - 1].name) \(key)"
            return "\n  - \(name): \(value.prefix(100))"
        }
        var constraint = index.name
        for entity in model.entities {
            for names in entity.declaration.uniquenessConstraints
            where SQLSchema.uniqueIndex(entity.name, names) == index.name {
                constraint = "\(names.joined(separator: ", ")) of \(entity.name)"
            }
        }
        let more = Int(count) > list.count ? "\n  and \(Int(count) - list.count) more" : ""
        return .incompatible(
            code: 134110,
            "\(constraint) must be unique (133021), and \(count) \(what) share their values:"
                + list.joined() + more + hint)
    }
}
