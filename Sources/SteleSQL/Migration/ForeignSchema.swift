import StelePersistence

/// What other programs have added to the schema of a store in SQLite.
package struct ForeignSchema: Sendable {
    /// A table, a view, a trigger, an index or a generated column.
    package struct Part: Sendable, CustomStringConvertible {
        package enum Kind: String, Sendable {
            case table, view, trigger, index
            case column = "generated column"
        }

        package let kind: Kind
        package let name: String
        /// The table of a trigger, an index or a column; the name of any other.
        let table: String
        /// The words of the statement of a virtual table, in upper case; none for any other. FTS names
        /// in it the table and the columns of its content.
        let words: Set<String>

        fileprivate init(_ kind: Kind, _ name: String, of table: String, statement: String = "") {
            (self.kind, self.name, self.table) = (kind, name, table)
            let isVirtual = kind == .table && statement.uppercased().hasPrefix("CREATE VIRTUAL")
            words =
                isVirtual
                ? Set(
                    statement.uppercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" }
                        .map(String.init)) : []
        }

        /// Whether the name is one of Core Data's for a join table.
        package var isNamedAsJoin: Bool { StoreLayout.isJoinTable(name) }

        /// Whether it is lost where the table is.
        package var dependsOnTable: Bool {
            switch kind {
            case .table, .view: false
            case .trigger, .index, .column: true
            }
        }

        /// Whether it is an index with a name like Core Data's for one.
        fileprivate var isNamedAsIndex: Bool {
            kind == .index && (name.hasPrefix("Z_") || name.hasPrefix(table + "_"))
        }

        /// The part as words: `the view v`, `the trigger t of ZPLAYER`.
        package var description: String {
            "the \(kind.rawValue) \(name)" + (name == table ? "" : " of \(table)")
        }
    }

    /// A column of one of the store's tables that no property has.
    struct Column: Sendable {
        let part: UnusedPart
        let name: String
        var table: String { part.table }

        /// Nil for a whole table.
        init?(_ part: UnusedPart) {
            guard let name = part.column else { return nil }
            (self.part, self.name) = (part, name)
        }
    }

    /// The parts by kind and name. Indexes and generated columns are those of the store's tables.
    package let parts: [Part]
    /// The indexes of tables of other programs.
    let otherIndexes: [Part]
    /// The foreign keys: a table, and the one to which it leads.
    let references: [(table: String, target: String)]
    /// The names of the indexes of the store's tables that an earlier state of the model has left: a
    /// version whose fetch indexes are edited is the same version.
    let formerIndexes: [String]
    /// The columns that no property has.
    let columns: [Column]

    /// No part.
    package static let none = ForeignSchema()

    private init() {
        (parts, otherIndexes, references, formerIndexes, columns) = ([], [], [], [], [])
    }

    // Names that begin so are SQLite's and of Core Data's triggers. Core Data's R-tree indexes are
    // virtual tables with three triggers.
    private static let query = SQLText(
        """
        SELECT m.type, m.name, m.tbl_name, COALESCE(m.sql, '') FROM main.sqlite_master m \
        WHERE m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
        AND NOT (m.type = 'trigger' AND m.name LIKE 'Z\\_DA\\_%' ESCAPE '\\') \
        AND NOT EXISTS (SELECT 1 FROM pragma_table_list l \
        WHERE l.schema = 'main' AND l.type = 'shadow' AND l.name = m.name) \
        AND NOT EXISTS (SELECT 1 FROM main.sqlite_master v \
        WHERE v.sql LIKE 'CREATE VIRTUAL%USING RTREE%' AND v.name LIKE 'Z\\_%' ESCAPE '\\' \
        AND (m.type = 'table' AND m.name = v.name OR m.type = 'trigger' \
        AND m.name IN (v.name || '_INSERT', v.name || '_UPDATE', v.name || '_DELETE'))) \
        UNION ALL SELECT 'generated column', c.name, m.name, '' \
        FROM main.sqlite_master m, pragma_table_xinfo(m.name) c \
        WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%' AND c.hidden IN (2, 3) \
        ORDER BY 1, 2
        """)
    private static let referencesQuery = SQLText(
        """
        SELECT m.name, f."table" FROM main.sqlite_master m, pragma_foreign_key_list(m.name) f \
        WHERE m.type = 'table' ORDER BY 1, 2
        """)

    /// Reads the schema of a file.
    /// - Parameter schema: the store's own, which fits the layout.
    /// - Throws: errors of SQLite.
    package init(
        _ connection: any SQLConnection, _ layout: StoreLayout, besides schema: SQLSchema
    ) throws(StoreError) {
        let tables = Set(
            (schema.storedTables.map(\.name) + schema.joinTables.map(\.name))
                .map { $0.uppercased() })
        let indexes = schema.indexes + schema.indexes(as: .beforeFetchIndexes)
        let own = tables.union(indexes.map { $0.name.uppercased() })
            .union(HistoryTables.names)
            .union([
                Receipts.table, AttachedHistory.saves, "Z_PRIMARYKEY", "Z_METADATA",
                "Z_MODELCACHE",
            ])
        var parts: [Part] = []
        var otherIndexes: [Part] = []
        var formerIndexes: [String] = []
        for row in try connection.rows(Self.query, [], [.text, .text, .text, .text]) {
            guard let kind = row[0].text.flatMap({ Part.Kind(rawValue: $0) }),
                let name = row[1].text, let table = row[2].text
            else { continue }
            let part = Part(kind, name, of: table, statement: row[3].text ?? "")
            let isOfStore = tables.contains(table.uppercased())
            let isOwn = own.contains(name.uppercased())
            switch kind {
            case .table where isOwn, .view where isOwn, .index where isOwn,
                .column where !isOfStore:
                break
            case .index where !isOfStore: otherIndexes.append(part)
            case .index where part.isNamedAsIndex: formerIndexes.append(name)
            case .table, .view, .index, .column, .trigger: parts.append(part)
            }
        }
        let references = try connection.rows(Self.referencesQuery, [], [.text, .text])
        self.references = references.compactMap { row in
            guard let table = row[0].text, let target = row[1].text else { return nil }
            return (table, target)
        }
        self.otherIndexes = otherIndexes
        self.parts = parts
        self.formerIndexes = formerIndexes
        columns = layout.unusedParts(of: schema).compactMap(Column.init)
    }

    /// Whether there is nothing.
    var isEmpty: Bool { parts.isEmpty && columns.isEmpty }

    /// Whether a copy of one of the store's tables would lose something, or a view, a trigger, of
    /// whatever table, or a foreign key may name it: SQLite takes them on where a table is altered, and
    /// refuses to drop one and to rename another.
    func extends(_ table: String) -> Bool {
        let name = table.uppercased()
        return hasStatements || columns.contains { $0.table == table }
            || parts.contains { $0.dependsOnTable && $0.table.uppercased() == name }
            || references.contains { $0.target.uppercased() == name }
    }

    /// Whether there is a view or a trigger.
    var hasStatements: Bool { parts.contains { $0.kind == .view || $0.kind == .trigger } }

    /// What may refuse a statement that changes a table of the store, as words.
    var rules: [String] {
        parts.filter { $0.kind != .table }.map(\.description)
            + columns.map { "the column \($0.name) of \($0.table)" }
    }
}
