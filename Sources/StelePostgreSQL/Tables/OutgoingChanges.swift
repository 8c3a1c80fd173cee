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
        try connection.run("SET CONSTRAINTS ALL DEFERRED")
        func those(_ kind: ObjectChange.Kind, of table: TableLinks.Table) -> [ObjectChange] {
            (byEntity[table.entity.index] ?? []).map { changes[$0] }.filter { $0.kind == kind }
        }
        for table in touched {
            for change in those(.insert, of: table) { try insert(change.key, table) }
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
        var computed: [(object: Snapshot, slots: [Int])] = []
        for table in touched {
            let deleted = those(.delete, of: table).map(\.key)
            let written = those(.insert, of: table) + those(.update, of: table)
            computed += try readAgain(written, deleted: deleted, table)
            try forget(deleted, table)
        }
        return computed
    }

    // MARK: What the database makes of it

    /// Reads the rows that were written, and marks those as taken that are as the store has them.
    /// Others, such as one that a trigger has not deleted, or whose foreign key it has changed, are
    /// taken as those that another program has written.
    /// - Returns: the objects whose attributes have other values.
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
        var taken = deleted.filter { known[$0] == nil }
        for change in written {
            guard let row = known[change.key] else { continue }
            func differs(_ slot: Int) -> Bool {
                !row.values[slot].isStored(as: change.values[slot])
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

    /// Inserts the row of an object. A null takes the column's default.
    private func insert(_ key: Int64, _ table: TableLinks.Table) throws(StoreError) {
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
        try run(
            "WITH i AS (INSERT INTO \(table.source.name.quoted) "
                + "(\(names.joined(separator: ", "))) OVERRIDING SYSTEM VALUE "
                + "SELECT \(values.joined(separator: ", ")) FROM \(table.stored) z\(joins) "
                + "WHERE z.Z_PK = ?1 RETURNING \(returned)) "
                + "INSERT INTO \(table.rows) SELECT ?1, \(returned) FROM i",
            [.int(key)], table.source.name)
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
            guard !it.source.isGenerated else {
                throw .refused(
                    "\(table.entity.name).\(table.entity.slots[it.slot].name) is computed by the "
                        + "database and cannot be changed")
            }
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
            throw .moved("\(table.entity.name) \(key) has no row in \(table.source.name) any more")
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
        let stored = join.stored
        for isOwner in [true, false] {
            let key = isOwner ? join.owner : join.member
            let entity = links.tables[key.destination].entity.index
            let relationship = isOwner ? join.relationship.index : join.relationship.inverse
            let keys = changes.filter {
                $0.entity == entity && $0.mayChange(relationship)
            }.map(\.key)
            guard !keys.isEmpty else { continue }
            let owner = links.outgoing(join.owner, "r0", of: "j.\(stored.ownerColumn)")
            let member = links.outgoing(join.member, "r1", of: "j.\(stored.memberColumn)")
            let columns = (join.owner.columns + join.member.columns).map(\.name.quotedName)
            let values = owner.values + member.values
            let rows = "FROM \(stored.name) j\(owner.join)\(member.join)"
            let isSame = TableLinks.equal(columns.map { "t.\($0)" }, values)
            let end = isOwner ? stored.ownerColumn : stored.memberColumn
            let binding = [Value.string(KeyList.json(keys))]
            let own = links.outgoing(key, "r0", of: "k.value")
            let isOwn = TableLinks.equal(
                key.columns.map { "t.\($0.name.quotedName)" }, own.values)
            try run(
                "DELETE FROM \(join.source.quoted) t USING \(schema.dialect.keys("?1"))\(own.join) "
                    + "WHERE \(isOwn) AND NOT EXISTS "
                    + "(SELECT \(rows) WHERE j.\(end) = k.value AND \(isSame))",
                binding, join.source)
            try run(
                "INSERT INTO \(join.source.quoted) (\(columns.joined(separator: ", "))) "
                    + "SELECT \(values.joined(separator: ", ")) \(rows) "
                    + "WHERE j.\(end) \(isOneOf) AND NOT EXISTS "
                    + "(SELECT FROM \(join.source.quoted) t WHERE \(isSame))",
                binding, join.source)
        }
    }

    // MARK: Statements

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
            let state = connection.lastState
            // Integrity constraints, data that a type does not hold, and what triggers raise.
            guard state.hasPrefix("23") || state.hasPrefix("22") || state == "P0001" else {
                throw error
            }
            throw .refused("the table \(table) refuses it: \(connection.lastMessage)")
        }
    }
}

extension TableLinks.Reference {
    /// Whether a row must have it from the beginning.
    fileprivate var isRequired: Bool { key.columns.contains(where: \.isRequired) }
}

extension ObjectChange {
    /// Whether the change may be one of a relationship's links.
    fileprivate func mayChange(_ relationship: Int?) -> Bool {
        kind == .delete || toManys.contains { $0.relationship == relationship }
    }
}
