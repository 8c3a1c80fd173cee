// A store is migrated while other programs have it open.

import Foundation
import SteleMigration
import SteleModel
import StelePersistence
import StelePostgreSQL
import StelePredicates
import SteleSystem
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.shared != nil), .timeLimit(.minutes(30)))
struct NodeMigrationTests: Sendable {
    let url: String
    let old: Model
    let new: Model

    init() throws {
        url = try #require(PostgreSQLServer.shared).url(path: UUID().uuidString)
        let person = EntityMaker("Person").attribute("name", .string)
        old = try makeModel([person])
        new = try makeModel([EntityMaker("Animal"), person.attribute("nick", .string)])
    }

    func open(_ model: Model) throws -> PostgreSQLStore {
        try PostgreSQLStore.open(url: url, model: model)
    }

    func migrate(_ from: Model, _ to: Model) throws -> Bool {
        try PostgreSQLStore.migrate(
            url: url, from: from, to: to, by: try .inferred(from: from, to: to))
    }

    func person(_ name: String, in model: Model) throws -> SaveRequest {
        let entity = try #require(model.entity(named: "Person"))
        var request = SaveRequest(readToken: 0)
        request.changes = [
            ObjectChange(
                .insert, entity: entity.index, key: -1, values: entity.row(["name": .string(name)]))
        ]
        return request
    }

    func names(_ store: PostgreSQLStore) throws -> [String] {
        let reader = try store.reader()
        defer { reader.close() }
        let entity = try #require(store.model.entity(named: "Person"))
        return try reader.fetch(FetchRequest(entity: entity)).compactMap {
            if case .string(let name)? = $0.value("name", in: store.model) { name } else { nil }
        }
    }

    func isGone(_ work: () throws -> Void) -> Bool {
        do { try work() } catch StoreError.gone(let text) {
            return text.contains("another version of its model")
        } catch { Issue.record("\(error)") }
        return false
    }

    @Test func aNodeOfTheModelBeforeReadsAndSavesNoMore() throws {
        let node = try open(old)
        defer { node.close() }
        let witness = Witness()
        node.observe(witness)
        _ = try node.save(person("a", in: old))
        let view = try node.reader()
        #expect(try view.token == 1)
        #expect(try migrate(old, new))
        #expect(isGone { _ = try node.save(person("b", in: old)) })
        #expect(isGone { try node.reader().close() })
        // The numbers of entities are others now.
        #expect(isGone { _ = try node.newest(ObjectID(root: 0, key: 1)) })
        #expect(throws: StoreError.self) { try view.fetch(FetchRequest(entity: old.entities[0])) }
        view.close()
        let end = MonotonicClock.deadline(in: 20)
        while witness.elsewhere.withLock({ $0 }) == 0, MonotonicClock.now < end { usleep(10_000) }
        #expect(witness.elsewhere.withLock { $0 } > 0)
        #expect(throws: StoreError.self) { try open(old) }
        let next = try open(new)
        defer { next.close() }
        #expect(try names(next) == ["a"])
        #expect(try next.save(person("b", in: new)).token == 2)
        #expect(next.generation == node.generation)
    }

    /// A store in another schema of the same database stays as it is, with its connections.
    @Test func otherStoresOfTheDatabaseAreLeftAlone() throws {
        let server = try #require(PostgreSQLServer.shared)
        let other = try PostgreSQLStore.open(
            url: server.url(path: UUID().uuidString), model: old)
        defer { other.close() }
        let view = try other.reader()
        try open(old).close()
        #expect(try migrate(old, new))
        #expect(try view.fetch(FetchRequest(entity: old.entities[0])).isEmpty)
        view.close()
        _ = try other.save(person("a", in: old))
    }

    @Test func aMigrationThatFailsLeavesTheNodesGoingOn() throws {
        let strict = try makeModel([
            EntityMaker("Person").attribute("name", .string).unique("name")
        ])
        let node = try open(old)
        defer { node.close() }
        for _ in 0..<2 { _ = try node.save(person("same", in: old)) }
        do {
            _ = try migrate(old, strict)
            Issue.record("migrated")
        } catch StoreError.incompatible(let code, let text) {
            #expect(code == 134110 && text.contains("must be unique"))
        }
        #expect(try node.save(person("b", in: old)).token == 3)
        #expect(try names(node) == ["same", "same", "b"])
    }

    /// Each save is answered and stored, or refused and not stored.
    @Test func savesBesideAMigrationAreWholeOrRefused() throws {
        let nodes = try (0..<2).map { _ in try open(old) }
        defer { nodes.forEach { $0.close() } }
        let answered = Mutex<[String]>([])
        let problems = Mutex<[String]>([])
        let stage = self
        let migrated = Mutex(0)
        _ = onThreads(6) { thread in
            if thread >= 4 {
                // Two programs migrate at the same time, and one of them does it.
                usleep(150_000)
                do {
                    if try stage.migrate(stage.old, stage.new) { migrated.withLock { $0 += 1 } }
                } catch { problems.withLock { $0.append("\(error)") } }
                return
            }
            for number in 0..<100_000 {
                let name = "\(thread) \(number)"
                do {
                    _ = try nodes[thread % 2].save(stage.person(name, in: stage.old))
                    answered.withLock { $0.append(name) }
                } catch StoreError.gone { return } catch StoreError.busy {} catch {
                    problems.withLock { $0.append("\(error)") }
                    return
                }
            }
        }
        #expect(problems.withLock { $0 } == [])
        #expect(migrated.withLock { $0 } == 1)
        let next = try open(new)
        defer { next.close() }
        let stored = try names(next)
        #expect(stored.sorted() == answered.withLock { $0.sorted() } && !stored.isEmpty)
        let reader = try next.reader()
        defer { reader.close() }
        #expect(try reader.token == Int64(stored.count))
    }

    /// A program that is cut off in the midst of a migration leaves the store as it was.
    @Test func aMigrationThatIsCutOffLeavesTheStoreAsItWas() throws {
        let server = try #require(PostgreSQLServer.shared)
        let node = try open(old)
        _ = try node.save(person("a", in: old))
        node.close()
        let schema = String(url.split(separator: "%3D").last ?? "")
        #expect(throws: StoreError.self) {
            try PostgreSQLStore.migrate(
                url: url, from: old, to: new, by: try .inferred(from: old, to: new)
            ) { _ in
                _ = try? server.sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_locks "
                        + "WHERE relation = 'stele_commit'::regclass AND mode = 'RowShareLock'",
                    schema: schema)
            }
        }
        let again = try open(old)
        #expect(try names(again) == ["a"])
        again.close()
        #expect(try migrate(old, new))
    }

    /// A transaction of another program that does not let go of the tables is named.
    @Test func whoKeepsTheTablesIsNamed() throws {
        try open(old).close()
        let server = try #require(PostgreSQLServer.shared)
        let schema = String(url.split(separator: "%3D").last ?? "")
        let other = onThreads(2) { [self] thread -> String in
            if thread == 0 {
                _ = try? server.sql(
                    "BEGIN; SELECT COUNT(*) FROM zperson; SELECT pg_sleep(34); COMMIT",
                    schema: schema)
                return ""
            }
            usleep(500_000)
            do {
                _ = try migrate(old, try makeModel([EntityMaker("Animal")]))
                return "migrated"
            } catch { return "\(error)" }
        }
        let said = other.first { !$0.isEmpty } ?? ""
        #expect(said.contains("process ") && said.contains("(psql, active)"), "\(said)")
    }
}
