// A store in a database is the one that was opened, whatever becomes of its schema and its tables.

import Foundation
import SteleModel
import StelePersistence
import StelePostgreSQL
import StelePredicates
import SteleSystem
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.shared != nil), .timeLimit(.minutes(30)))
struct StoreIdentityTests: Sendable {
    let teams: Teams
    let server: PostgreSQLServer

    init() throws {
        teams = try Teams()
        server = teams.server
    }

    /// The search path of the role leads to another store, for the connections that are open and for
    /// new ones.
    @Test func theSchemaIsThatOfTheOpening() throws {
        let role = "r" + String(UInt64.random(in: 0 ... .max), radix: 16)
        try server.sql("CREATE ROLE \(role) LOGIN")
        let schema = try teams.makeSchema(ownedBy: role)
        try server.sql("ALTER ROLE \(role) SET search_path = \"$user\", \(schema)")
        let url = "postgresql://\(role)@/postgres?host=\(server.folder)"
        let node = try PostgreSQLStore.open(url: url, model: teams.model)
        defer { node.close() }
        #expect(try teams.save("one", in: node) == 1)
        try server.sql("CREATE SCHEMA \(role) AUTHORIZATION \(role)")
        let other = try PostgreSQLStore.open(url: url, model: teams.model)
        defer { other.close() }
        #expect(other.isNew)
        #expect(try teams.save("two", in: node) == 2)
        try teams.endConnections(of: role)
        #expect(try teams.save("three", in: node) == 3)
        try server.sql("ALTER ROLE \(role) SET search_path = \(role)")
        try teams.endConnections(of: role)
        #expect(try teams.save("four", in: node) == 4)
        #expect(try teams.names(node) == ["one", "two", "three", "four"])
        #expect(try teams.gathered(4, node) == "four")
        #expect(try teams.names(other) == [])
        try node.checkPresence()
    }

    /// Another store takes the name of the schema, and gives it back.
    @Test func anotherStoreOfTheSameNameIsNotTheOneThatWasOpened() throws {
        let (own, foreign) = (try teams.makeSchema(), try teams.makeSchema())
        let (node, other) = (try teams.open(own), try teams.open(foreign))
        defer { node.close() }
        try teams.save("one", in: node)
        try teams.save("theirs", in: other)
        #expect(try teams.names(node) == ["one"])
        other.close()
        let away = own + "away"
        try server.sql(
            "ALTER SCHEMA \(own) RENAME TO \(away); ALTER SCHEMA \(foreign) RENAME TO \(own)")
        let said = teams.answers(node)
        #expect(said.allSatisfy { $0.contains("made again") }, "\(said)")
        teams.waitUntil(node, isGone: true)
        try teams.endConnections(of: own)
        let later = teams.answers(node)
        #expect(later.allSatisfy { $0.contains("made again") }, "\(later)")
        #expect(try server.sql("SELECT zname FROM zteam", schema: own) == ["theirs"])
        try server.sql(
            "ALTER SCHEMA \(own) RENAME TO \(foreign); ALTER SCHEMA \(away) RENAME TO \(own)")
        teams.waitUntil(node, isGone: false)
        #expect(try teams.save("two", in: node) == 2)
        #expect(try teams.names(node) == ["one", "two"])
        #expect(try teams.gathered(2, node) == "two")
    }

    /// A view and an object are one message to the server each, and a save is two.
    @Test func checkingTheStoreSendsNoFurtherMessage() throws {
        let schema = try teams.makeSchema()
        let proxy = try CuttingProxy(to: server.folder)
        defer { proxy.stop() }
        let node = try PostgreSQLStore.open(url: proxy.url(schema: schema), model: teams.model)
        defer { node.close() }
        try teams.save("one", in: node)
        func messages(_ work: () throws -> Void, end: () -> Void = {}) throws -> Int {
            var fewest = Int.max
            // Its connection for notifications asks twice a second.
            for _ in 0..<20 {
                let before = proxy.messages.withLock { $0 }
                try work()
                fewest = min(fewest, proxy.messages.withLock { $0 } - before)
                end()
                // The end of a view is a message that nobody waits for.
                usleep(20_000)
            }
            return fewest
        }
        var found: [String?] = []
        let ofOne = try messages { found.append(try teams.newest(1, node)) }
        let ofSeveral = try messages { found.append(try teams.gathered(1, node)) }
        #expect(ofOne == 1 && ofSeveral == 1)
        #expect(found.allSatisfy { $0 == "one" })
        #expect(try messages { try teams.save("more", in: node) } == 2)
        var view: (any StoreReader)?
        #expect(
            try messages {
                view = try node.reader()
            } end: {
                view?.close()
            } == 1)
    }

    /// What is done to a table of the store, and what takes it back.
    private static let renamings = [
        ("ALTER TABLE zteam RENAME TO old", "ALTER TABLE old RENAME TO zteam"),
        (
            "CREATE TABLE fresh (LIKE zteam INCLUDING ALL); INSERT INTO fresh SELECT * FROM zteam; "
                + "BEGIN; ALTER TABLE zteam RENAME TO old; ALTER TABLE fresh RENAME TO zteam; COMMIT",
            "BEGIN; ALTER TABLE zteam RENAME TO fresh; ALTER TABLE old RENAME TO zteam; COMMIT; "
                + "DROP TABLE fresh"
        ),
    ]

    @Test(arguments: renamings.indices)
    func aTableOfTheSameNameIsNotTheStores(_ number: Int) throws {
        let (change, back) = Self.renamings[number]
        let schema = try teams.makeSchema()
        let node = try teams.open(schema)
        defer { node.close() }
        try teams.save("one", in: node)
        #expect(try teams.names(node) == ["one"])
        try server.sql(change, schema: schema)
        // At once, before the node has looked for the tables.
        let said = teams.answers(node)
        for place in [0, 1] {
            #expect(
                said[place].contains("made again") || said[place].contains("does not exist"),
                "\(said)")
        }
        teams.waitUntil(node, isGone: true)
        #expect(!teams.answers(node).contains("answered"))
        try server.sql(back, schema: schema)
        teams.waitUntil(node, isGone: false)
        #expect(try teams.save("two", in: node) == 2)
        #expect(try teams.names(node) == ["one", "two"])
    }

    /// A column that is not what it was is nothing that the service has done.
    @Test(arguments: [
        ("RENAME zcity TO old", "RENAME old TO zcity"),
        ("ALTER zfounded TYPE text", "ALTER zfounded TYPE bigint USING zfounded::bigint"),
        ("ALTER z_opt TYPE text", "ALTER z_opt TYPE bigint USING z_opt::bigint"),
    ])
    func aColumnThatIsAnotherIsNoErrorOfTheService(_ change: String, _ back: String) throws {
        let schema = try teams.makeSchema()
        let node = try teams.open(schema)
        defer { node.close() }
        for name in ["one", "two"] { try teams.save(name, in: node) }
        #expect(try teams.names(node) == ["one", "two"])
        let before = try server.sql("SELECT MAX(z_pk) FROM zteam", schema: schema)
        try server.sql("ALTER TABLE zteam \(change)", schema: schema)
        let said = teams.answers(node)
        #expect(said.allSatisfy { !$0.hasPrefix("another") }, "\(said)")
        teams.waitUntil(node, isGone: true, saying: "columns")
        #expect(!teams.answers(node).contains("answered"))
        try server.sql(
            "DELETE FROM zteam WHERE z_pk > \(before[0]); ALTER TABLE zteam \(back)",
            schema: schema)
        teams.waitUntil(node, isGone: false)
        try teams.save("three", in: node)
        #expect(try teams.names(node) == ["one", "two", "three"])
    }

    /// A read that meets such a column is refused before the store has looked for it.
    @Test(arguments: [
        ("zfounded", "text", "bigint"), ("z_ent", "text", "bigint"), ("zname", "bytea", "text"),
    ])
    func aColumnOfAnotherTypeIsNotRead(_ column: String, _ type: String, _ former: String) throws {
        let schema = try teams.makeSchema()
        let node = try teams.open(schema)
        defer { node.close() }
        try teams.save("one", in: node)
        try server.sql("UPDATE zteam SET zfounded = 1900", schema: schema)
        func alter(to type: String) throws {
            let value =
                switch (type, former) {
                case ("bytea", _): "convert_to(\(column), 'UTF8')"
                case (_, "text"): "convert_from(\(column), 'UTF8')"
                default: "\(column)::\(type)"
                }
            try server.sql(
                "ALTER TABLE zteam ALTER \(column) DROP DEFAULT, "
                    + "ALTER \(column) TYPE \(type) USING \(value)", schema: schema)
        }
        for _ in 0..<4 {
            #expect(try teams.names(node) == ["one"])
            #expect(try teams.newest(1, node) == "one")
            try alter(to: type)
            let said = teams.answers(node, saves: false).prefix(3)
            #expect(said.allSatisfy { $0.contains("have another type") }, "\(said)")
            teams.waitUntil(node, isGone: true, saying: "columns")
            try alter(to: former)
            teams.waitUntil(node, isGone: false)
        }
    }

    /// A column of another table that refuses a null at the commit has its own error.
    @Test func aRefusedNullOfAnotherTableIsNotTheCounters() throws {
        let schema = try teams.makeSchema()
        let node = try teams.open(schema)
        defer { node.close() }
        try teams.save("one", in: node)
        try server.sql(
            "CREATE TABLE log (zcount bigint NOT NULL); CREATE FUNCTION note() RETURNS trigger "
                + "LANGUAGE plpgsql AS $$ BEGIN INSERT INTO \(schema).log VALUES (NULL); "
                + "RETURN NULL; END $$; CREATE CONSTRAINT TRIGGER noting AFTER INSERT ON zteam "
                + "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note()",
            schema: schema)
        let error = #expect(throws: StoreError.self) { try teams.save("two", in: node) }
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("zcount") && !text.contains("made again"), "\(text)")
        try server.sql("DROP TRIGGER noting ON zteam", schema: schema)
        try teams.save("three", in: node)
        #expect(try teams.names(node) == ["one", "three"])
    }

    /// Columns of others come and go.
    @Test func aColumnOfAnotherProgramIsNotOfTheStore() throws {
        let schema = try teams.makeSchema()
        let node = try teams.open(schema)
        defer { node.close() }
        try server.sql("ALTER TABLE zteam ADD theirs text", schema: schema)
        for change in ["ADD more int", "DROP theirs", "RENAME more TO zname2", "DROP zname2"] {
            try server.sql("ALTER TABLE zteam \(change)", schema: schema)
            usleep(700_000)
            try node.checkPresence()
            try teams.save(change, in: node)
        }
        #expect(try teams.names(node).count == 4)
    }

    /// A table that is changed for another one in the middle of a transaction takes no save.
    @Test func noSaveIsCommittedToAnotherTable() throws {
        let schema = try teams.makeSchema()
        let node = try teams.open(schema)
        defer { node.close() }
        try teams.save("first", in: node)
        let (change, back) = Self.renamings[1]
        let isOver = Atomic<Bool>(false)
        let saved = onThreads(3) { thread -> Set<String> in
            defer { if thread == 0 { isOver.store(true, ordering: .releasing) } }
            if thread == 0 {
                for _ in 0..<20 {
                    try? server.sql(change, schema: schema)
                    let strays = try? server.sql(
                        "SELECT COUNT(*) FROM zteam z LEFT JOIN old o USING (z_pk) "
                            + "WHERE o.z_pk IS NULL", schema: schema)
                    #expect(strays == ["0"])
                    try? server.sql(back, schema: schema)
                }
                return []
            }
            var saved = Set<String>()
            while !isOver.load(ordering: .acquiring) {
                let name = "\(thread).\(saved.count)"
                if (try? teams.save(name, in: node)) != nil { saved.insert(name) }
            }
            return saved
        }
        teams.waitUntil(node, isGone: false)
        let names = Set(try teams.names(node))
        #expect(saved.allSatisfy { $0.isSubset(of: names) })
    }

    @Test func aStoreWithoutItsTablesIsGone() throws {
        let schema = try teams.makeSchema()
        let node = try teams.open(schema)
        defer { node.close() }
        try teams.save("one", in: node)
        #expect(try teams.newest(1, node) == "one")
        try server.sql("ALTER TABLE zteam SET SCHEMA public", schema: schema)
        teams.waitUntil(node, isGone: true)
        #expect(!teams.answers(node).contains("answered"))
        #expect(throws: StoreError.self) { try node.changeMetadata { $0["a"] = .string("b") } }
        try server.sql("ALTER TABLE public.zteam SET SCHEMA \(schema)")
        teams.waitUntil(node, isGone: false)
        #expect(try teams.save("two", in: node) == 2)
        try server.sql("DROP SCHEMA \(schema) CASCADE")
        teams.waitUntil(node, isGone: true)
        let said = teams.answers(node)
        #expect(said.allSatisfy { $0.contains("does not exist any more") }, "\(said)")
    }

    /// The numbers of a store that is restored go back: tokens and ETags of what it lacks must not be
    /// given to others.
    @Test func aDumpThatIsRestoredUnderANodeIsAnotherStore() throws {
        let schema = try teams.makeSchema()
        let node = try teams.open(schema)
        defer { node.close() }
        try teams.save("one", in: node)
        let folder = try TemporaryFolder()
        try server.run("pg_dump", "-Fc", "-n", schema, "-f", "\(folder.path)/dump")
        try teams.save("two", in: node)
        #expect(try teams.names(node) == ["one", "two"])
        try server.run("pg_restore", "--clean", "\(folder.path)/dump")
        // The node may have looked between two statements of the restore.
        let answers = teams.answers(node)
        #expect(
            answers.allSatisfy { $0.contains("made again") || $0.contains("does not exist") },
            "\(answers)")
        teams.waitUntil(node, isGone: true, saying: "made again")
        let said = teams.answers(node)
        #expect(said.allSatisfy { $0.contains("made again") }, "\(said)")
        let next = try teams.open(schema)
        defer { next.close() }
        #expect(next.generation != node.generation && next.identifier == node.identifier)
        #expect(try teams.save("other", in: next) == 2)
        #expect(try teams.names(next) == ["one", "other"])
        #expect(!teams.answers(node).contains("answered"))
    }

    /// The tables are the same, and have what they had: as after a restore of the data alone, or of
    /// the server.
    @Test func aStoreThatIsTakenBackHasANewGeneration() throws {
        let schema = try teams.makeSchema()
        let nodes = try (0..<2).map { _ in try teams.open(schema) }
        defer { nodes.forEach { $0.close() } }
        try teams.save("one", in: nodes[0])
        let folder = try TemporaryFolder()
        try server.run(
            "pg_dump", "-Fc", "--data-only", "-n", schema, "-f", "\(folder.path)/dump")
        for name in ["two", "three"] { try teams.save(name, in: nodes[0]) }
        for node in nodes { #expect(try teams.names(node) == ["one", "two", "three"]) }
        let tables = try server.sql(
            "SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') FROM pg_tables "
                + "WHERE schemaname = '\(schema)'")
        try server.sql("TRUNCATE \(tables[0])")
        try server.run(
            "pg_restore", "--data-only", "--single-transaction", "\(folder.path)/dump")
        for node in nodes { teams.waitUntil(node, isGone: true, saying: "taken back") }
        for node in nodes { #expect(!teams.answers(node).contains("answered")) }
        let next = try teams.open(schema)
        defer { next.close() }
        #expect(next.generation != nodes[0].generation)
        // Beyond what they have seen they are gone, too.
        for name in ["a", "b", "c", "d"] { try teams.save(name, in: next) }
        for node in nodes { #expect(!teams.answers(node).contains("answered")) }
        #expect(try teams.names(next) == ["one", "a", "b", "c", "d"])
        let again = try teams.open(schema)
        defer { again.close() }
        #expect(again.generation == next.generation)
        #expect(try teams.save("e", in: again) == 6)
        #expect(try teams.names(next).count == 6)
    }
}
