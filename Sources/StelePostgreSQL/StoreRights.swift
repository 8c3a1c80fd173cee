/// The rights of other users on tables and functions of the connection's schema, as SELECTs of the
/// statements that give and take them.
struct StoreRights {
    private let tables: String
    private let functions: String

    /// - Parameters:
    ///   - tables: the names of the tables.
    ///   - functions: those of the functions, with the types of their arguments.
    init(tables: [String], functions: [String]) {
        self.tables = tables.literals
        self.functions = functions.literals
    }

    private static let grantee =
        "CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END"
    private static let option = "CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END"
    private static let table = "format('TABLE %I.%I', current_schema(), c.relname)"
    private static let function =
        "format('FUNCTION %I.%I(%s)', current_schema(), c.proname, "
        + "pg_get_function_identity_arguments(c.oid))"

    /// The rights on those that are there.
    var grants: String {
        func grant(_ object: String, _ source: String) -> String {
            "SELECT 'GRANT ' || a.privilege_type || ' ON ' || \(object) || ' TO ' || "
                + "\(Self.grantee) || \(Self.option) \(source)"
        }
        return grant(Self.table, ofTables) + " UNION ALL " + grant(Self.function, ofFunctions)
    }

    /// Takes all of them away.
    var revocations: String {
        "SELECT DISTINCT 'REVOKE ALL ON ' || \(Self.table) || ' FROM ' || \(Self.grantee) "
            + "\(ofTables) UNION ALL SELECT DISTINCT 'REVOKE ALL ON ' || \(Self.function) "
            + "|| ' FROM ' || \(Self.grantee) \(ofFunctions)"
    }

    /// The rights that tables have by default which are not there yet.
    var defaults: String {
        "SELECT format('GRANT %s ON TABLE %I.%I TO ', a.privilege_type, current_schema(), t.name) "
            + "|| \(Self.grantee) || \(Self.option) FROM pg_class m "
            + "JOIN pg_default_acl d ON d.defaclrole = m.relowner AND d.defaclobjtype = 'r' "
            + "AND d.defaclnamespace IN (0, m.relnamespace) "
            + "CROSS JOIN LATERAL aclexplode(d.defaclacl) a "
            + "CROSS JOIN unnest(ARRAY[\(tables)]::name[]) AS t(name) "
            + "WHERE m.relname = 'z_metadata' AND m.relnamespace = \(PostgreSQLWords.ownSchema) "
            + "AND a.grantee <> d.defaclrole AND t.name NOT IN (SELECT c.relname FROM pg_class c "
            + "WHERE c.relnamespace = m.relnamespace)"
    }

    private var ofTables: String {
        "FROM pg_class c CROSS JOIN LATERAL "
            + "aclexplode(COALESCE(c.relacl, acldefault('r', c.relowner))) a "
            + "WHERE c.relnamespace = \(PostgreSQLWords.ownSchema) AND c.relname IN (\(tables)) "
            + "AND a.grantee <> c.relowner"
    }

    private var ofFunctions: String {
        "FROM pg_proc c CROSS JOIN LATERAL "
            + "aclexplode(COALESCE(c.proacl, acldefault('f', c.proowner))) a "
            + "WHERE c.pronamespace = \(PostgreSQLWords.ownSchema) "
            + "AND format('%I(%s)', c.proname, pg_get_function_identity_arguments(c.oid)) "
            + "IN (\(functions)) AND a.grantee <> c.proowner"
    }
}
