// What other programs leave in a store has one meaning for all requests.

import Foundation
import SteleJSON
import SteleModel
import SteleSQLite
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct ForeignValuesTests {
    @Test(arguments: 0..<6)
    func allRequestsReadForeignValuesAlike(_ run: Int) throws {
        let seed = drawSeed("allRequestsReadForeignValuesAlike \(run)")
        var it = try ForeignFixture(seed: seed)
        // What is in the row cache now is older.
        _ = try it.objects("/Player?limit=100")
        for round in 1...2 {
            try it.damage()
            let place = "seed \(seed), round \(round)"
            for (name, kind) in ForeignFixture.columns { try check(name, kind, it, place) }
            try checkToOnes(it, place)
            try checkToManys(it, place)
            try checkTotals(it, place)
            try checkContext(it, place)
            try checkWriting(it, place)
        }
        for key in try it.keys {
            let answer = it.service.ask("DELETE", "/Player/\(key)")
            #expect(answer.status == 204, "seed \(seed): \(answer.text.prefix(300))")
        }
        let (table, player, _) = try it.join()
        #expect(
            try it.integers("SELECT COUNT(*) FROM \(table) WHERE \(player) < 18") == [0],
            "seed \(seed)")
    }

    // MARK: Attributes

    private func check(
        _ name: String, _ kind: ForeignKind, _ it: ForeignFixture, _ place: String
    ) throws {
        let values = try it.values(name, kind)
        let keys = try it.keys
        let text = { (key: Int) in values[key]?.text }
        for object in try it.objects("/Player?limit=100") {
            let key = try #require(object["_id"] as? Int)
            #expect(
                ForeignFixture.text(object[name], kind) == text(key), "\(place): \(name) of \(key)")
        }
        let alone = it.service.get("/Player/\(keys[0])?select=\(name)")
        let object = try JSONSerialization.jsonObject(with: Data(alone.bytes)) as? [String: Any]
        #expect(ForeignFixture.text(object?[name], kind) == text(keys[0]), "\(place): \(name)")
        func found(_ predicate: String) throws -> [Int] {
            try it.keys("/Player?select=_id&sort=_id&where=" + encoded(predicate))
        }
        #expect(try found("\(name) == nil") == keys.filter { text($0) == nil }, "\(place): \(name)")
        #expect(try found("\(name) != nil") == keys.filter { text($0) != nil }, "\(place): \(name)")
        for value in Set(values.values) {
            guard let literal = literal(value, kind) else { continue }
            let same = keys.filter { values[$0] == value }
            #expect(try found("\(name) == \(literal)") == same, "\(place): \(name) \(literal)")
            #expect(try found("\(name) IN {\(literal)}") == same, "\(place): \(name) \(literal)")
            let others = keys.filter { values[$0] != value }
            #expect(try found("\(name) != \(literal)") == others, "\(place): \(name) \(literal)")
            guard kind != .boolean, kind != .uuid else { continue }
            let more = keys.filter { values[$0].map { $0.text != nil && value < $0 } ?? false }
            #expect(try found("\(name) > \(literal)") == more, "\(place): \(name) \(literal)")
            let between = keys.filter { same.contains($0) || more.contains($0) }
            #expect(try found("\(name) >= \(literal)") == between, "\(place): \(name) \(literal)")
        }
        for sign in ["", "-"] {
            let sorted = keys.sorted { a, b in
                let (x, y) = (values[a] ?? .none, values[b] ?? .none)
                if x == y { return a < b }
                return sign.isEmpty ? x < y : y < x
            }
            for limit in [1, 7] {
                let pages = try pages("/Player?select=_id&sort=\(sign)\(name)&limit=\(limit)", it)
                #expect(pages == sorted, "\(place): \(sign)\(name) by \(limit)")
            }
            let whole = try pages("/Player?sort=\(sign)\(name)&limit=7", it)
            #expect(whole == sorted, "\(place): \(sign)\(name)")
        }
        let groups = Dictionary(grouping: keys) { text($0) ?? "" }.mapValues(\.count)
        var answered: [String: Int] = [:]
        for row in try it.objects("/Player?select=\(name),c:count()&groupBy=\(name)") {
            answered[ForeignFixture.text(row[name], kind) ?? "", default: 0] +=
                row["c"] as? Int ?? 0
        }
        #expect(answered == groups, "\(place): \(name)")
        #expect(
            try it.objects("/Player?select=\(name)&distinct=true").count == groups.count,
            "\(place): \(name)")
    }

    private func literal(_ value: ForeignValue, _ kind: ForeignKind) -> String? {
        guard let text = value.text else { return nil }
        switch kind {
        case .text: return "\"\(text)\""
        case .date: return nil
        case .uuid:
            let parts = [(0, 8), (8, 4), (12, 4), (16, 4), (20, 12)].map {
                String(text.dropFirst($0.0).prefix($0.1))
            }
            return "\"\(parts.joined(separator: "-"))\""
        default: return text
        }
    }

    /// The keys of all pages, by their links.
    private func pages(_ first: String, _ it: ForeignFixture) throws -> [Int] {
        try it.service.pages(first).flatMap { page in
            try ForeignFixture.objects(page).compactMap { $0["_id"] as? Int }
        }
    }

    private func checkTotals(_ it: ForeignFixture, _ place: String) throws {
        for name in ["score", "weight"] {
            let values = try it.values(name, .double).values.filter { $0.text != nil }.map(\.number)
            let row = try #require(
                try it.objects(
                    "/Player?select=a:sum(\(name)),b:max(\(name)),c:min(\(name)),d:count(\(name))"
                ).first)
            #expect(row["a"] as? Double == values.reduce(0, +), "\(place): \(name)")
            #expect(row["b"] as? Double == values.max(), "\(place): \(name)")
            #expect(row["c"] as? Double == values.min(), "\(place): \(name)")
            #expect(row["d"] as? Int == values.count, "\(place): \(name)")
        }
        let lines = it.service.get("/Player?format=csv&select=_id,score&sort=_id&limit=100").text
            .split(whereSeparator: \.isNewline).dropFirst().map(String.init)
        let scores = try it.values("score", .double)
        #expect(
            lines.map { $0.hasSuffix(",") }
                == (try it.keys.map { scores[$0]?.text == nil }), "\(place): CSV")
    }

    // MARK: Relationships

    private func checkToOnes(_ it: ForeignFixture, _ place: String) throws {
        let clubs = try it.destinations("ZCLUB", "t.Z_ENT = 3")
        let teams = try it.destinations("ZTEAM", "TRUE")
        let keys = try it.keys
        for (name, ends) in [("team", teams), ("club", clubs)] {
            for object in try it.objects("/Player?limit=100&include=\(name)") {
                let key = try #require(object["_id"] as? Int)
                let end = object[name] as? [String: Any]
                #expect(end?["_id"] as? Int == ends[key], "\(place): \(name) of \(key)")
                let route = it.service.get("/Player/\(key)/\(name)")
                #expect(route.status == 200 && (route.text == "null") == (ends[key] == nil))
                let alone = it.service.get("/Player/\(key)?select=\(name),\(name).name").text
                #expect(alone.contains("\"\(name)\":\(ends[key].map { "\($0)" } ?? "null")"))
            }
            func found(_ predicate: String) throws -> [Int] {
                try it.keys("/Player?select=_id&sort=_id&where=" + encoded(predicate))
            }
            let without = keys.filter { ends[$0] == nil }
            for predicate in ["\(name) == nil", "\(name)._id == nil", "NOT \(name) != nil"] {
                #expect(try found(predicate) == without, "\(place): \(predicate)")
            }
            #expect(try found("\(name) != nil") == keys.filter { ends[$0] != nil }, "\(place)")
            for end in [1, 2, 5, 88, 99] {
                #expect(
                    try found("\(name) == \(end)") == keys.filter { ends[$0] == end }, "\(place)")
            }
            var groups: [Int: Int] = [:]
            for row in try it.objects("/Player?select=\(name),c:count()&groupBy=\(name)") {
                groups[row[name] as? Int ?? 0, default: 0] += row["c"] as? Int ?? 0
            }
            #expect(
                groups == Dictionary(grouping: keys) { ends[$0] ?? 0 }.mapValues(\.count),
                "\(place): \(name)")
            let sorted = keys.sorted { (ends[$0] ?? 0, $0) < (ends[$1] ?? 0, $1) }
            #expect(
                try pages("/Player?select=_id&sort=\(name)&limit=1", it) == sorted, "\(place)")
        }
    }

    private func checkToManys(_ it: ForeignFixture, _ place: String) throws {
        let keys = try it.keys
        let (names, counts) = (
            try it.objects("/Player?select=_id,likes&limit=100"),
            try it.objects("/Player?select=_id,likes.@count&limit=100")
        )
        for (row, count) in zip(names, counts) {
            let key = try #require(row["_id"] as? Int)
            let likes = try it.likes(key)
            #expect((row["likes"] as? [Int])?.sorted() == likes, "\(place): likes of \(key)")
            #expect(count["likes.@count"] as? Int == likes.count, "\(place): likes of \(key)")
            #expect(try it.keys("/Player/\(key)/likes").sorted() == likes, "\(place): \(key)")
            let whole = it.service.get("/Player/\(key)?include=likes")
            let object = try JSONSerialization.jsonObject(with: Data(whole.bytes)) as? [String: Any]
            let members = object?["likes"] as? [[String: Any]]
            #expect(members?.compactMap { $0["_id"] as? Int }.sorted() == likes, "\(place): \(key)")
        }
        let (table, player, team) = try it.join()
        for number in 0...3 {
            let wanted = try keys.filter { try it.likes($0).count == number }
            for predicate in [
                "likes.@count == \(number)", "SUBQUERY(likes, $x, $x != nil).@count == \(number)",
            ] {
                let found = try it.keys("/Player?select=_id&sort=_id&where=" + encoded(predicate))
                #expect(found == wanted, "\(place): \(predicate)")
            }
        }
        for key in try it.integers("SELECT Z_PK FROM ZTEAM") {
            let fans = try it.integers(
                "SELECT p.Z_PK FROM ZPLAYER p JOIN \(table) j ON j.\(player) = p.Z_PK "
                    + "WHERE j.\(team) = \(key) ORDER BY 1")
            #expect(try it.keys("/Team/\(key)/fans").sorted() == fans, "\(place): fans of \(key)")
            let found = try it.keys("/Player?select=_id&sort=_id&where=ANY%20likes%20==%20\(key)")
            #expect(found == fans, "\(place): fans of \(key)")
            let players = try it.integers("SELECT Z_PK FROM ZPLAYER WHERE ZTEAM = \(key)")
            #expect(try it.keys("/Team/\(key)/players").sorted() == players, "\(place): \(key)")
            let row = it.service.get("/Team/\(key)?select=_entity")
            let isClub = try it.integers("SELECT Z_ENT FROM ZTEAM WHERE Z_PK = \(key)") == [3]
            #expect(row.text.contains(isClub ? "Club" : "Team"), "\(place): \(row.text)")
        }
    }

    // MARK: Writing

    /// An editing context evaluates the objects that it has changed itself.
    private func checkContext(_ it: ForeignFixture, _ place: String) throws {
        let editor = try Editor(it.service)
        for key in try it.keys {
            let patched = editor.patch("/Player/\(key)", #"{"note":"\#(place)"}"#)
            try #require(patched.status == 200, "\(place): \(patched.text.prefix(300))")
        }
        let predicates =
            ForeignFixture.columns.flatMap { ["\($0.name) == nil", "\($0.name) != nil"] } + [
                "flag == true", "score > 1", "n < 2", "team == nil", "club != nil", "team == 99",
                "team.name == 'A'", "likes.@count == 1", "ANY likes.name != nil",
            ]
        for predicate in predicates {
            let target = "/Player?select=_id&sort=_id&where=" + encoded(predicate)
            #expect(
                editor.get(target).text == it.service.get(target).text, "\(place): \(predicate)")
        }
        let names = ForeignFixture.columns.map(\.name).joined(separator: ",")
        for order in ForeignFixture.columns.map(\.name) + ["team", "club"] {
            let target = "/Player?select=_id,team,club,\(names)&sort=-\(order)&limit=100"
            #expect(editor.get(target).text == it.service.get(target).text, "\(place): \(order)")
        }
        #expect(editor.ask("POST", "/save").status == 200, "\(place)")
    }

    /// A change of one attribute leaves all others as they are in the file, and what GET gives can be
    /// put.
    private func checkWriting(_ it: ForeignFixture, _ place: String) throws {
        let columns = try it.raw.texts("SELECT name FROM pragma_table_info('ZPLAYER')")
            .filter { $0 != "Z_OPT" && $0 != "ZNOTE" }
        let list = columns.map { "quote(\($0))" }.joined(separator: " || ',' || ")
        for key in try it.keys {
            let row = "SELECT \(list) FROM ZPLAYER WHERE Z_PK = \(key)"
            let before = try it.raw.texts(row)
            let tag = try #require(it.service.get("/Player/\(key)")["ETag"])
            let patched = it.service.ask(
                "PATCH", "/Player/\(key)", #"{"note":"\#(place) \#(key)"}"#, [("If-Match", tag)])
            try #require(patched.status == 200, "\(place): \(key) \(patched.text.prefix(300))")
            #expect(try it.raw.texts(row) == before, "\(place): \(key)")
            let text = it.service.get("/Player/\(key)").text
            let put = it.service.ask("PUT", "/Player/\(key)", text)
            #expect(put.status == 200 && put.text == text, "\(place): \(put.text.prefix(300))")
            #expect(try it.raw.texts(row) == before, "\(place): \(key)")
        }
        let made = it.service.post("/Team", #"{"name":"new"}"#)
        #expect(made.status == 201, "\(place): \(made.text.prefix(300))")
        let answered = it.service.get("/changes?values=true&limit=1000")
        #expect(answered.status == 200, "\(place): \(answered.text.prefix(300))")
        #expect(!answered.text.contains(#""team":99"#) && !answered.text.contains(#""team":-5"#))
    }
}
