import SteleSQL

extension SQLDialect {
    /// The dialect of PostgreSQL.
    static let postgreSQL: SQLDialect = {
        var dialect = SQLDialect.sqlite
        dialect.keys = { "unnest(translate(\($0), '[]', '{}')::bigint[]) AS k(value)" }
        dialect.isOneOf = {
            "IN (SELECT value FROM unnest(translate(\($0), '[]', '{}')::bigint[]) AS k(value))"
        }
        // An index without a join. A scan of the table would compare each row with the whole list.
        dialect.isOneOfFew = { "= ANY(translate(\($0), '[]', '{}')::bigint[])" }
        dialect.members = {
            "(SELECT key::bigint AS key, value::bigint AS value FROM json_each_text(\($0)::json))"
        }
        dialect.orderedJoin = "JOIN"
        dialect.insertAll = "INSERT INTO"
        dialect.insertMissing = "INSERT INTO"
        dialect.insertMissingEnd = " ON CONFLICT DO NOTHING"
        dialect.same = " IS NOT DISTINCT FROM "
        dialect.different = " IS DISTINCT FROM "
        dialect.contains = { "strpos(\($0), \($1)) > 0" }
        dialect.endsWith = { "right(\($0), length(\($1))) = \($1)" }
        dialect.unlimited = "ALL"
        dialect.ascending = " NULLS FIRST"
        dialect.descending = " DESC NULLS LAST"
        dialect.name = { "\"\(PostgreSQLWords.stored($0).replacing("\"", with: "\"\""))\"" }
        dialect.uniqueColumns =
            "SELECT c.relname::text, upper(a.attname) FROM pg_index i "
            + "JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid "
            + "JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY(i.indkey) "
            + "WHERE t.relname = lower(?1) AND t.relnamespace = \(PostgreSQLWords.ownSchema) "
            + "AND i.indisunique AND i.indisvalid AND i.indpred IS NULL"
        dialect.tableCount = {
            "SELECT COUNT(*) FROM pg_class WHERE relname = lower('\($0)') "
                + "AND relnamespace = \(PostgreSQLWords.ownSchema) AND relkind = 'r'"
        }
        dialect.columns =
            "SELECT upper(c.relname), upper(a.attname) FROM pg_class c "
            + "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
            + "WHERE c.relnamespace = \(PostgreSQLWords.ownSchema) AND c.relkind IN ('r', 'p') "
            + "ORDER BY c.relname, a.attnum"
        dialect.indexNames =
            "SELECT relname::text FROM pg_class WHERE relkind = 'i' "
            + "AND relnamespace = \(PostgreSQLWords.ownSchema)"
        dialect.data = { "'\\x\($0)'::bytea" }
        dialect.text = { "convert_from(\($1), 'UTF8')" }
        dialect.encoding = nil
        dialect.concatenation = { "\($0) || \($1)" }
        dialect.creation = PostgreSQLWords.creation
        dialect.hasExactDecimals = true
        dialect.isKeptByNodes = true
        dialect.isTyped = true
        dialect.typeName = PostgreSQLWords.type
        dialect.items = { "json_array_elements_text(\($0)::json)" }
        dialect.binary = { "(\($0) COLLATE \"C\")" }
        dialect.plain = { $0 }
        dialect.hasNull = { "MAX((\($0) IS NULL)::int)" }
        dialect.call = PostgreSQLFunctions.call
        dialect.altersTypes = true
        dialect.numbers = { NumericColumn($0, postgreSQL: $1) }
        dialect.insertedBeforeFailure = nil
        return dialect
    }()
}

/// Core Data's words in the words of PostgreSQL.
enum PostgreSQLWords {
    /// The schema of the tables: the first one of the search path that exists.
    static let ownSchema = "(SELECT oid FROM pg_namespace WHERE nspname = current_schema())"

    /// Returns a name as the server stores one that is written without quotation marks: the letters
    /// of ASCII are small.
    static func stored(_ name: String) -> String {
        String(decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }

    /// The types of columns. Text is compared by its bytes, as everywhere in Stele.
    private static let types = [
        "INTEGER": "BIGINT", "FLOAT": "DOUBLE PRECISION", "TIMESTAMP": "DOUBLE PRECISION",
        "DECIMAL": "NUMERIC", "VARCHAR": "TEXT COLLATE \"C\"", "BLOB": "BYTEA",
    ]

    /// Returns the type of a column.
    static func type(_ kind: ColumnKind) -> String {
        switch kind {
        case .integer, .boolean, .key: "BIGINT"
        case .double, .float, .date: "DOUBLE PRECISION"
        case .decimal: "NUMERIC"
        case .text: "TEXT"
        case .data, .uuid, .external, .marked: "BYTEA"
        }
    }

    /// Returns a CREATE statement in PostgreSQL's words. Names of tables and columns are no words
    /// that have another form: they begin with Z or are those of the history.
    static func creation(_ statement: String) -> String {
        var text = statement.replacing(" WITHOUT ROWID", with: "")
        text.replace("VARCHAR(255)", with: "VARCHAR")
        text.replace(" COLLATE BINARY ASC", with: " NULLS FIRST")
        text.replace(" COLLATE BINARY DESC", with: " DESC NULLS LAST")
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let plain = word.prefix { $0 != "," && $0 != ")" }
            return (types[String(plain)] ?? String(plain)) + word.dropFirst(plain.count)
        }
        return words.joined(separator: " ")
    }

    /// Returns a statement with PostgreSQL's parameters: `$1` for `?1`, and numbers in their order
    /// for plain `?`. Texts within statements are names of entities, which have no question mark.
    static func parameters(_ statement: String) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(statement.utf8.count + 16)
        var next = 1
        var bytes = statement.utf8[...]
        while let place = bytes.firstIndex(of: UInt8(ascii: "?")) {
            text += bytes[..<place]
            text.append(UInt8(ascii: "$"))
            bytes = bytes[bytes.index(after: place)...]
            if let digit = bytes.first, digit &- 0x30 < 10 { continue }
            text += Array(String(next).utf8)
            next += 1
        }
        text += bytes
        return String(decoding: text, as: UTF8.self)
    }
}
