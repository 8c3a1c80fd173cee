/// The tables of another program, as the database's catalog has them.

/// A table's name with its schema, as the catalog has them, without quotes.
struct TableName: Hashable, Sendable {
    let schema: String
    let name: String

    /// Reads `schema.name`, as `description` writes it; nil for any other text.
    init?(_ text: String) {
        guard let dot = text.firstIndex(of: ".") else { return nil }
        schema = String(text[..<dot])
        name = String(text[text.index(after: dot)...])
        if schema.isEmpty || name.isEmpty { return nil }
    }

    init(schema: String, name: String) {
        self.schema = schema
        self.name = name
    }

    /// The name in a statement.
    var quoted: String { "\(schema.quotedName).\(name.quotedName)" }
}

extension TableName: CustomStringConvertible {
    /// `public.customer`: the form in user info and messages.
    var description: String { "\(schema).\(name)" }
}

/// A table.
struct CatalogTable: Hashable, Sendable {
    /// The OID in pg_class, which no other table has; 0 for one that is in no catalog.
    var oid: Int64 = 0
    let name: TableName
    let columns: [CatalogColumn]
    /// The columns of the primary key, in its order, or else of the first unique constraint whose
    /// columns are NOT NULL; empty where there is neither.
    let key: [String]
    /// The columns of each UNIQUE constraint or plain unique index, without the primary key.
    let uniques: [[String]]
    let foreignKeys: [CatalogForeignKey]

    func column(named name: String) -> CatalogColumn? { columns.first { $0.name == name } }
}

/// A column.
struct CatalogColumn: Hashable, Sendable {
    let name: String
    /// The type in a statement, with its modifier: `character varying(20)`, `public.mood`.
    let type: String
    /// The name of the type below all domains in pg_type: `int4`, `varchar`, `numeric`, `mood`.
    let baseType: String
    /// The labels of an enum, in their order; empty for other types.
    let labels: [String]
    /// The length of a `character varying(n)` or `character(n)`; nil for none.
    let length: Int?
    /// Whether it is NOT NULL.
    let isRequired: Bool
    /// The expression of its default, also of `nextval` and of an identity column; nil for none.
    let defaultExpression: String?
    /// Whether the server computes it (GENERATED ALWAYS AS … STORED).
    let isGenerated: Bool
    /// Whether it is GENERATED ALWAYS AS IDENTITY.
    let isIdentityAlways: Bool
}

/// A foreign key.
struct CatalogForeignKey: Hashable, Sendable {
    /// What the server does with the rows of a row that is deleted.
    enum Action: String, Sendable {
        case none = "a"
        case restrict = "r"
        case cascade = "c"
        case setNull = "n"
        case setDefault = "d"
    }

    let name: String
    /// The columns in this table.
    let columns: [String]
    /// The other table.
    let table: TableName
    /// The columns there, in the same order.
    let referenced: [String]
    let onDelete: Action
}

extension String {
    /// The name in a statement: in double quotes.
    var quotedName: String { "\"\(replacing("\"", with: "\"\""))\"" }

    /// The text in a statement: in single quotes.
    var quotedText: String { "'\(replacing("'", with: "''"))'" }
}

/// The keys of the user info that tell which table and columns an entity and its properties have.
enum TableKey {
    /// Of an entity: the table, as `schema.name`. Of a many-to-many relationship: its join table.
    static let table = "postgresql.table"
    /// Of an attribute: the column. Of a to-one relationship and of a many-to-many one: the columns
    /// of the foreign key to the destination, with commas between them.
    static let columns = "postgresql.columns"
    /// Of a many-to-many relationship: the columns of the join table's foreign key to the owner,
    /// with commas between them.
    static let ownerColumns = "postgresql.ownerColumns"
}
