import SteleModel
import StelePersistence
import SteleSQL

/// Writes a save to the tables of other programs, in the transaction of the save.
///
/// The values are read from the store's own tables, where the save has written them. Rows are
/// inserted before others refer to them, and deleted after: what refers to a row is inserted or
/// changed between.
struct OutgoingChanges {
    private let links: TableLinks
    private let schema: SQLSchema
    private let connection: Connection

    init(_ links: TableLinks, _ schema: SQLSchema, _ connection: Connection) {
        self.links = links
        self.schema = schema
        self.connection = connection
    }

    /// Writes changes that a save has made.
    /// - Returns: as `SaveFollower.follow`.
    /// - Throws: `StoreError`: `.refused` where the database refuses a row; `.moved` where another
    ///   program has written to one of the rows since the transaction began; the errors of
    ///   statements.
    func write(
        _ changes: [ObjectChange]
    ) throws(StoreError) -> [(object: Snapshot, slots: [Int])] {
        let byEntity = Dictionary(grouping: changes.indices) { changes[$0].entity }
        let touched = links.tables.filter { byEntity[$0.entity.index] != nil }
        guard !touched.isEmpty else { return [] }
        // All other saves wait meanwhile. It is less than PostgreSQL takes to find a deadlock, whose
        // victim may be the other program.
        try connection.run(
            "SET LOCAL lock_timeout = 800; SET CONSTRAINTS ALL DEFERRED; "
                + TableLinks.planning(changes.count))
        func those(_ kind: ObjectChange.Kind, of table: TableLinks.Table) -> [ObjectChange] {
            (byEntity[table.entity.index] ?? []).map { changes[$0] }.filter { $0.kind == kind }
        }
        for table in touched {
            try insert(table.ordered(those(.insert, of: table)), table)
        }
        for table in touched {
            let late = table.references.filter(\.isLate).map(\.relationship.slot)
            for change in those(.insert, of: table) where !late.isEmpty {
                try update(change.key, table, late)
            }
            for change in those(.update, of: table) {
                try update(change.key, table, change.changedSlots)
            }
        }
        for join in links.joins { try writeLinks(of: join, changes) }
        for table in touched.reversed() { try delete(those(.delete, of: table), table) }
        for table in touched {
            let keys = those(.update, of: table) + those(.delete, of: table)
            try checkUnchanged(keys.map(\.key), table)
        }
        try finish(touched[0].source.name)
        var computed: [(object: Snapshot, slots: [Int])] = []
        for table in touched {
            let deleted = those(.delete, of: table).map(\.key)
            let written = those(.insert, of: table) + those(.update, of: table)
            computed += try readAgain(written, deleted: deleted, table)
            try forget(deleted, table)
        }
        return computed
    }

    /// Checks the constraints, and that the rows are in the tables that the store was made with: by
    /// now they are locked.
    private func finish(_ table: TableName) throws(StoreError) {
        let difference = links.sources?.difference ?? "NULL::bigint"
        let results: [Rows]
        do throws(StoreError) {
            results = try connection.query(together: [
                (SQLText("SET CONSTRAINTS ALL IMMEDIATE"), []),
                (SQLText("SELECT \(difference)"), []),
            ])
        } catch { throw self.error(error, table) }
        try links.sources?.check(results[1].integer(0, 0), connection)
    }

    // MARK: What the database makes of it

    /// Reads the rows that were written, and marks those as taken that are as the store has them. One
    /// whose foreign key a trigger has changed is taken as those that another program has written.
    /// - Returns: the objects whose attributes have other values.
    /// - Throws: `.refused` for a row that a trigger has not deleted.
    private func readAgain(
        _ written: [ObjectChange], deleted: [Int64], _ table: TableLinks.Table
    ) throws(StoreError) -> [(object: Snapshot, slots: [Int])] {
        let keys = written.map(\.key) + deleted
        let rows = try links.objects(
            of: table, in: table.source.name.quoted, key: table.keys(of: "t"),
            where: "m.z_pk \(isOneOf)", [.string(KeyList.json(keys))], schema, connection
        ) { "t.\($0.name.quotedName)" }
        let known = Dictionary(rows.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        var computed: [(object: Snapshot, slots: [Int])] = []
        if let key = deleted.first(where: { known[$0] != nil }) {
            throw .refused(
                "a trigger of \(table.source.name) keeps the row of \(table.entity.name) \(key), so "
                    + "the object cannot be deleted")
        }
        var taken = deleted
        for change in written {
            guard let row = known[change.key] else { continue }
            func differs(_ slot: Int) -> Bool {
                row.values[slot] != change.values[slot]
            }
            if table.references.contains(where: { differs($0.relationship.slot) }) { continue }
            taken.append(change.key)
            let slots = table.columns.map(\.slot).filter(differs)
            if slots.isEmpty { continue }
            computed.append((row, slots))
        }
        try markTaken(taken, table)
        return computed
    }

    private func markTaken(_ keys: [Int64], _ table: TableLinks.Table) throws(StoreError) {
        let equal = TableLinks.equal(
            table.keyNames.map { "n.\($0)" }, table.keyNames.map { "m.\($0)" })
        try connection.execute(
            SQLText(
                "DELETE FROM \(table.news) n USING \(table.rows) m WHERE \(equal) "
                    + "AND m.z_pk \(isOneOf) AND n.writer = pg_current_xact_id()"),
            [.string(KeyList.json(keys))])
    }

    // MARK: Rows

    /// Inserts the rows of objects, in their order, many in one message. A null takes the column's
    /// default.
    private func insert(
        _ changes: [ObjectChange], _ table: TableLinks.Table
    ) throws(StoreError) {
        if changes.isEmpty { return }
        for it in table.columns where it.source.isGenerated {
            if changes.contains(where: { $0.values[it.slot] != .null }) {
                throw computed(it, table)
            }
        }
        let statement = SQLText(insertion(into: table))
        for start in stride(from: 0, to: changes.count, by: Self.rowsTogether) {
            let some = changes[start..<min(start + Self.rowsTogether, changes.count)]
            let results: [Rows]
            do throws(StoreError) {
                results = try connection.query(together: some.map { (statement, [.int($0.key)]) })
            } catch { throw self.error(error, table.source.name) }
            connection.rowsWritten += Int64(results.count)
            guard results.allSatisfy({ $0.changed == 1 }) else {
                throw .refused("a trigger of \(table.source.name) has not inserted the row")
            }
        }
    }

    /// The most rows of one message.
    private static let rowsTogether = 64

    /// The statement that inserts the row of the object whose key is its parameter, and notes the
    /// key of the row.
    private func insertion(into table: TableLinks.Table) -> String {
        var names: [String] = []
        var values: [String] = []
        for it in table.columns where !it.source.isGenerated {
            names.append(it.source.name.quotedName)
            values.append(Self.orDefault(it.form.write("z.\(it.stored)"), it.source))
        }
        var joins = ""
        for (place, it) in table.references.enumerated() where !it.isLate || it.isRequired {
            let (join, keys) = links.outgoing(it.key, "r\(place)", of: "z.\(it.stored)")
            joins += join
            for (column, value) in zip(it.key.columns, keys) {
                names.append(column.name.quotedName)
                values.append(Self.orDefault(value, column))
            }
        }
        let returned = table.key.map(\.name.quotedName).joined(separator: ", ")
        return "WITH i AS (INSERT INTO \(table.source.name.quoted) "
            + "(\(names.joined(separator: ", "))) OVERRIDING SYSTEM VALUE "
            + "SELECT \(values.joined(separator: ", ")) FROM \(table.stored) z\(joins) "
            + "WHERE z.Z_PK = ?1 RETURNING \(returned)) "
            + "INSERT INTO \(table.rows) SELECT ?1, \(returned) FROM i"
    }

    private func computed(_ it: TableLinks.Column, _ table: TableLinks.Table) -> StoreError {
        .refused(
            "\(table.entity.name).\(table.entity.slots[it.slot].name) is computed by the database "
                + "and cannot be set")
    }

    private static func orDefault(_ value: String, _ column: CatalogColumn) -> String {
        column.defaultExpression.map { "COALESCE(\(value), \($0))" } ?? value
    }

    /// Updates the columns of some slots.
    private func update(
        _ key: Int64, _ table: TableLinks.Table, _ slots: [Int]
    ) throws(StoreError) {
        var assignments: [String] = []
        var changed = Set<String>()
        for it in table.columns where slots.contains(it.slot) {
            if it.source.isGenerated { throw computed(it, table) }
            changed.insert(it.source.name)
            assignments.append("\(it.source.name.quotedName) = \(it.form.write("z.\(it.stored)"))")
        }
        var joins = ""
        for (place, it) in table.references.enumerated()
        where slots.contains(it.relationship.slot) {
            let (join, keys) = links.outgoing(it.key, "r\(place)", of: "z.\(it.stored)")
            joins += join
            for (column, value) in zip(it.key.columns, keys) {
                changed.insert(column.name)
                assignments.append("\(column.name.quotedName) = \(value)")
            }
        }
        guard !assignments.isEmpty else { return }
        let keys = table.keyNames.map { "m.\($0)" }
        var statement =
            "UPDATE \(table.source.name.quoted) t SET \(assignments.joined(separator: ", ")) "
            + "FROM \(table.rows) m JOIN \(table.stored) z ON z.Z_PK = m.z_pk\(joins) "
            + "WHERE m.z_pk = ?1 AND \(TableLinks.equal(table.keys(of: "t"), keys))"
        if table.source.key.contains(where: changed.contains) {
            try checkUnchanged([key], table)
            let named = zip(table.keyNames, table.key).map { "\($0) = u.\($1.name.quotedName)" }
            statement =
                "WITH u AS (\(statement) RETURNING \(table.keys(of: "t").joined(separator: ", "))) "
                + "UPDATE \(table.rows) SET \(named.joined(separator: ", ")) FROM u "
                + "WHERE z_pk = ?1"
        }
        guard try run(statement, [.int(key)], table.source.name) == 1 else {
            try checkUnchanged([key], table)
            throw .refused(
                "\(table.source.name) does not change the row of \(table.entity.name) \(key): a "
                    + "trigger or a policy keeps it")
        }
    }

    private func delete(
        _ changes: [ObjectChange], _ table: TableLinks.Table
    ) throws(StoreError) {
        guard !changes.isEmpty else { return }
        let keys = table.keyNames.map { "m.\($0)" }
        // Rows that a foreign key has deleted with others are not there any more.
        try run(
            "DELETE FROM \(table.source.name.quoted) t USING \(table.rows) m "
                + "WHERE m.z_pk \(isOneOf) AND \(TableLinks.equal(table.keys(of: "t"), keys))",
            [.string(KeyList.json(changes.map(\.key)))], table.source.name)
    }

    private func forget(_ keys: [Int64], _ table: TableLinks.Table) throws(StoreError) {
        guard !keys.isEmpty else { return }
        try connection.execute(
            SQLText("DELETE FROM \(table.rows) WHERE z_pk \(isOneOf)"),
            [.string(KeyList.json(keys))])
    }

    private var isOneOf: String { schema.dialect.isOneOf("?1") }

    /// Throws where another program has written to one of the rows, and the store has not taken
    /// that yet. The rows are locked by the statements before, so that none can do so later.
    private func checkUnchanged(_ keys: [Int64], _ table: TableLinks.Table) throws(StoreError) {
        guard !keys.isEmpty else { return }
        let equal = TableLinks.equal(
            table.keyNames.map { "m.\($0)" }, table.keyNames.map { "n.\($0)" })
        let found = try connection.integers(
            SQLText(
                "SELECT m.z_pk FROM \(table.news) n JOIN \(table.rows) m ON \(equal) "
                    + "WHERE m.z_pk \(isOneOf) AND n.writer <> pg_current_xact_id() LIMIT 1"),
            [.string(KeyList.json(keys))])
        if let key = found.first {
            throw .moved(
                "another program has written to the row of \(table.entity.name) \(key) meanwhile")
        }
    }

    // MARK: Links

    /// Makes the rows of a join table those of the store, for objects that a save has changed.
    private func writeLinks(
        of join: TableLinks.Join, _ changes: [ObjectChange]
    ) throws(StoreError) {
        let links = LinkChanges(of: join, self.links, changes)
        let columns = (join.owner.columns + join.member.columns).map(\.name.quotedName)
        let owner = self.links.outgoing(join.owner, "r0", of: "k.o")
        let member = self.links.outgoing(join.member, "r1", of: "k.m")
        let values = owner.values + member.values
        let pairs =
            "unnest(translate(?1, '[]', '{}')::bigint[], translate(?2, '[]', '{}')::bigint[]) "
            + "AS k(o, m)\(owner.join)\(member.join)"
        func write(_ pairs: [LinkChanges.Pair], _ statement: String) throws(StoreError) {
            guard !pairs.isEmpty else { return }
            let ends = [pairs.map(\.owner), pairs.map(\.member)].map { KeyList.json($0) }
            try run(statement, ends.map { .string($0) }, join.source)
        }
        try write(
            links.removed,
            "DELETE FROM \(join.source.quoted) t USING \(pairs) "
                + "WHERE \(TableLinks.equal(columns.map { "t.\($0)" }, values))")
        try write(
            links.added,
            "INSERT INTO \(join.source.quoted) (\(columns.joined(separator: ", "))) "
                + "SELECT \(values.joined(separator: ", ")) FROM \(pairs) ON CONFLICT DO NOTHING")
        for (key, deleted) in [(join.owner, links.owners), (join.member, links.members)]
        where !deleted.isEmpty {
            let own = self.links.outgoing(key, "r0", of: "k.value")
            let isOwn = TableLinks.equal(
                key.columns.map { "t.\($0.name.quotedName)" }, own.values)
            try run(
                "DELETE FROM \(join.source.quoted) t "
                    + "USING \(schema.dialect.keys("?1"))\(own.join) WHERE \(isOwn)",
                [.string(KeyList.json(deleted))], join.source)
        }
    }

    // MARK: Statements

    /// The error of a statement on a table of another program, by its SQLSTATE.
    private func error(_ error: StoreError, _ table: TableName) -> StoreError {
        let (state, message) = (connection.lastState, connection.lastMessage)
        switch state.prefix(2) {
        case _ where connection.isLost || state.isEmpty || connection.isOutdated: return error
        case _ where state == "55P03":
            return .unavailable(
                "a transaction of another program has a row of \(table) locked, and does not end: "
                    + "try again when it has")
        // The server is at its limits, is stopped, or ends the transaction.
        case "08", "25", "40", "53", "55", "57", "58", "XX": return error
        case "42" where state != "42501": return links.misfit(of: error, connection)
        default: return .refused("the table \(table) refuses it: \(message)")
        }
    }

    /// Runs a statement on a table of another program.
    /// - Returns: the number of rows.
    /// - Throws: `.refused` where a rule of the table refuses it.
    @discardableResult
    private func run(
        _ statement: String, _ bindings: [Value], _ table: TableName
    ) throws(StoreError) -> Int {
        do throws(StoreError) {
            return try connection.execute(SQLText(statement), bindings)
        } catch {
            throw self.error(error, table)
        }
    }
}

extension TableLinks.Reference {
    /// Whether a row must have it from the beginning.
    fileprivate var isRequired: Bool { key.columns.contains(where: \.isRequired) }
}
