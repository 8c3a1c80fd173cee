// What others have made of the tables of a store that is replaced, and their rights on them.

import Foundation
import SteleModel
import StelePersistence
import StelePostgreSQL
import TestSupport
import Testing

extension ReplacingTests {
    /// The rights of other users on the tables stay, and the defaults of the schema are those of
    /// new ones.
    @Test func othersKeepTheirRights() throws {
        let role = "r" + schema
        try changeRights(
            "CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(schema) TO \(role); "
                + "GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA \(schema) TO \(role); "
                + "ALTER DEFAULT PRIVILEGES IN SCHEMA \(schema) GRANT SELECT ON TABLES TO \(role)")
        defer {
            remove()
            try? changeRights("DROP OWNED BY \(role); DROP ROLE \(role)")
        }
        #expect(try replace())
        let rights = try server.sql(
            "SELECT DISTINCT string_agg(privilege_type, ' ' ORDER BY privilege_type) "
                + "FROM information_schema.role_table_grants WHERE grantee = '\(role)' "
                + "AND table_schema = '\(schema)' GROUP BY table_name, table_name = 'znote' "
                + "ORDER BY 1")
        #expect(rights == ["INSERT SELECT", "SELECT"])
        #expect(
            try server.sql(
                "SELECT table_name FROM information_schema.role_table_grants "
                    + "WHERE grantee = '\(role)' AND table_schema = '\(schema)' "
                    + "GROUP BY 1 HAVING COUNT(*) = 1") == ["znote"])
    }

    /// What others have made of the tables is not lost: it is named before the new store is made.
    @Test func whatOthersHaveMadeStays() throws {
        defer { remove() }
        let others = [
            ("VIEW report", "CREATE VIEW report AS SELECT zfirst FROM zperson", "view report"),
            (
                "TABLE visit", "CREATE TABLE visit (person bigint REFERENCES zperson)",
                "constraint visit_person_fkey"
            ),
            (
                "FUNCTION tally()",
                "CREATE FUNCTION tally() RETURNS bigint BEGIN ATOMIC SELECT COUNT(*) FROM zpet; END",
                "function tally()"
            ),
            (
                "VIEW folded", "CREATE VIEW folded AS SELECT stele1_fold('A', 1)",
                "view folded depends on function stele1_fold"
            ),
            ("TABLE znote", "CREATE TABLE znote (mine text)", "has znote of another program"),
            (
                "POLICY own ON zperson", "CREATE POLICY own ON zperson USING (true)",
                "row-level security, which zperson has"
            ),
        ]
        for (name, creation, sign) in others {
            try server.sql(creation, schema: schema)
            var isMade = false
            do {
                _ = try replace { isMade = true }
                Issue.record("replaced beside \(name)")
            } catch StoreError.incompatible(let code, let text) {
                #expect(code == 134110 && text.contains(sign), "\(text)")
            }
            #expect(!isMade)
            try server.sql("DROP \(name)", schema: schema)
        }
        try checkOld()
        #expect(try left() == [])
        #expect(try replace())
    }

    /// The owner and the rights of others are exactly those of before, also where a superuser
    /// migrates and the defaults have changed meanwhile.
    @Test func ownersAndRightsAreThoseOfBefore() throws {
        let (owner, reader, superuser) = ("o" + schema, "r" + schema, "u" + schema)
        // A superuser of the test's own: the defaults of another test's would be in its dumps.
        try changeRights(
            "CREATE ROLE \(owner) LOGIN; CREATE ROLE \(reader) LOGIN; "
                + "CREATE ROLE \(superuser) LOGIN SUPERUSER; "
                + "ALTER SCHEMA \(schema) OWNER TO \(owner); \(giving("TABLE", to: owner)); "
                + "\(giving("FUNCTION", to: owner)); GRANT USAGE ON SCHEMA \(schema) TO \(reader); "
                + "GRANT SELECT ON \(schema).zpet TO \(reader) WITH GRANT OPTION; "
                + "REVOKE EXECUTE ON FUNCTION \(schema).stele1_length(text) FROM PUBLIC; "
                + "ALTER DEFAULT PRIVILEGES FOR ROLE \(owner) IN SCHEMA \(schema) "
                + "GRANT UPDATE ON TABLES TO \(reader); "
                + "ALTER DEFAULT PRIVILEGES FOR ROLE \(superuser) "
                + "GRANT SELECT ON TABLES TO \(reader)")
        defer {
            remove()
            let roles = "\(owner), \(reader), \(superuser)"
            try? changeRights("DROP OWNED BY \(roles); DROP ROLE \(roles)")
        }
        let before = try rights()
        #expect(try replace(url: url.replacing("//postgres@", with: "//\(superuser)@")))
        #expect(try rights().filter { !$0.hasPrefix("znote") } == before)
        let added = try rights().filter { $0.hasPrefix("znote") }
        #expect(added.count == 1 && added[0].contains("\(reader)=w/\(owner)"), "\(added)")
        // The owner can migrate it again.
        let last = try makeModel([EntityMaker("Note").attribute("text", .string)])
        let mine = url.replacing("//postgres@", with: "//\(owner)@")
        try changeRights("GRANT CREATE ON DATABASE postgres TO \(owner)")
        #expect(
            try PostgreSQLStore.replace(url: mine, from: new, to: last) { _, makeEmpty in
                _ = try makeEmpty(last)
            })
    }

    /// Changes rights on the database, one test at a time: they are a row that the tests share, and
    /// PostgreSQL ends all but one of the commands that change it at once with "tuple concurrently
    /// updated".
    private func changeRights(_ statements: String) throws {
        try server.sql("DO $$ BEGIN PERFORM pg_advisory_xact_lock(1); END $$; " + statements)
    }

    private func giving(_ kind: String, to role: String) -> String {
        let names =
            kind == "TABLE"
            ? "SELECT relname::text AS t FROM pg_class WHERE relkind = 'r' AND relnamespace"
            : "SELECT format('%I(%s)', proname, pg_get_function_identity_arguments(oid)) AS t "
                + "FROM pg_proc WHERE pronamespace"
        return "DO $$ DECLARE n text; BEGIN "
            + "FOR n IN \(names) = '\(schema)'::regnamespace LOOP "
            + "EXECUTE 'ALTER \(kind) \(schema).' || n || ' OWNER TO \(role)'; END LOOP; END $$"
    }

    /// The tables and functions with their owners and rights.
    private func rights() throws -> [String] {
        try server.sql(
            "SELECT relname || ' ' || relowner::regrole || ' ' || "
                + "(SELECT string_agg(a::text, ' ' ORDER BY a::text) "
                + "FROM unnest(COALESCE(relacl, acldefault('r', relowner))) a) FROM pg_class "
                + "WHERE relkind = 'r' AND relnamespace = '\(schema)'::regnamespace "
                + "UNION ALL SELECT proname || ' ' || proowner::regrole || ' ' || "
                + "(SELECT string_agg(a::text, ' ' ORDER BY a::text) "
                + "FROM unnest(COALESCE(proacl, acldefault('f', proowner))) a) FROM pg_proc "
                + "WHERE pronamespace = '\(schema)'::regnamespace ORDER BY 1")
    }

    @Test func anotherThanTheOwnerIsRefusedAtOnce() throws {
        let role = "r" + schema
        try changeRights(
            "CREATE ROLE \(role) LOGIN; GRANT ALL ON SCHEMA \(schema) TO \(role); "
                + "GRANT CREATE ON DATABASE postgres TO \(role); "
                + "GRANT ALL ON ALL TABLES IN SCHEMA \(schema) TO \(role)")
        defer {
            remove()
            try? changeRights("DROP OWNED BY \(role); DROP ROLE \(role)")
        }
        var isMade = false
        do {
            _ = try replace(url: url.replacing("//postgres@", with: "//\(role)@")) { isMade = true }
            Issue.record("replaced")
        } catch StoreError.incompatible(let code, let text) {
            #expect(code == 134080 && text.contains("must own the tables"), "\(text)")
        }
        #expect(!isMade)
        try checkOld()
    }

    @Test func withoutTheRightToCreateSchemasItIsRefused() throws {
        let role = "r" + schema
        try changeRights(
            "CREATE ROLE \(role) LOGIN; ALTER SCHEMA \(schema) OWNER TO \(role); "
                + "DO $$ DECLARE t text; BEGIN FOR t IN SELECT tablename FROM pg_tables "
                + "WHERE schemaname = '\(schema)' LOOP "
                + "EXECUTE 'ALTER TABLE \(schema).' || t || ' OWNER TO \(role)'; END LOOP; END $$")
        defer {
            remove()
            try? changeRights("DROP OWNED BY \(role); DROP ROLE \(role)")
        }
        let limited = url.replacing("//postgres@", with: "//\(role)@")
        do {
            _ = try replace(url: limited)
            Issue.record("replaced")
        } catch StoreError.incompatible(let code, let text) {
            #expect(code == 134080 && text.contains("GRANT CREATE ON DATABASE"), "\(text)")
        }
        try checkOld()
    }
}
