import StelePersistence
import SteleSQL

/// What the store's user needs of the tables.
extension TableLinks {
    /// All tables, each once.
    var sourceNames: [TableName] {
        var known = Set<TableName>()
        return (tables.map(\.source.name) + joins.map(\.source)).filter {
            known.insert($0).inserted
        }
    }

    /// Checks the rights before anything is made.
    /// - Throws: `StoreError.incompatible` (134080) with all that is missing, as GRANT statements.
    func checkRights(_ connection: Connection) throws(StoreError) {
        let user = try connection.text("SELECT quote_ident(current_user::text)")
        var grants: [String] = []
        if try connection.text(
            "SELECT has_database_privilege(current_database(), 'TEMPORARY')::text") == "false"
        {
            let name = try connection.text("SELECT quote_ident(current_database()::text)")
            grants.append("TEMPORARY ON DATABASE \(name)")
        }
        for table in sourceNames {
            let name = table.quoted.quotedText
            let lacking = try connection.text(
                "SELECT coalesce(string_agg(p, ', '), '') FROM unnest(ARRAY['SELECT', 'INSERT', "
                    + "'UPDATE', 'DELETE', 'TRIGGER']) p WHERE NOT has_table_privilege(\(name), p)")
            if !lacking.isEmpty { grants.append("\(lacking) ON \(table.quoted)") }
            if try connection.text("SELECT row_security_active(\(name))::text") == "true" {
                throw Self.misfit(
                    "row-level security hides rows of \(table) from the user of "
                        + "\(connection.place): give the role BYPASSRLS, or leave the table out of "
                        + "the model")
            }
            let sequences = try connection.text(
                "SELECT coalesce(string_agg(s.oid::regclass::text, ', '), '') FROM pg_depend d "
                    + "JOIN pg_class s ON s.oid = d.objid "
                    + "WHERE d.refobjid = \(name)::regclass AND d.deptype IN ('a', 'i') "
                    + "AND CASE WHEN s.relkind = 'S' THEN NOT has_sequence_privilege(s.oid, 'USAGE') END"
            )
            if !sequences.isEmpty { grants.append("USAGE ON SEQUENCE \(sequences)") }
        }
        if grants.isEmpty { return }
        let statements = grants.map { "GRANT \($0) TO \(user)" }.joined(separator: "; ")
        throw Self.misfit(
            "the user of \(connection.place) needs more rights to follow the tables: \(statements)")
    }

    /// Locks the tables against writes until the end of the transaction, all before anything else
    /// is done. Writes of other programs wait behind the attempt, so it does not last.
    /// - Throws: `.busy` where transactions have the tables open for longer.
    func lock(_ connection: Connection) throws(StoreError) {
        let names = sourceNames.map(\.quoted).joined(separator: ", ")
        try connection.run("SET LOCAL lock_timeout = 3000")
        do throws(StoreError) {
            try connection.run("LOCK TABLE \(names) IN SHARE ROW EXCLUSIVE MODE")
        } catch {
            guard connection.lastState == "55P03" else { throw error }
            throw .busy(
                "transactions of other programs have written to the tables that the store is to "
                    + "follow, and do not end: start again when they have")
        }
        try connection.run("SET LOCAL lock_timeout = 0")
    }
}

extension Connection {
    /// Returns the text of a statement's one row; empty for null.
    fileprivate func text(_ statement: String) throws(StoreError) -> String {
        let rows = try queryOnce(statement)
        guard rows.count == 1, case .string(let text) = rows.value(0, 0, .text) else { return "" }
        return text
    }
}
