import SteleModel
import StelePersistence
import SteleSQL

/// Takes what other programs have written to their tables into the store, in a writer's
/// transaction.
///
/// One statement collects the rows of all tables, so that it sees one state of the database. A
/// transaction of another program is in it as a whole or not at all, and so the store has states
/// that their tables have had. The changes get their token here, under the store's write lock: one
/// that is committed later is taken later, whatever the order in which they were begun.
struct IncomingChanges {
    private let links: TableLinks
    private let schema: SQLSchema
    private let waiting: SQLText
    private let checking: SQLText
    private let counting: SQLText
    private let collecting: SQLText

    /// The author of these changes in the history.
    static let author = "postgresql"

    init(_ links: TableLinks, _ schema: SQLSchema) {
        self.links = links
        self.schema = schema
        let news = links.tables.map(\.news) + links.joins.map(\.news)
        waiting = SQLText(
            "SELECT (" + news.map { "EXISTS (SELECT FROM \($0))" }.joined(separator: " OR ")
                + ")::int::bigint, \(links.sources?.difference ?? "NULL::bigint")")
        checking = SQLText("SELECT \(links.sources?.difference ?? "NULL::bigint")")
        counting = SQLText(
            "SELECT " + news.map { "(SELECT COUNT(*) FROM \($0))" }.joined(separator: " + "))
        var parts: [String] = []
        for table in links.tables {
            let columns = table.sources.map { ", t.\($0.name.quotedName)" }.joined()
            let isRow = TableLinks.equal(table.keys(of: "t"), table.keyNames.map { "n.\($0)" })
            parts += Self.moving(
                parts.count, table.news, table.stage, table.keyNames,
                "t.\(table.key[0].name.quotedName) IS NOT NULL\(columns)",
                " LEFT JOIN \(table.source.name.quoted) t ON \(isRow)")
        }
        for join in links.joins {
            let names = join.ownerNames + join.memberNames
            let columns = join.owner.columns + join.member.columns
            let isRow = TableLinks.equal(
                columns.map { "t.\($0.name.quotedName)" }, names.map { "n.\($0)" })
            parts += Self.moving(
                parts.count, join.news, join.stage, names,
                "EXISTS (SELECT FROM \(join.source.quoted) t WHERE \(isRow))", "")
        }
        collecting = SQLText("WITH \(parts.joined(separator: ", ")) SELECT 1::bigint")
    }

    /// Returns the parts of a statement that move keys to a stage, with what is there of their
    /// rows.
    private static func moving(
        _ place: Int, _ news: String, _ stage: String, _ names: [String], _ values: String,
        _ join: String
    ) -> [String] {
        let keys = names.joined(separator: ", ")
        let own = names.map { "n.\($0)" }.joined(separator: ", ")
        return [
            "n\(place) AS (DELETE FROM \(news) RETURNING \(keys))",
            "s\(place) AS (INSERT INTO \(stage) SELECT \(own), \(values) "
                + "FROM (SELECT DISTINCT \(keys) FROM n\(place)) n\(join))",
        ]
    }

    /// Returns whether other programs have written something that is not taken yet.
    /// - Throws: `.unavailable` where the tables are not those that the store was made with; the
    ///   errors of statements.
    func areWaiting(_ connection: Connection) throws(StoreError) -> Bool {
        let rows = try connection.query(waiting, [])
        guard rows.count == 1 else { return false }
        try links.sources?.check(rows.integer(0, 1), connection)
        return rows.integer(0, 0) == 1
    }

    /// Takes all that is there.
    /// - Parameters:
    ///   - token: the number of the last save.
    ///   - read: reads objects of the store.
    ///   - save: saves a request in the transaction.
    func take(
        _ connection: Connection, token: Int64, _ reader: PostgreSQLReader,
        save: (SaveRequest) throws(StoreError) -> SaveResult
    ) throws(StoreError) {
        // Another program may have written to any number of rows.
        try connection.run(
            "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0")
        let count = try connection.integer(counting) ?? 0
        try connection.run(TableLinks.planning(Int(clamping: count)))
        // The tables that were read are locked, so that no others take their names.
        let results = try connection.query(together: [(collecting, []), (checking, [])])
        try links.sources?.check(results[1].integer(0, 0), connection)
        try giveKeys(connection, token: token, save)
        var changes = ChangeCollection(schema.model)
        var deleted: [(table: TableLinks.Table, keys: [Int64])] = []
        for table in links.tables {
            let keys = try deletedKeys(of: table, connection)
            let objects = try reader.snapshots(root: table.entity.index, keys: keys)
            for object in objects { changes.delete(object) }
            try endLinks(of: table, objects.map(\.key), in: &changes, reader)
            deleted.append((table, keys))
            try addRows(of: table, to: &changes, connection, reader)
        }
        for join in links.joins { try addLinks(of: join, to: &changes, connection) }
        try changes.complete { (root, keys) throws(StoreError) in
            try reader.snapshots(root: root, keys: keys)
        }
        for (table, keys) in deleted where !keys.isEmpty {
            try connection.execute(
                SQLText("DELETE FROM \(table.rows) WHERE z_pk \(isOneOf)"),
                [.string(KeyList.json(keys))])
        }
        var request = SaveRequest(readToken: token)
        request.author = Self.author
        request.changes = changes.all
        if !request.changes.isEmpty { _ = try save(request) }
    }

    private var isOneOf: String { schema.dialect.isOneOf("?1") }

    /// Gives new rows the keys of new objects.
    private func giveKeys(
        _ connection: Connection, token: Int64,
        _ save: (SaveRequest) throws(StoreError) -> SaveResult
    ) throws(StoreError) {
        for table in links.tables {
            let keys = table.keyNames.map { "t.\($0)" }
            let isNew =
                "t.is_there AND NOT EXISTS (SELECT FROM \(table.rows) m WHERE "
                + TableLinks.equal(table.keyNames.map { "m.\($0)" }, keys) + ")"
            let count = try connection.integer(
                SQLText("SELECT COUNT(*) FROM \(table.stage) t WHERE \(isNew)"))
            guard let count, count > 0 else { continue }
            var request = SaveRequest(readToken: token)
            let root = table.entity.index
            request.reservations = (1...count).map { ObjectID(root: root, key: -$0) }
            let given = try save(request).permanentKeys
            let first = given[ObjectID(root: root, key: -1)]
            guard let first, given[ObjectID(root: root, key: -count)] == first + count - 1 else {
                throw .failed("the new keys of \(table.entity.name) do not follow each other")
            }
            let list = keys.joined(separator: ", ")
            try connection.execute(
                SQLText(
                    "INSERT INTO \(table.rows) SELECT ?1 + row_number() OVER (ORDER BY \(list)), "
                        + "\(list) FROM \(table.stage) t WHERE \(isNew)"), [.int(first - 1)])
        }
    }

    private func deletedKeys(
        of table: TableLinks.Table, _ connection: Connection
    ) throws(StoreError) -> [Int64] {
        let equal = TableLinks.equal(
            table.keyNames.map { "m.\($0)" }, table.keyNames.map { "t.\($0)" })
        return try connection.integers(
            SQLText(
                "SELECT m.z_pk FROM \(table.stage) t JOIN \(table.rows) m ON \(equal) "
                    + "WHERE NOT t.is_there ORDER BY 1"))
    }

    /// Ends the links to deleted objects that only the store has: no row tells of them.
    private func endLinks(
        of table: TableLinks.Table, _ keys: [Int64], in changes: inout ChangeCollection,
        _ reader: PostgreSQLReader
    ) throws(StoreError) {
        if keys.isEmpty { return }
        for it in table.entity.toManys where !links.isLinked(it, schema.model) {
            for (owner, members) in try reader.members(of: it, owners: keys) {
                for member in members { changes.end(it, of: owner, at: member, isAdded: false) }
            }
        }
    }

    /// Adds the objects of rows that are there.
    private func addRows(
        of table: TableLinks.Table, to changes: inout ChangeCollection, _ connection: Connection,
        _ reader: PostgreSQLReader
    ) throws(StoreError) {
        let places = Dictionary(
            table.sources.enumerated().map { ($0.element.name, $0.offset + 1) },
            uniquingKeysWith: { first, _ in first })
        let rows = try links.objects(
            of: table, in: table.stage, key: table.keyNames.map { "t.\($0)" },
            where: "t.is_there", [], schema, connection
        ) { "t.c\(places[$0.name] ?? 0)" }
        let stored = try reader.snapshots(root: table.entity.index, keys: rows.map(\.key))
        let known = Dictionary(stored.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        for row in rows { changes.add(row, known[row.key], table.slots) }
    }

    /// Adds the links of a join table that are not as they were.
    private func addLinks(
        of join: TableLinks.Join, to changes: inout ChangeCollection, _ connection: Connection
    ) throws(StoreError) {
        // The stage has the names of its own.
        func column(_ names: [String], _ key: TableLinks.ForeignKey) -> (CatalogColumn) -> String {
            { source in
                let place = key.columns.firstIndex { $0.name == source.name } ?? 0
                return "t.\(names[place])"
            }
        }
        let owner = links.incoming(join.owner, "r0", column(join.ownerNames, join.owner))
        let member = links.incoming(join.member, "r1", column(join.memberNames, join.member))
        let has =
            "EXISTS (SELECT FROM \(join.stored.name) j "
            + "WHERE j.\(join.stored.ownerColumn) = r0.z_pk AND j.\(join.stored.memberColumn) = r1.z_pk)"
        let rows = try connection.query(
            SQLText(
                "SELECT r0.z_pk, r1.z_pk, t.is_there::int::bigint FROM \(join.stage) t"
                    + owner + member + " WHERE r0.z_pk IS NOT NULL AND r1.z_pk IS NOT NULL "
                    + "AND t.is_there <> \(has) ORDER BY 1, 2"), [])
        for row in 0..<rows.count {
            changes.link(
                join.relationship, owner: rows.integer(row, 0), member: rows.integer(row, 1),
                isThere: rows.integer(row, 2) == 1)
        }
    }
}

extension Connection {
    /// Returns the first column of all rows.
    func integers(_ sql: SQLText, _ bindings: [Value] = []) throws(StoreError) -> [Int64] {
        let rows = try query(sql, bindings)
        return (0..<rows.count).map { rows.integer($0, 0) }
    }
}
