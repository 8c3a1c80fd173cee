// Statements that were prepared before a table has changed are prepared again.

import Foundation
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQL
import TestSupport
import Testing

@testable import StelePostgreSQL

@Suite(.enabled(if: PostgreSQLServer.shared != nil), .timeLimit(.minutes(30)))
struct PreparedAgainTests: Sendable {
    let teams: Teams
    let server: PostgreSQLServer

    init() throws {
        teams = try Teams()
        server = teams.server
    }

    @Test func anotherTypeOfAColumnNeedsNoRestart() throws {
        let schema = try teams.makeSchema()
        let node = try teams.open(schema)
        defer { node.close() }
        var names = ["one"]
        var token = try teams.save("one", in: node)
        let changes = [
            "zteam ALTER zname TYPE varchar COLLATE \"C\"",
            "zteam ALTER zname TYPE text COLLATE \"C\"",
            "zteam ALTER zname TYPE varchar(90)", "zteam ALTER zname TYPE text COLLATE \"C\"",
            "stele_commit ALTER zcount TYPE numeric(20)", "stele_commit ALTER zcount TYPE bigint",
            "zteam ALTER z_opt TYPE numeric(20)", "zteam ALTER z_opt TYPE bigint",
            "z_primarykey ALTER z_max TYPE numeric(20)", "z_primarykey ALTER z_max TYPE bigint",
        ]
        for change in changes {
            // All have prepared statements: the readers, the one for single objects and the writer.
            #expect(try teams.names(node) == names)
            #expect(try teams.newest(1, node) == names[0])
            #expect(try teams.gathered(1, node) == names[0])
            let view = try node.reader()
            defer { view.close() }
            #expect(try view.token == token)
            let alter = "ALTER TABLE \(change)"
            // The rows are not written again, so that a view of before still has them.
            if names.count < 3 {
                try server.sql(alter, schema: schema)
                #expect(try teams.names(view) == names, "\(change)")
                view.close()
            } else {
                view.close()
                try server.sql(alter, schema: schema)
            }
            #expect(try teams.newest(1, node) == names[0], "\(change)")
            #expect(try teams.gathered(1, node) == names[0], "\(change)")
            names.append(change)
            token += 1
            #expect(try teams.save(change, in: node) == token, "\(change)")
            #expect(try teams.names(node) == names, "\(change)")
            names[0] = "first \(token)"
            token += 1
            #expect(try rename(1, names[0], in: node) == token, "\(change)")
            #expect(try teams.names(node) == names, "\(change)")
        }
    }

    /// The statements of a connection are gone, as where something in the session has dropped them.
    @Test func statementsThatAreGoneArePreparedAgain() throws {
        let schema = try teams.makeSchema()
        try teams.open(schema).close()
        let connection = try Connection(server.url(schema: schema))
        let count = SQLText("SELECT COUNT(*) FROM zteam")
        let other = SQLText("SELECT COUNT(*) FROM z_metadata")
        #expect(try connection.integer(count) == 0)
        try connection.run("DEALLOCATE ALL")
        #expect(try connection.integer(count) == 0)
        try connection.run("DISCARD ALL")
        let rows = try connection.query(together: [(count, []), (other, [])])
        #expect(rows.map { $0.integer(0, 0) } == [0, 1])
        let view = try connection.beginView([(count, [])])
        #expect(view[0].integer(0, 0) == 0)
        try connection.run("DEALLOCATE ALL")
        #expect(try connection.integer(other) == 1)
        try connection.run("ROLLBACK; DEALLOCATE ALL")
        #expect(try connection.beginView([(other, [])])[0].integer(0, 0) == 1)
        try connection.run("ROLLBACK")
        // In a transaction that writes, the caller begins again.
        #expect(try connection.integer(count) == 0)
        try connection.run("DEALLOCATE ALL; BEGIN")
        #expect(throws: StoreError.self) { try connection.integer(count) }
        try connection.run("ROLLBACK")
    }

    /// Saves another name of a team, for which its row is read.
    private func rename(
        _ key: Int64, _ name: String, in node: PostgreSQLStore
    ) throws -> Int64 {
        let team = try #require(teams.model.entity(named: "Team"))
        let before = try #require(try node.newest(ObjectID(root: team.root, key: key)))
        guard case .attribute(let it)? = team.property(named: "name") else { return 0 }
        var values = before.values
        values[it.slot] = .string(name)
        let reader = try node.reader()
        var request = SaveRequest(readToken: try reader.token)
        reader.close()
        request.changes = [
            ObjectChange(
                .update, entity: team.index, key: key, before: before, values: values,
                changedSlots: [it.slot])
        ]
        return try node.save(request).token
    }
}
