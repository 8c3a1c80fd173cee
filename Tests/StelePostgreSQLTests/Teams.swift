// Stores of the tests of a store's identity.

import Foundation
import SteleModel
import StelePersistence
import StelePostgreSQL
import StelePredicates
import SteleSystem
import TestSupport
import Testing

/// Saves teams to stores and reads their names.
struct Teams: Sendable {
    let server: PostgreSQLServer
    let model: Model

    init() throws {
        server = try #require(PostgreSQLServer.shared)
        model = try sampleModel("League")
    }

    /// Makes a schema, and returns its name.
    func makeSchema(ownedBy role: String = "postgres") throws -> String {
        let schema = "i" + String(UInt64.random(in: 0 ... .max), radix: 16)
        try server.sql("CREATE SCHEMA \(schema) AUTHORIZATION \(role)")
        return schema
    }

    func open(_ schema: String) throws -> PostgreSQLStore {
        try PostgreSQLStore.open(
            url: server.url(schema: schema) + "&application_name=\(schema)", model: model)
    }

    @discardableResult
    func save(_ name: String, in store: PostgreSQLStore) throws -> Int64 {
        let team = try #require(model.entity(named: "Team"))
        var request = SaveRequest(readToken: 0)
        request.changes = [
            ObjectChange(
                .insert, entity: team.index, key: -1, values: team.row(["name": .string(name)]))
        ]
        return try store.save(request).token
    }

    func names(_ store: PostgreSQLStore) throws -> [String] {
        let reader = try store.reader()
        defer { reader.close() }
        return try names(reader)
    }

    func names(_ reader: any StoreReader) throws -> [String] {
        let team = try #require(model.entity(named: "Team"))
        return try reader.fetch(FetchRequest(entity: team)).map(name)
    }

    func newest(_ key: Int64, _ store: PostgreSQLStore) throws -> String? {
        let team = try #require(model.entity(named: "Team"))
        return try store.newest(ObjectID(root: team.root, key: key)).map(name)
    }

    /// Reads an object as a GET does, with others.
    func gathered(_ key: Int64, _ store: PostgreSQLStore) throws -> String? {
        let team = try #require(model.entity(named: "Team"))
        let found = Monitor<Result<Snapshot?, StoreError>?>(nil)
        store.newest(ObjectID(root: team.root, key: key)) { result in
            found.withLock { $0 = result }
            found.signal()
        }
        let result = try #require(found.withLock(when: { $0 != nil }) { value, _ in value })
        return try result.get().map(name)
    }

    private func name(_ object: Snapshot) -> String {
        if case .string(let name)? = object.value("name", in: model) { name } else { "" }
    }

    /// Ends the connections of nodes, so that they make new ones.
    /// - Parameter name: a role, or the schema that a node was opened with.
    func endConnections(of name: String) throws {
        try server.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                + "WHERE '\(name)' IN (usename, application_name)")
    }

    /// What a node says of a store that is not its own: the reasons, or "answered".
    /// - Parameter saves: whether a save is tried as well.
    func answers(_ store: PostgreSQLStore, saves: Bool = true) -> [String] {
        let reads: [() throws -> Void] = [
            { _ = try names(store) }, { _ = try newest(1, store) }, { _ = try gathered(1, store) },
            { _ = try gathered(99, store) },
        ]
        let works = (saves ? [{ try save("stray", in: store) }] : []) + reads
        return works.map { work in
            do {
                try work()
                return "answered"
            } catch StoreError.gone(let text) { return text } catch { return "another: \(error)" }
        }
    }

    /// Waits until a store counts as present, or as gone.
    /// - Parameter part: of what it says then.
    func waitUntil(_ store: PostgreSQLStore, isGone: Bool, saying part: String = "") {
        let end = MonotonicClock.deadline(in: 30)
        while MonotonicClock.now < end {
            do throws(StoreError) {
                try store.checkPresence()
                if !isGone { return }
            } catch {
                if isGone, case .gone(let text) = error, part.isEmpty || text.contains(part) {
                    return
                }
            }
            usleep(20_000)
        }
        Issue.record("the store is \(isGone ? "present" : "gone")")
    }
}
