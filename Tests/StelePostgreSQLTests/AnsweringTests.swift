// Random requests have one answer in memory and in PostgreSQL.

import struct Foundation.UUID
import SteleDifferential
import SteleModel
import StelePersistence
import StelePostgreSQL
import StelePredicates
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.shared != nil)) struct AnsweringTests {
    /// The seed of a run in STELE_SEED.
    @Test func itAnswersAsTheStoreInMemory() throws {
        let seed = drawSeed("itAnswersAsTheStoreInMemory")
        let run = DifferentialRun(seed: seed, questions: 150, kind: .postgresql)
        var report = DifferentialRun.Report()
        for round in 0..<4 { report.add(try run.round(round)) }
        for mismatch in report.mismatches { Issue.record("\(mismatch)") }
        #expect(report.notBuilt.isEmpty, "\(report.notBuilt)")
        guard report.mismatches.isEmpty else { return }
        #expect(report.compared > 400 && report.telling > 100, "\(report.compared) compared")
    }

    /// The predicates that PostgreSQL evaluates itself, each operator once, and some that it does
    /// not.
    @Test func eachOperatorAnswersAsInMemory() throws {
        let model = try sampleModel("League")
        let server = try #require(PostgreSQLServer.shared)
        let store = try PostgreSQLStore.open(
            url: server.url(path: UUID().uuidString), model: model)
        defer { store.close() }
        let memory = InMemoryStore(model: model)
        let team = try #require(model.entity(named: "Team"))
        let player = try #require(model.entity(named: "Player"))
        let names = ["hello", "Hello", "lo", "l_o", "l%o", "", "é", "a'b", "\\n", "hell", "zebra"]
        for target in [store as any PersistentStore, memory] {
            var request = SaveRequest(readToken: 0)
            request.changes = [
                ObjectChange(
                    .insert, entity: team.index, key: -1, values: team.row(["name": .string("lo")]))
            ]
            for (index, name) in names.enumerated() {
                let goals: Value = index.isMultiple(of: 3) ? .null : .int(Int64(index) - 4)
                let isIn = index.isMultiple(of: 2)
                request.changes.append(
                    ObjectChange(
                        .insert, entity: player.index, key: Int64(-2 - index),
                        values: player.row([
                            "name": .string(name), "goals": goals,
                            "team": isIn ? .key(-1) : .null,
                        ])))
            }
            _ = try target.save(request)
        }
        let predicates = [
            "name CONTAINS 'l'", "name CONTAINS '%'", "name ENDSWITH 'lo'", "NOT name ENDSWITH 'o'",
            "name BEGINSWITH 'h'", "name BEGINSWITH ''", "name == 'é'", "name IN {'lo', '', 'x'}",
            "name BETWEEN {'a', 'i'}", "name > 'Hello'", "goals == nil", "goals != nil",
            "goals > -2", "NOT goals > -2", "goals >= 1 OR name == 'lo'", "goals != 3",
            "goals IN {1, -4, nil}", "goals BETWEEN {-3, 2}", "team.name == 'lo'",
            "team.name != 'lo'", "team == nil", "team != nil AND goals < 0", "_id > 3",
            "_id IN {1, 2}",
            "team.name ENDSWITH 'o'", "name LIKE[c] 'h*'", "name CONTAINS[cd] 'E'",
            "goals > 1.5", "team.players.@count > 2", "TRUEPREDICATE", "FALSEPREDICATE",
            "random() >= 0", "randomn(2) < 2", "name LIKE[d] '*e'", "name MATCHES '.*l.*'",
            "goals * 9223372036854775807 > 1", "goals / 0 == nil", "goals + 0.5 > 1",
            "uppercase(name) == 'HELLO'", "name LIKE 'l_o'", "name LIKE '?o'",
            "SUBQUERY(team.players, $p, $p.goals > goals).@count > 1", "ANY team.players.goals > 3",
            "length(name) == 1", "name ==[cd] 'E'", "goals & 1 == 1", "team.players.@sum.goals > 5",
        ]
        let (reader, plain) = (try store.reader(), try memory.reader())
        defer {
            reader.close()
            plain.close()
        }
        for text in predicates {
            for order in [
                [], [SortDescriptor(key: "goals")], [SortDescriptor(key: "name", ascending: false)],
            ] {
                var request = FetchRequest(entity: player)
                request.predicate = try Predicate(format: text)
                request.sortDescriptors = order
                request = try request.checked(in: model)
                let wanted = try plain.fetch(request).map(\.key)
                #expect(try reader.fetch(request).map(\.key) == wanted, "\(text)")
                #expect(try reader.count(request) == wanted.count, "\(text)")
                let cursor = try reader.cursor(request)
                var found: [Int64] = []
                while case .objects(let rows) = try cursor.next(4), !rows.isEmpty {
                    found += rows.map(\.key)
                }
                #expect(found == wanted, "\(text) by a cursor")
            }
        }
    }
}
