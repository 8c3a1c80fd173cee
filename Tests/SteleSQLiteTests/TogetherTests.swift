// Changes that are alike are one statement for all, and leave what one for each would leave.

import SteleModel
import StelePersistence
import SteleSQL
import TestSupport
import Testing

@testable import SteleSQLite

/// Counts the statements that change something.
private final class CountingConnection: SQLConnection {
    let dialect = SQLDialect.sqlite
    let connection: Connection
    var executed = 0

    init(_ connection: Connection) { self.connection = connection }

    func execute(_ sql: SQLText, _ bindings: [Value]) throws(StoreError) -> Int {
        executed += 1
        return try connection.execute(sql, bindings)
    }

    func rows(
        _ sql: SQLText, _ bindings: [Value], _ kinds: [ColumnKind]
    ) throws(StoreError) -> [[Value]] { try connection.rows(sql, bindings, kinds) }

    func snapshots(
        _ sql: SQLText, _ bindings: [Value], _ shape: RowShape
    ) throws(StoreError) -> [Snapshot] { try connection.snapshots(sql, bindings, shape) }

    func ownedSnapshots(
        _ sql: SQLText, _ bindings: [Value], _ shape: RowShape
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        try connection.ownedSnapshots(sql, bindings, shape)
    }
}

/// A saver over a League of a team of as many players, with no thread around it.
private final class SaverStage {
    let folder: TemporaryFolder
    let model: Model
    let counting: CountingConnection
    let saver: SQLSaver
    private(set) var players: [Snapshot] = []

    init(players count: Int) throws {
        folder = try TemporaryFolder()
        model = try sampleModel("League")
        let connection = try Connection(path: folder.store, creates: true)
        let schema = try StoreFile.prepare(connection, path: folder.store, model: model).schema
        counting = CountingConnection(connection)
        saver = try SQLSaver(schema: schema, connection: counting)
        let (team, player) = try (entity("Team"), entity("Player"))
        var request = SaveRequest(readToken: 0)
        request.changes = [
            ObjectChange(
                .insert, entity: team.index, key: -1, values: team.row(["name": .string("T")]))
        ]
        for number in 0..<count {
            let values = player.row([
                "name": .string("P\"\(number)"), "goals": .int(Int64(number % 7)),
                "salary": .decimal(0.1), "joinedAt": .date(0.1 + Double(number)),
                "team": .key(-1),
            ])
            request.changes.append(
                ObjectChange(.insert, entity: player.index, key: -2 - Int64(number), values: values)
            )
        }
        let (result, _) = try saver.save(request, at: 1)
        players = result.changes.compactMap(\.snapshot).filter { $0.entity == player.index }
            .sorted { $0.key < $1.key }
    }

    func entity(_ name: String) throws -> Entity { try #require(model.entity(named: name)) }

    /// Saves changes of all players: from what is there, or as if something had been saved since.
    func save(_ changes: [ObjectChange], isCurrent: Bool) throws -> (HistoryTransaction, Int) {
        var request = SaveRequest(readToken: isCurrent ? saver.token : 0)
        request.changes = changes
        counting.executed = 0
        let (_, transaction) = try saver.save(request, at: 2)
        return (try #require(transaction), counting.executed)
    }

    /// All rows of the tables that a save writes.
    func content() throws -> [String] {
        try saver.finishBatch()
        let players =
            "SELECT Z_PK || '|' || Z_OPT || '|' || quote(ZNAME) || quote(ZGOALS) || quote(ZTEAM) "
            + "|| quote(ZCOUNTRY) || quote(ZSALARY) || quote(ZJOINEDAT) FROM ZPLAYER ORDER BY Z_PK"
        let changes =
            "SELECT Z_PK || '|' || ZCHANGETYPE || '|' || ZENTITY || '|' || ZENTITYPK || '|' || "
            + "ZTRANSACTIONID || quote(ZCOLUMNS) FROM ACHANGE ORDER BY Z_PK"
        let images =
            "SELECT Z_PK || '|' || ZFAMILY || '|' || ZENTITYPK || '|' || ZVERSION || ZVALUES "
            + "FROM STELE_BEFOREIMAGE ORDER BY Z_PK"
        let keys = "SELECT Z_ENT || '|' || Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT"
        return try [players, changes, images, keys].flatMap { sql in
            try counting.connection.rows(SQLText(sql), [], [.text]).map { "\($0[0])" }
        }
    }
}

@Suite struct TogetherTests {
    @Test func deletingATeamsPlayersIsAFewStatements() throws {
        let (all, single) = try (SaverStage(players: 2_000), SaverStage(players: 2_000))
        func changes(_ stage: SaverStage) -> [ObjectChange] {
            stage.players.map {
                ObjectChange(.delete, entity: $0.entity, key: $0.key, before: $0)
            }
        }
        let (together, statements) = try all.save(changes(all), isCurrent: true)
        let (each, many) = try single.save(changes(single), isCurrent: false)
        // One for the rows, and one for 64 rows of the history.
        #expect(statements < 2_000 / 25, "\(statements) statements")
        #expect(many > 2_000, "\(many) statements")
        #expect(try all.content() == single.content())
        #expect(together.changes.map(\.key) == each.changes.map(\.key))
        #expect(together.changes.map(\.snapshot) == each.changes.map(\.snapshot))
        #expect(together.changes.map(\.version) == each.changes.map(\.version))
    }

    @Test(arguments: ["country", "team", "goals"])
    func givingAllTheSameValueIsAFewStatements(_ name: String) throws {
        let (all, single) = try (SaverStage(players: 300), SaverStage(players: 300))
        func changes(_ stage: SaverStage) throws -> [ObjectChange] {
            let player = try stage.entity("Player")
            let slot = try #require(
                player.attribute(named: name)?.slot ?? player.relationship(named: name)?.slot)
            let new: [String: Value] = [
                "country": .string("GB"), "team": .null, "goals": .int(90),
            ]
            return stage.players.map { before in
                var values = before.values
                values[slot] = new[name] ?? .null
                return ObjectChange(
                    .update, entity: before.entity, key: before.key, before: before,
                    values: values, changedSlots: [slot])
            }
        }
        let (together, statements) = try all.save(changes(all), isCurrent: true)
        let (each, _) = try single.save(changes(single), isCurrent: false)
        #expect(statements < 30, "\(statements) statements")
        #expect(try all.content() == single.content())
        #expect(together.changes.map(\.before) == each.changes.map(\.before))
        #expect(together.changes.map(\.snapshot) == each.changes.map(\.snapshot))
    }

    /// A version of another program is compared as it was read, and an integer afterwards.
    @Test(arguments: [true, false])
    func aVersionOfAnotherTypeIsRaised(_ isCurrent: Bool) throws {
        let stage = try SaverStage(players: 40)
        let slot = try #require(try stage.entity("Player").attribute(named: "goals")?.slot)
        let connection = stage.counting.connection
        try connection.execute(SQLText("UPDATE ZPLAYER SET Z_OPT = 1.5 WHERE Z_PK > 20"), [])
        let changes = stage.players.map { before in
            var values = before.values
            values[slot] = .int(90)
            return ObjectChange(
                .update, entity: before.entity, key: before.key, before: before, values: values,
                changedSlots: [slot])
        }
        _ = try stage.save(changes, isCurrent: isCurrent)
        let versions = try connection.rows(
            SQLText("SELECT DISTINCT typeof(Z_OPT) || ' ' || Z_OPT FROM ZPLAYER"), [], [.text])
        let expected: [[Value]] = [[.string("integer 2")]]
        #expect(versions == expected)
    }

    @Test func rowsThatAreGoneAreToldAndNotPassedOver() throws {
        let stage = try SaverStage(players: 40)
        let player = try stage.entity("Player")
        let gone = Snapshot(
            entity: player.index, key: 9_999, version: 1, values: stage.players[0].values)
        let changes = (stage.players + [gone]).map {
            ObjectChange(.delete, entity: $0.entity, key: $0.key, before: $0)
        }
        #expect(throws: StoreError.self) { try stage.save(changes, isCurrent: true) }
    }
}
