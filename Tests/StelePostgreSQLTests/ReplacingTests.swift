// A store is replaced by one that a mapping model makes of it.

import Foundation
import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import StelePostgreSQL
import StelePredicates
import SteleSystem
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.shared != nil), .timeLimit(.minutes(30)))
struct ReplacingTests: Sendable {
    let server: PostgreSQLServer
    let schema: String
    let url: String
    let old: Model
    let new: Model

    init() throws {
        server = try #require(PostgreSQLServer.shared)
        schema = "s" + String(UInt64.random(in: 0 ... .max), radix: 16)
        url = server.url(schema: schema)
        try server.sql("CREATE SCHEMA \(schema)")
        old = try makeModel([
            EntityMaker("Person").attribute("first", .string).attribute("last", .string)
                .toMany("pets", "Pet", inverse: "owner"),
            EntityMaker("Pet").attribute("name", .string)
                .toOne("owner", "Person", inverse: "pets"),
        ])
        new = try makeModel([
            EntityMaker("Note").attribute("text", .string),
            EntityMaker("Person").attribute("name", .string)
                .toMany("pets", "Pet", inverse: "owner"),
            EntityMaker("Pet").attribute("name", .string)
                .toOne("owner", "Person", inverse: "pets"),
        ])
        let store = try PostgreSQLStore.open(url: url, model: old)
        defer { store.close() }
        let context = ManagedObjectContext(PersistentStoreCoordinator(store: store))
        defer { context.close() }
        for (first, last) in [("Ann", "Lee"), ("Bo", "Ek"), ("Cy", "Orr")] {
            let person = try context.insert(old.named("Person"))
            person["first"] = .string(first)
            person["last"] = .string(last)
            let pet = try context.insert(old.named("Pet"))
            pet["name"] = .string(first + "'s")
            guard case .relationship(let owner)? = pet.entity.property(named: "owner") else {
                continue
            }
            try pet.setToOne(owner, person)
            try context.save()
        }
    }

    func remove() { _ = try? server.sql("DROP SCHEMA IF EXISTS \(schema) CASCADE") }

    func mapping(_ expression: String) throws -> MappingModel {
        var people = EntityMapping(
            name: "People", mappingType: .custom, source: "Person", destination: "Person")
        people.attributeMappings = [
            PropertyMapping(name: "name", value: .expression(try Expression(format: expression)))
        ]
        people.relationshipMappings = [PropertyMapping(name: "pets", value: .source("pets"))]
        var pets = EntityMapping(
            name: "Pets", mappingType: .custom, source: "Pet", destination: "Pet")
        pets.attributeMappings = [PropertyMapping(name: "name", value: .source("name"))]
        return MappingModel([people, pets])
    }

    /// Replaces the store by a mapping model.
    func replace(
        url other: String? = nil, by expression: String = "$source.first + ' ' + $source.last",
        meanwhile: () throws -> Void = {}
    ) throws -> Bool {
        let mapping = try mapping(expression)
        return try PostgreSQLStore.replace(url: other ?? url, from: old, to: new) {
            old, makeEmpty in
            let next = try makeEmpty(new)
            try MigrationManager(from: old, to: next, mappingModel: mapping).migrate()
            try next.adoptMetadata(of: old)
            try meanwhile()
        }
    }

    /// The people with their pets, by key.
    func people(_ store: PostgreSQLStore, _ attribute: String) throws -> [String] {
        let reader = try store.reader()
        defer { reader.close() }
        let entity = try store.model.named("Person")
        guard case .relationship(let pets)? = entity.property(named: "pets") else { return [] }
        let found = try reader.fetch(FetchRequest(entity: entity))
        let members = try reader.members(of: pets, owners: found.map(\.key))
        return found.map { person in
            var name = "-"
            if case .string(let text)? = person.value(attribute, in: store.model) { name = text }
            return "\(person.key) \(name) \(members[person.key] ?? [])"
        }
    }

    /// The people of the old store, which must be as they were.
    func checkOld() throws {
        let store = try PostgreSQLStore.open(url: url, model: old)
        defer { store.close() }
        #expect(try people(store, "first") == ["1 Ann [1]", "2 Bo [2]", "3 Cy [3]"])
        #expect(try store.reader().token == 3)
    }

    /// The schemas that migrations of the store have left.
    func left() throws -> [String] {
        try server.sql(
            "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'stele_migration_' "
                + "|| '\(schema)'::regnamespace::oid || '%'")
    }

    @Test func theNewStoreTakesThePlaceOfTheOldOne() throws {
        defer { remove() }
        let node = try PostgreSQLStore.open(url: url, model: old)
        defer { node.close() }
        try node.changeMetadata { $0["owner"] = .string("ops") }
        let generation = node.generation
        #expect(try replace())
        do {
            _ = try node.reader()
            Issue.record("it reads the store of before")
        } catch StoreError.gone {}
        #expect(throws: StoreError.self) { try PostgreSQLStore.open(url: url, model: old) }
        let store = try PostgreSQLStore.open(url: url, model: new)
        defer { store.close() }
        #expect(try people(store, "name") == ["1 Ann Lee [1]", "2 Bo Ek [2]", "3 Cy Orr [3]"])
        #expect(store.identifier == node.identifier && store.generation != generation)
        #expect(try store.metadata["owner"] == .string("ops"))
        let context = ManagedObjectContext(PersistentStoreCoordinator(store: store))
        defer { context.close() }
        let made = try context.insert(new.named("Person"))
        try context.save()
        #expect(made.objectID.key == 4)
        #expect(try left() == [])
        // The tables, columns and indexes are those of a new store, and the functions work.
        let fresh = "f" + schema
        try server.sql("CREATE SCHEMA \(fresh)")
        defer { _ = try? server.sql("DROP SCHEMA \(fresh) CASCADE") }
        try PostgreSQLStore.open(url: server.url(schema: fresh), model: new).close()
        #expect(try lines(of: schema) == lines(of: fresh))
        var request = FetchRequest(entity: try new.named("Person"))
        request.predicate = try Predicate(format: "name ==[cd] 'ÀNN lee'")
        let reader = try store.reader()
        defer { reader.close() }
        #expect(try reader.count(request) == 1)
        // It is done.
        #expect(try !replace())
    }

    /// The columns, indexes and functions of a schema.
    func lines(of schema: String) throws -> [String] {
        let found = try server.sql(
            "SELECT table_name || '.' || column_name || ' ' || data_type "
                + "FROM information_schema.columns WHERE table_schema = '\(schema)' "
                + "UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = '\(schema)' "
                + "UNION ALL SELECT proname || pg_get_function_identity_arguments(oid) "
                + "FROM pg_proc WHERE pronamespace = '\(schema)'::regnamespace ORDER BY 1")
        return found.map { $0.replacing(schema + ".", with: "") }
    }

    @Test func severalStepsAreOneReplacement() throws {
        defer { remove() }
        let last = try makeModel([
            EntityMaker("Person").attribute("title", .string).attribute("name", .string)
                .toMany("pets", "Pet", inverse: "owner"),
            EntityMaker("Pet").attribute("name", .string)
                .toOne("owner", "Person", inverse: "pets"),
        ])
        let mapping = try mapping("$source.last")
        #expect(
            try PostgreSQLStore.replace(url: url, from: old, to: last) { old, makeEmpty in
                let between = try makeEmpty(new)
                try MigrationManager(from: old, to: between, mappingModel: mapping).migrate()
                try MigrationManager(
                    from: between, to: try makeEmpty(last),
                    mappingModel: try .inferred(from: new, to: last)
                ).migrate()
            })
        let store = try PostgreSQLStore.open(url: url, model: last)
        defer { store.close() }
        #expect(try people(store, "name") == ["1 Lee [1]", "2 Ek [2]", "3 Orr [3]"])
        #expect(try left() == [])
    }

    @Test func afterAnErrorTheStoreIsAsItWas() throws {
        defer { remove() }
        struct Stop: Error {}
        let node = try PostgreSQLStore.open(url: url, model: old)
        defer { node.close() }
        #expect(throws: Stop.self) { try replace { throw Stop() } }
        #expect(throws: MigrationError.self) { try replace(by: "$source.nothing") }
        #expect(throws: StoreError.self) {
            try PostgreSQLStore.replace(url: url, from: old, to: new) { _, _ in }
        }
        #expect(throws: StoreError.self) {
            try PostgreSQLStore.replace(url: url, from: old, to: new) { _, makeEmpty in
                _ = try makeEmpty(old)
            }
        }
        #expect(try left() == [])
        // The node of before has lost its connections, and nothing else.
        #expect(try people(node, "last") == ["1 Lee [1]", "2 Ek [2]", "3 Orr [3]"])
        try checkOld()
    }

    /// A program that is cut off or killed leaves a schema, which the next migration removes.
    @Test func whatWasCutOffIsRemovedByTheNext() throws {
        defer { remove() }
        #expect(throws: StoreError.self) {
            try replace {
                try server.sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_locks "
                        + "WHERE relation = '\(schema).stele_commit'::regclass "
                        + "AND mode = 'RowShareLock'")
            }
        }
        #expect(try left() == [])
        try checkOld()
        let number = try server.sql("SELECT '\(schema)'::regnamespace::oid")[0]
        try server.sql(
            "CREATE SCHEMA stele_migration_\(number)_1; "
                + "CREATE TABLE stele_migration_\(number)_1.zperson (n int)")
        #expect(try replace())
        #expect(try left() == [])
        // Also by one in place.
        try server.sql("CREATE SCHEMA stele_migration_\(number)_left_1")
        let next = try makeModel([EntityMaker("Note").attribute("text", .string)])
        #expect(
            try PostgreSQLStore.migrate(
                url: url, from: new, to: next, by: try .inferred(from: new, to: next)))
        #expect(try left() == [])
    }

    @Test func savesBesideItAreRefused() throws {
        defer { remove() }
        let node = try PostgreSQLStore.open(url: url, model: old)
        defer { node.close() }
        #expect(
            try replace {
                #expect(throws: StoreError.self) { try node.reader() }
                #expect(throws: StoreError.self) {
                    try node.changeMetadata { $0["late"] = .bool(true) }
                }
            })
        let store = try PostgreSQLStore.open(url: url, model: new)
        defer { store.close() }
        #expect(try store.metadata["late"] == nil)
    }

    /// The database ends the transaction that has waited longest, which is the migration's.
    @Test(arguments: [("zperson", "zpet"), ("zpet", "zperson")], [false, true])
    func aDeadlockWithAReaderOfSeveralTablesIsNoEnd(
        _ tables: (String, String), _ isInPlace: Bool
    ) throws {
        defer { remove() }
        let (first, second) = tables
        // Both tables lose a column.
        let less = try makeModel([
            EntityMaker("Person").attribute("first", .string)
                .toMany("pets", "Pet", inverse: "owner"),
            EntityMaker("Pet").toOne("owner", "Person", inverse: "pets"),
        ])
        let relation = "relation = '\(schema).\(first)'::regclass"
        let results = onThreads(2) { thread -> Bool in
            if thread == 0 {
                // It reads the second table when the migration waits for the first.
                _ = try? server.sql(
                    """
                    BEGIN; SELECT count(*) FROM \(first);
                    DO $$ BEGIN FOR i IN 1..1000 LOOP
                    PERFORM 1 FROM pg_locks WHERE \(relation) AND NOT granted;
                    EXIT WHEN FOUND; PERFORM pg_sleep(0.02); END LOOP; END $$;
                    SELECT count(*) FROM \(second); COMMIT
                    """, schema: schema)
                return true
            }
            do {
                try waitUntil {
                    try server.sql(
                        "SELECT 1 FROM pg_locks WHERE \(relation) AND granted "
                            + "AND mode = 'AccessShareLock'") == ["1"]
                }
                guard isInPlace else { return try replace() }
                return try PostgreSQLStore.migrate(
                    url: url, from: old, to: less, by: try .inferred(from: old, to: less))
            } catch {
                Issue.record("\(error)")
                return false
            }
        }
        #expect(results == [true, true])
    }

    /// The metadata may be changed by a program that is not a node, and a store be inspected, while
    /// it is replaced: neither stops the other for good.
    @Test func otherCommandsBesideItAreRefusedOrDone() throws {
        defer { remove() }
        let (url, old) = (self.url, self.old)
        let isDone = Mutex(false)
        let problems = Mutex<[String]>([])
        let work: @Sendable (Int) -> Void = { thread in
            while !isDone.withLock({ $0 }) {
                do {
                    if thread == 0 {
                        try PostgreSQLStore.changeMetadata(url: url) { $0["a"] = .integer(1) }
                    } else {
                        let found = try PostgreSQLStore.inspect(url: url, among: [old])
                        let wrong = found.differences.filter { !$0.hasPrefix("NSStoreModel") }
                        if !wrong.isEmpty { problems.withLock { $0 += wrong } }
                    }
                } catch StoreError.busy {} catch StoreError.unavailable {} catch {
                    problems.withLock { $0.append("\(error)") }
                }
            }
        }
        let results = onThreads(3) { thread -> Bool in
            if thread < 2 {
                work(thread)
                return true
            }
            defer { isDone.withLock { $0 = true } }
            do { return try replace() } catch {
                problems.withLock { $0.append("replace: \(error)") }
                return false
            }
        }
        #expect(problems.withLock { $0 } == [])
        #expect(results == [true, true, true])
        let store = try PostgreSQLStore.open(url: url, model: new)
        store.close()
    }
}
