// Rows with keys below 1, which no object has. Only other programs write them.

import Foundation
import SteleGraph
import SteleModel
import SteleSQLite
import TestSupport
import Testing

@testable import SteleService

@Suite struct LowKeyTests {
    /// A store with such rows, and the same without them.
    private let found: ServiceFixture
    private let plain: ServiceFixture

    private static func model() throws -> Model {
        try makeModel([
            EntityMaker("Team").attribute("name", .string) { $0.isOptional = true }
                .toMany("players", "Player", inverse: "team")
                .toMany("fans", "Player", inverse: "likes").unique("name"),
            EntityMaker("Club", parent: "Team").attribute("rank", .integer32),
            EntityMaker("Player").attribute("name", .string).attribute("goals", .integer32)
                .toOne("team", "Team", inverse: "players").toMany("likes", "Team", inverse: "fans")
                .toOne("favourite", "Team"),
        ])
    }

    init() throws {
        found = try ServiceFixture(Self.model())
        plain = try ServiceFixture(Self.model())
        for service in [found, plain] {
            #expect(service.post("/Team", #"[{"name":"A"},{"name":"B"}]"#).status == 201)
            #expect(service.post("/Club", #"{"name":"C","rank":1}"#).status == 201)
            let made = service.post(
                "/Player",
                #"[{"name":"a","goals":1,"team":1,"likes":[1,2]},"#
                    + #"{"name":"b","goals":2,"team":3,"favourite":1},"#
                    + #"{"name":"c","goals":3,"likes":[3]}]"#)
            try #require(made.status == 201, "\(made.text)")
        }
        let raw = try RawDatabase(found.path)
        let join = try #require(
            try raw.texts(
                "SELECT name FROM sqlite_master WHERE name IN ('Z_2FANS', 'Z_1LIKES') "
                    + "AND type = 'table'"
            ).first)
        let columns = try raw.texts("SELECT name FROM pragma_table_info('\(join)')")
        let player = columns.first { $0.hasSuffix("FANS") } ?? ""
        let team = columns.first { $0.hasSuffix("LIKES") } ?? ""
        let numbers = try ["Team", "Club", "Player"].map {
            try raw.texts("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\($0)'")[0]
        }
        try raw.run(
            """
            INSERT INTO ZTEAM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (0, \(numbers[0]), 1, 'zero'),
                (-7, \(numbers[1]), 1, 'low');
            INSERT INTO ZPLAYER (Z_PK, Z_ENT, Z_OPT, ZNAME, ZGOALS, ZTEAM, ZFAVOURITE) VALUES
                (-5, \(numbers[2]), 1, 'neg', 100, 1, 1), (0, \(numbers[2]), 1, 'zero', 200, -7, 2);
            UPDATE ZPLAYER SET ZTEAM = 0 WHERE Z_PK = 3;
            INSERT INTO \(join) (\(player), \(team)) VALUES (2, 0), (2, -7), (-5, 1), (0, -7)
            """)
        (found.coordinator.store as? SQLiteStore)?.findForeignValues()
    }

    private static let targets = [
        "/Player", "/Team", "/Club", "/Player?sort=name", "/Player?sort=-goals&limit=1",
        "/Player?sort=team&limit=2", "/Player/count", "/Player?select=n:count(),s:sum(goals)",
        "/Player?select=m:min(goals),x:max(goals),a:avg(goals)",
        "/Player?select=team,n:count()&groupBy=team", "/Player?select=name&distinct=true&sort=name",
        "/Player?format=csv", "/Player?format=ndjson", "/Team?format=csv&select=_id,name",
        "/Player?include=team,likes", "/Team?include=players,fans", "/Team/1/players",
        "/Team/1/fans", "/Team/3/fans", "/Player/2/likes", "/Player/3/team", "/Player/3",
        "/Player?select=_id,likes.@count", "/Team?select=_id,players.@count,fans.@count",
        "/Team?select=_id,players.@sum.goals",
        "/Player?where=" + encoded("team == nil"), "/Player?where=" + encoded("team._id == nil"),
        "/Player?where=" + encoded("goals > 50"), "/Player?where=" + encoded("_id < 1"),
        "/Player?where=" + encoded("likes.@count == 0"),
        "/Player?where=" + encoded("ANY likes.name == 'low'"),
        "/Team?where=" + encoded("ANY players.goals > 50"),
        "/Team?where=" + encoded("SUBQUERY(fans, $x, $x.goals > 0).@count > 0"),
        "/Player?where=" + encoded("team.name == 'zero' OR name == 'neg'"),
        "/Team?where=" + encoded("name IN {'zero','low','A'}"),
    ]

    /// Every request answers as in the store that does not have them.
    @Test func theyAreLeftOutEverywhere() throws {
        for target in Self.targets {
            let (answer, other) = (found.get(target), plain.get(target))
            #expect(answer.status == other.status, "\(target): \(answer.text)")
            #expect(answer.text == other.text, "\(target): \(answer.text) \(other.text)")
        }
        for target in ["/Player/0", "/Player/-5", "/Player/t5"] {
            #expect(found.get(target).text == plain.get(target).text, "\(target)")
        }
    }

    /// In a context that has changed objects, and after saves.
    @Test func savesDoNotMeetThem() throws {
        let editors = try [found, plain].map { try Editor($0) }
        for editor in editors {
            #expect(editor.patch("/Player/2", #"{"goals":7}"#).status == 200)
            #expect(editor.patch("/Team/1", #"{"name":"AA"}"#).status == 200)
        }
        for target in Self.targets where !target.contains("format") && !target.contains("limit") {
            let (answer, other) = (editors[0].get(target), editors[1].get(target))
            #expect(answer.text == other.text, "\(target): \(answer.text) \(other.text)")
        }
        for editor in editors { #expect(editor.post("/save").status == 200) }
        for (method, target, body) in [
            ("POST", "/Player", #"{"name":"d","team":1,"likes":[2]}"#),
            ("PUT", "/Player/3", #"{"name":"cc","likes":[1]}"#), ("DELETE", "/Team/1", nil),
            ("PATCH", "/Player?where=" + encoded("goals > 0"), #"{"name":"all"}"#),
            ("DELETE", "/Player/2", nil),
        ] {
            let (answer, other) = (found.ask(method, target, body), plain.ask(method, target, body))
            #expect(answer.status == other.status, "\(method) \(target): \(answer.text)")
            #expect(answer.text == other.text, "\(method) \(target): \(answer.text)")
        }
        for target in Self.targets {
            #expect(found.get(target).text == plain.get(target).text, "\(target)")
        }
    }

    /// The file's index knows them.
    @Test func theirUniqueValuesAreNamedWithoutAnObject() throws {
        let answer = found.post("/Team", #"{"name":"low"}"#)
        #expect(answer.status == 409, "\(answer.text)")
        #expect(answer.detail == "another Team has the same name", "\(answer.text)")
        #expect(!answer.text.contains("t7") && !answer.text.contains("-7"), "\(answer.text)")
    }

    @Test func aCopyLeavesThemOut() throws {
        let copy = try ServiceFixture(Self.model(), inMemory: true)
        try MigrationManager.copy(found.coordinator.store, to: copy.coordinator.store)
        let other = try ServiceFixture(Self.model(), inMemory: true)
        try MigrationManager.copy(plain.coordinator.store, to: other.coordinator.store)
        for target in Self.targets {
            #expect(copy.get(target).text == other.get(target).text, "\(target)")
        }
    }

    /// A to-one's key that is a number below all integers.
    @Test(arguments: ["-9e999", "-1e19"])
    func aKeyBelowAllIntegersLeadsToNothing(_ key: String) throws {
        try RawDatabase(plain.path).run("UPDATE ZPLAYER SET ZTEAM = \(key) WHERE Z_PK = 1")
        (plain.coordinator.store as? SQLiteStore)?.findForeignValues()
        let copy = try ServiceFixture(Self.model(), inMemory: true)
        try MigrationManager.copy(plain.coordinator.store, to: copy.coordinator.store)
        for service in [plain, copy] {
            let got = service.get("/Player/1")
            #expect(got.text.contains(#""team":null"#), "\(got.text)")
            #expect(service.get("/Player/1/team").text == "null")
            let without = service.get(
                "/Player?select=_id&sort=_id&where=" + encoded("team == nil"))
            #expect(without.text == #"[{"_id":1},{"_id":3}]"#)
            let put = service.ask("PUT", "/Player/1", got.text)
            #expect(put.status == 200 && put.text == got.text, "\(put.text)")
        }
    }

    @Test func inspectionNamesThem() throws {
        let differences = try SQLiteStore.inspect(
            path: found.path, among: [found.service.model]
        ).differences
        for table in ["ZTEAM", "ZPLAYER"] {
            #expect(
                differences.contains {
                    $0.hasPrefix("\(table).Z_PK: in 2 rows (first: Z_PK ")
                        && $0.contains(
                            "no object has such a key, and the row is left out everywhere")
                }, "\(differences)")
        }
    }
}
