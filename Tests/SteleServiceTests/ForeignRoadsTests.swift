// The first request after a store with contents of other programs was opened, and the first after
// another program has written them, answers as all others do.

import Foundation
import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@testable import SteleRequests
@testable import SteleService

/// When the first request comes.
enum ForeignMoment: String, CaseIterable, Sendable {
    /// After the opening, of one store, of a group of stores, and of a store that is only read.
    case opened, group, readOnly
    /// After a commit of another program, with rows in the cache that were read before it.
    case committed
}

/// A request, and what it answers.
struct ForeignRoad: Sendable, CustomTestStringConvertible {
    let requests: [String]
    let expected: String
    let who: String

    /// - Parameters:
    ///   - request: a method, a target and a body.
    ///   - next: another request after it.
    ///   - expected: the status and the text of the last answer.
    init(
        _ request: String, then next: String? = nil, who: String = "root", _ expected: String
    ) {
        requests = [request] + (next.map { [$0] } ?? [])
        self.expected = expected
        self.who = who
    }

    var testDescription: String { requests.joined(separator: "; ") }
    var writes: Bool { requests.contains { !$0.hasPrefix("GET ") } }

    private static let id = "00000000-0000-0000-0000-00000000000"

    static let all: [ForeignRoad] = [
        .init("GET /Player/2?select=name,team,likes", #"200 {"name":"b","team":null,"likes":[1]}"#),
        .init("GET /Player/3?select=score", #"200 {"score":null}"#),
        .init(
            "GET /Player/4?select=name,flag", "200 {\"name\":\"d\u{FFFD}\",\"flag\":true}"),
        .init(
            "GET /Player/5?select=_version,n,uid", #"200 {"_version":0,"n":0,"uid":"\#(id)5"}"#),
        .init("GET /Team/2?select=_entity", #"200 {"_entity":"Team"}"#),
        .init(
            "GET /Player?select=_id,team,score",
            """
            200 [{"_id":1,"team":1,"score":1.5},{"_id":2,"team":null,"score":2.5},\
            {"_id":3,"team":2,"score":null},{"_id":4,"team":2,"score":4.5},\
            {"_id":5,"team":2,"score":5.5}]
            """),
        .init("GET /Player?select=_id&where=team == nil", "200 2"),
        .init("GET /Player?select=_id&where=team == 99", "200 "),
        .init("GET /Player?select=_id&where=team.name == nil", "200 2"),
        .init("GET /Player?select=_id&where=score == nil", "200 3"),
        .init("GET /Player?select=_id&where=name == \"d\u{FFFD}\"", "200 4"),
        .init("GET /Player?select=_id&where=flag == true", "200 1 3 4 5"),
        .init("GET /Player?select=_id&where=n == 0", "200 5"),
        .init("GET /Player?select=_id&where=uid == \"\(id)5\"", "200 5"),
        .init("GET /Player?select=_id&where=likes.@count == 1", "200 1 2 3 4 5"),
        .init("GET /Player?select=_id&where=ANY likes._id == 99", "200 "),
        .init("GET /Player?select=_id&sort=score", "200 3 1 2 4 5"),
        .init("GET /Player?select=_id&sort=-team,_id", "200 3 4 5 1 2"),
        .init("GET /Player?select=_id&sort=n", "200 5 1 2 3 4"),
        .init(
            "GET /Player?select=team,c:count()&groupBy=team",
            #"200 [{"team":null,"c":1},{"team":1,"c":1},{"team":2,"c":3}]"#),
        .init("GET /Player?select=m:max(score),c:count(team)", #"200 [{"m":5.5,"c":4}]"#),
        .init(
            "GET /Player?format=csv&select=_id,team,score&where=_id IN {2,3}",
            "200 _id,team,score\r\n2,,2.5\r\n3,2,\r\n"),
        .init("GET /Player/2?include=team&select=team", #"200 {"team":null}"#),
        .init("GET /Player/2/team", "200 null"),
        .init("GET /Player/2/likes?select=_id", "200 1"),
        .init("GET /Team/1/players?select=_id", "200 1"),
        .init("GET /Team/1/fans?select=_id", "200 1 2"),
        .init("GET /Team/1?select=fans.@count", #"200 {"fans.@count":2}"#),
        .init("GET /Player?select=_id", who: "ann", "200 2"),
        .init("GET /Player/1?select=_id", who: "ann", "404"),
        .init("GET /Player/2?select=team", who: "ann", #"200 {"team":null}"#),
        // Writing.
        .init("PATCH /Player/3 {\"note\":\"x\"}", "200"),
        .init(
            "PATCH /Player?where=team == nil {\"note\":\"x\"}",
            then: "GET /Player?select=_id&where=note == 'x'", "200 2"),
        .init("DELETE /Player?where=score == nil", then: "GET /Player?select=_id", "200 1 2 4 5"),
        .init("DELETE /Team/1", then: "GET /Player?select=_id&where=team == nil", "200 1 2"),
        .init("DELETE /Team/2", then: "GET /Player?select=_id&where=team == nil", "200 2 3 4 5"),
        .init("DELETE /Box/1", then: "GET /Item?select=_id", "200 2"),
        .init(
            "PUT /Player/2/team 2", then: "GET /Player?select=_id&where=team == 2", "200 2 3 4 5"),
        .init("POST /Player {\"name\":\"new\",\"score\":1}", "201"),
        .init(
            "POST /Team {\"name\":\"new\",\"players\":[2]}",
            then: "GET /Player/2?select=team", #"200 {"team":3}"#),
        .init("POST /Team/2/fans [5]", then: "GET /Team/2/fans?select=_id", "200 3 4 5"),
    ]
}

@Suite struct ForeignRoadsTests {
    private static let damage = """
        UPDATE ZPLAYER SET ZTEAM = 99 WHERE Z_PK = 2;
        UPDATE ZPLAYER SET ZSCORE = 9e999 WHERE Z_PK = 3;
        UPDATE ZPLAYER SET ZNAME = CAST(X'64FF' AS TEXT), ZFLAG = 2 WHERE Z_PK = 4;
        UPDATE ZPLAYER SET ZN = 'abc', Z_OPT = NULL,
            ZUID = '00000000-0000-0000-0000-000000000005' WHERE Z_PK = 5;
        UPDATE ZTEAM SET Z_ENT = 77 WHERE Z_PK = 2;
        UPDATE ZITEM SET ZBOX = 99 WHERE Z_PK = 2
        """

    private let model: Model

    init() throws {
        model = try makeModel([
            EntityMaker("Team").attribute("name", .string)
                .toMany("players", "Player", inverse: "team")
                .toMany("fans", "Player", inverse: "likes"),
            EntityMaker("Player").attribute("name", .string)
                .attribute("score", .double) { $0.isOptional = false }
                .attribute("flag", .boolean).attribute("n", .integer32).attribute("uid", .uuid)
                .attribute("note", .string).toOne("team", "Team", inverse: "players")
                .toMany("likes", "Team", inverse: "fans")
                .index("byScore", on: "score").index("byN", on: "n"),
            EntityMaker("Box").attribute("name", .string)
                .toMany("items", "Item", inverse: "box", rule: .cascade),
            EntityMaker("Item").attribute("name", .string).toOne("box", "Box", inverse: "items"),
        ])
    }

    private func fill(_ service: ServiceFixture) throws {
        let players = (1...5).map { key in
            let team = key < 3 ? 1 : 2
            return """
                {"name":"\(["a", "b", "c", "d", "e"][key - 1])","score":\(key).5,\
                "flag":\(key != 2),"n":\(key),"team":\(team),"likes":[\(team)],\
                "uid":"00000000-0000-0000-0000-00000000000\(key)"}
                """
        }
        for (target, body) in [
            ("/Team", #"[{"name":"A"},{"name":"B"}]"#), ("/Box", #"[{"name":"x"}]"#),
            ("/Item", #"[{"box":1},{"box":1}]"#),
            ("/Player", "[\(players.joined(separator: ","))]"),
        ] {
            let made = ask(service, "root", "POST \(target) \(body)")
            try #require(made.status == 201, "\(made.text)")
        }
    }

    private func harm(_ path: String) throws {
        let raw = try RawDatabase(path)
        let columns = try raw.texts(
            "SELECT m.name || ' ' || c.name FROM sqlite_master m, pragma_table_info(m.name) c "
                + "WHERE m.type = 'table' AND m.name GLOB 'Z_[0-9]*' ORDER BY c.cid")
        let words = columns.map { $0.split(separator: " ").map(String.init) }
        let table = try #require(words.first?[0])
        let player = try #require(words.first { $0[1].hasSuffix("FANS") }?[1])
        let team = try #require(words.first { $0[1].hasSuffix("LIKES") }?[1])
        try raw.run(
            "BEGIN; \(Self.damage); INSERT INTO \(table) (\(player), \(team)) "
                + "VALUES (2, 99), (98, 1); COMMIT")
    }

    /// A service whose first request sees what another program has left.
    private func service(at moment: ForeignMoment) throws -> ServiceFixture {
        let rights = try RightsFile(
            RightsModel.rights(roles: [
                ("ann", #"{"Player": {"read": "team == nil"}, "*": {"read": true}}"#)
            ]))
        let configure: (inout Service.Options) -> Void = { $0.rights = rights }
        if moment == .committed {
            let service = try ServiceFixture(model, configure)
            try fill(service)
            for target in ["/Player", "/Team", "/Player?sort=score", "/Player/2"] {
                #expect(ask(service, "root", "GET \(target)").status == 200)
            }
            try harm(service.path)
            return service
        }
        let first = try ServiceFixture(model, configure)
        try fill(first)
        first.coordinator.store.close()
        try harm(first.path)
        return try ServiceFixture(
            opening: { path in
                for ending in ["", "-wal"] where access(first.path + ending, F_OK) == 0 {
                    try FileManager.default.copyItem(
                        atPath: first.path + ending, toPath: path + ending)
                }
                return switch moment {
                case .opened, .committed: try SQLiteStore.open(path: path, model: model)
                case .group: try StoreKind.group.open(model, at: path)
                case .readOnly: try ReadOnlySQLiteStore.open(path: path, model: model)
                }
            }, configure)
    }

    private func ask(
        _ service: ServiceFixture, _ who: String, _ request: String,
        _ headers: [(name: String, value: String)] = []
    ) -> Answer {
        var rest = request.split(separator: " ", maxSplits: 1).map(String.init)
        let method = rest.removeFirst()
        var (target, body) = (rest[0], String?.none)
        if method != "GET", let start = target.firstRange(of: #/ [\[{"0-9][^=]*$/#) {
            body = String(target[start].dropFirst())
            target = String(target[..<start.lowerBound])
        }
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        let query = parts.dropFirst().first.map { query in
            query.split(separator: "&").map { pair in
                let halves = pair.split(separator: "=", maxSplits: 1).map(String.init)
                return halves.count == 2 ? "\(halves[0])=\(encoded(halves[1]))" : halves[0]
            }.joined(separator: "&")
        }
        return service.ask(
            method, parts[0] + (query.map { "?" + $0 } ?? ""), body,
            [(name: "Authorization", value: "Bearer token-\(who)")] + headers)
    }

    /// The status, and the text; the keys alone where there is nothing else.
    private func summary(_ answer: Answer) -> String {
        var text = answer.text
        if let all = try? answer.json.elements {
            let keys = all.compactMap { object -> String? in
                guard case .object(let members) = object, members.count == 1 else { return nil }
                return object["_id"]?.compact
            }
            if keys.count == all.count { text = keys.joined(separator: " ") }
        }
        return "\(answer.status) \(text)"
    }

    @Test(arguments: ForeignRoad.all)
    func theFirstRequestReadsForeignValuesByTheirMeaning(_ road: ForeignRoad) throws {
        for moment in ForeignMoment.allCases where !(road.writes && moment == .readOnly) {
            let service = try service(at: moment)
            var answer = "no answer"
            for request in road.requests {
                if answer.first != "2", request != road.requests.first { break }
                answer = summary(ask(service, road.who, request))
            }
            if !road.expected.contains(" ") { answer = String(answer.prefix(3)) }
            #expect(answer == road.expected, "\(moment)")
        }
    }

    /// The first ETag is that of all later ones, though the search drops what is cached.
    @Test(arguments: ForeignMoment.allCases)
    func theFirstETagIsValidAfterTheSearch(_ moment: ForeignMoment) throws {
        if moment == .readOnly { return }
        let service = try service(at: moment)
        let first = ask(service, "root", "GET /Player/3")
        let tag = try #require(first["ETag"])
        #expect(ask(service, "root", "GET /Player/3")["ETag"] == tag)
        let put = ask(
            service, "root", "PUT /Player/3 \(first.text)", [(name: "If-Match", value: tag)])
        #expect(put.status == 200 && put.text == first.text, "\(put.text)")
    }

    @Test(arguments: ForeignMoment.allCases)
    func exportsAndChangesShowForeignValuesAsListsDo(_ moment: ForeignMoment) throws {
        let service = try service(at: moment)
        if moment == .opened || moment == .committed {
            let changes = ask(service, "root", "GET /changes?values=true&limit=1000")
            #expect(
                changes.status == 200 && changes.text.contains(#""score":4.5"#), "\(changes.text)")
            #expect(!changes.text.contains(#""team":99"#) && !changes.text.contains(#""n":"abc""#))
        }
        service.coordinator.store.findForeignValues()
        var bytes: [UInt8] = []
        _ = try Export(service.coordinator, ExportPlan(model: model)).run { bytes += $0 }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let second = try #require(lines.first { $0.contains(#""name":"b""#) })
        #expect(second.contains(#""team":null"#) && second.contains(#""likes":[1]"#), "\(second)")
        #expect(lines.contains { $0.contains(#""name":"c""#) && $0.contains(#""score":null"#) })
    }

    /// An editing context is a library context with the changes of its own, and takes them back.
    @Test(arguments: [ForeignMoment.opened, .group, .committed])
    func contextsReadForeignValuesAsRequestsDo(_ moment: ForeignMoment) throws {
        let service = try service(at: moment)
        let made = ask(service, "root", "POST /contexts")
        let id = try #require(JSONDocument(made.bytes).root["context"]?.string, "\(made.text)")
        let path = "/contexts/\(id)"
        #expect(
            summary(ask(service, "root", "GET \(path)/Player?select=_id&where=team == nil"))
                == "200 2"
        )
        #expect(
            ask(service, "root", "PATCH \(path)/Player/2 {\"team\":2,\"note\":\"y\"}").status == 200
        )
        #expect(
            summary(ask(service, "root", "GET \(path)/Player?select=_id&where=team == nil"))
                == "200 ")
        #expect(
            summary(ask(service, "root", "GET \(path)/Team/2/players?select=_id")) == "200 2 3 4 5")
        let undone = ask(service, "root", "POST \(path)/undo")
        #expect(undone.status == 200, "\(undone.text)")
        #expect(
            summary(ask(service, "root", "GET \(path)/Player/2?select=team"))
                == #"200 {"team":null}"#)
        #expect(ask(service, "root", "PATCH \(path)/Player/3 {\"note\":\"z\"}").status == 200)
        let saved = ask(service, "root", "POST \(path)/save")
        #expect(saved.status == 200, "\(saved.text)")
    }
}
