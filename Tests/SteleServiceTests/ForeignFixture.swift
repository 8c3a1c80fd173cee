// A store with what other programs leave in it: by seed, with what plain SQL finds in it.

import Foundation
import SteleModel
import SteleSQLite
import TestSupport
import Testing

@testable import SteleService

/// How a column's contents are read.
enum ForeignKind { case text, double, date, boolean, integer, decimal, uuid }

/// A value as a text, and the place that it has in an order; null is before all others.
struct ForeignValue: Hashable {
    var text: String?
    var number = 0.0
    var bytes: [UInt8] = []

    static let none = ForeignValue()

    static func < (a: Self, b: Self) -> Bool {
        if (a.text == nil) != (b.text == nil) { return a.text == nil }
        if a.number != b.number { return a.number < b.number }
        return a.bytes.lexicographicallyPrecedes(b.bytes)
    }
}

/// Players of teams, whose rows another program has damaged.
struct ForeignFixture {
    static let columns: [(name: String, kind: ForeignKind)] = [
        ("name", .text), ("score", .double), ("weight", .double), ("born", .date),
        ("flag", .boolean), ("n", .integer), ("m", .integer), ("price", .decimal), ("uid", .uuid),
    ]

    let service: ServiceFixture
    let raw: RawDatabase
    var numbers: SeededNumbers

    init(seed: UInt64) throws {
        numbers = SeededNumbers(seed: seed)
        let model = try makeModel([
            EntityMaker("Team").attribute("name", .string)
                .toMany("players", "Player", inverse: "team")
                .toMany("fans", "Player", inverse: "likes").toMany("mascots", "Player"),
            EntityMaker("Club", parent: "Team").attribute("rank", .integer32),
            EntityMaker("Player").attribute("name", .string)
                .attribute("score", .double) { $0.isOptional = false }
                .attribute("weight", .float).attribute("born", .date).attribute("flag", .boolean)
                .attribute("n", .integer32).attribute("m", .integer64).attribute("price", .decimal)
                .attribute("uid", .uuid).attribute("note", .string)
                .toOne("team", "Team", inverse: "players").toOne("club", "Club")
                .toMany("likes", "Team", inverse: "fans")
                .index("byScore", on: "score").index("byName", on: "name")
                .index("byFlag", on: "flag").index("byUID", on: "uid").index("byN", on: "n"),
        ])
        service = try ServiceFixture(model)
        raw = try RawDatabase(service.path)
        try fill()
    }

    private mutating func fill() throws {
        let teams = service.post("/Team", #"[{"name":"A"},{"name":"B"},{"name":"C"},{"name":"D"}]"#)
        try #require(teams.status == 201, "\(teams.text)")
        try #require(service.post("/Club", #"[{"name":"E"},{"name":"F"}]"#).status == 201)
        let players = (1...17).map { place in
            let uid = "00000000-0000-0000-0000-0000000000\(numbers.below(80) + 10)"
            return """
                {"name":"\(numbers.pick("a", "b", "ba", "é"))","score":\(numbers.below(5)).5,\
                "weight":\(numbers.below(4)).25,"born":"2020-01-0\(numbers.below(5) + 1)T00:00:00Z",\
                "flag":\(numbers.one(in: 2)),"n":\(numbers.below(4)),"m":\(numbers.below(4)),\
                "price":\(numbers.below(4)),"uid":"\(uid)","team":\(numbers.below(6) + 1),\
                "club":\(numbers.below(2) + 5),"likes":[\(numbers.below(3) + 1),\
                \(numbers.below(3) + 4)]}
                """
        }
        let made = service.post("/Player", "[\(players.joined(separator: ","))]")
        try #require(made.status == 201, "\(made.text)")
        for team in 1...3 {
            let link = service.ask(
                "PATCH", "/Team/\(team)", #"{"mascots":[\#(team * 2),\#(team * 2 + 1)]}"#)
            try #require(link.status == 200, "\(link.text)")
        }
    }

    /// What other programs store, by column.
    private static let contents: [String: [String]] = [
        "ZNAME": [
            "CAST(X'61FF' AS TEXT)", "CAST(X'FE62' AS TEXT)", "X'6162'", "CAST(X'61C3' AS TEXT)",
        ],
        "ZSCORE": ["9e999", "-9e999", "'abc'", "X'01'"], "ZWEIGHT": ["9e999", "-9e999", "'1x'"],
        "ZBORN": ["9e999", "-9e999", "'abc'", "1.7976931348623157e308", "-4e18"],
        "ZFLAG": ["2", "-1", "0.5", "'x'"],
        "ZN": ["'abc'", "1.5", "X'35'"], "ZM": ["2.5", "'abc'"],
        "ZPRICE": ["'abc'", "X'6162'", "9e999", "-9e999"],
        "ZUID": [
            "'6BA7B810-9DAD-11D1-80B4-00C04FD430C8'", "'6ba7b810-9dad-11d1-80b4-00c04fd430c8'",
            "'0123456789abcdef'", "X'01'", "7",
        ],
        "ZTEAM": ["99", "-5", "'abc'", "0", "-9e999", "-1e19"],
        "ZCLUB": ["1", "2", "99", "-9e999"],
        "Z_OPT": ["NULL", "'x'", "1.5", "X'FF'", "9e999", "-9e999", "-5"],
    ]

    /// Writes foreign contents, links to nothing, and counters that are too low.
    mutating func damage() throws {
        var lines = ["BEGIN"]
        for (column, contents) in Self.contents.sorted(by: { $0.key < $1.key }) {
            for key in 1...17 where numbers.one(in: 6) {
                let content = numbers.pick(contents, or: "NULL")
                lines.append("UPDATE ZPLAYER SET \(column) = \(content) WHERE Z_PK = \(key)")
            }
        }
        let owner = try mascots()
        for key in 1...6 where numbers.one(in: 3) {
            lines.append("UPDATE ZPLAYER SET \(owner) = 88 WHERE Z_PK = \(key)")
        }
        for key in 1...4 where numbers.one(in: 3) {
            let number = numbers.pick("77", "NULL", "-1")
            lines.append("UPDATE ZTEAM SET Z_ENT = \(number) WHERE Z_PK = \(key)")
        }
        if numbers.one(in: 2) {
            lines.append("DELETE FROM ZTEAM WHERE Z_PK = \(numbers.below(6) + 1)")
        }
        let (table, player, team) = try join()
        for ends in ["99, 1", "98, 2", "3, 97", "4, 96", "NULL, 1"] where numbers.one(in: 2) {
            lines.append("INSERT OR IGNORE INTO \(table) (\(player), \(team)) VALUES (\(ends))")
        }
        lines.append("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT > 16000")
        try raw.run((lines + ["COMMIT"]).joined(separator: "; "))
        (service.coordinator.store as? SQLiteStore)?.findForeignValues()
    }

    /// The join table, and its columns.
    func join() throws -> (table: String, player: String, team: String) {
        let table = try raw.texts(
            "SELECT name FROM sqlite_master WHERE name IN ('Z_2FANS', 'Z_1LIKES') AND type = 'table'"
        )[0]
        let columns = try raw.texts("SELECT name FROM pragma_table_info('\(table)')")
        let player = columns.first { $0.hasSuffix("FANS") } ?? ""
        return (table, player, columns.first { $0.hasSuffix("LIKES") } ?? "")
    }

    /// The column with the owners of mascots.
    func mascots() throws -> String {
        try raw.texts(
            "SELECT name FROM pragma_table_info('ZPLAYER') WHERE name LIKE 'Z%MASCOTS'")[0]
    }

    // MARK: What plain SQL finds

    var keys: [Int] { get throws { try integers("SELECT Z_PK FROM ZPLAYER ORDER BY Z_PK") } }

    func integers(_ sql: String) throws -> [Int] { try raw.texts(sql).compactMap { Int($0) } }

    /// The values of a column, by key.
    func values(_ name: String, _ kind: ForeignKind) throws -> [Int: ForeignValue] {
        let column = "Z" + name.uppercased()
        let rows = try raw.texts(
            "SELECT Z_PK || ' ' || typeof(\(column)) || ' ' || CASE typeof(\(column)) "
                + "WHEN 'text' THEN hex(CAST(\(column) AS BLOB)) WHEN 'blob' THEN hex(\(column)) "
                + "WHEN 'real' THEN printf('%!.17g', \(column)) "
                + "WHEN 'null' THEN '' ELSE \(column) END FROM ZPLAYER")
        var values: [Int: ForeignValue] = [:]
        for row in rows {
            let words = row.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            values[Int(words[0]) ?? 0] = Self.value(words[1], words[2], kind)
        }
        return values
    }

    /// The keys of a to-one's destinations, by key; none where the row is not there.
    func destinations(_ column: String, _ condition: String) throws -> [Int: Int] {
        var found: [Int: Int] = [:]
        for row in try raw.texts(
            "SELECT p.Z_PK || ' ' || t.Z_PK FROM ZPLAYER p JOIN ZTEAM t ON t.Z_PK = p.\(column) "
                + "WHERE \(condition)")
        {
            let words = row.split(separator: " ").compactMap { Int($0) }
            found[words[0]] = words[1]
        }
        return found
    }

    /// The teams that a player likes, of which there are rows.
    func likes(_ key: Int) throws -> [Int] {
        let (table, player, team) = try join()
        return try integers(
            "SELECT j.\(team) FROM \(table) j JOIN ZTEAM t ON t.Z_PK = j.\(team) "
                + "WHERE j.\(player) = \(key) ORDER BY 1")
    }

    private static func value(_ type: String, _ text: String, _ kind: ForeignKind) -> ForeignValue {
        if type == "null" { return .none }
        let isNumber = type == "integer" || type == "real"
        let bytes = isNumber ? Array(text.utf8) : self.bytes(text)
        let plain = String(decoding: bytes, as: UTF8.self)
        // SQLite reads the number that a text begins with.
        let real = isNumber ? Double(text) ?? 0 : Double(plain.prefix { $0.isNumber }) ?? 0
        let whole = Int(exactly: real.rounded(.towardZero)) ?? 0
        switch kind {
        case .text: return ForeignValue(text: plain, bytes: Array(plain.utf8))
        case .double:
            return real.isFinite ? ForeignValue(text: "\(real)", number: real) : .none
        case .date: return abs(real) < 3e18 ? ForeignValue(text: date(real), number: real) : .none
        case .boolean:
            return ForeignValue(text: "\(whole != 0)", number: whole == 0 ? 0 : 1)
        case .integer: return ForeignValue(text: "\(whole)", number: Double(whole))
        case .decimal:
            return isNumber && real.isFinite ? ForeignValue(text: "\(whole)", number: real) : .none
        case .uuid:
            if type == "blob", bytes.count == 16 { return ForeignValue(text: text, bytes: bytes) }
            guard type == "text", let uuid = UUID(uuidString: plain) else { return .none }
            let digits = uuid.uuidString.replacing("-", with: "")
            return ForeignValue(text: digits, bytes: self.bytes(digits))
        }
    }

    private static func bytes(_ digits: String) -> [UInt8] {
        stride(from: 0, to: digits.count, by: 2).compactMap { place in
            UInt8(digits.dropFirst(place).prefix(2), radix: 16)
        }
    }

    private static func date(_ seconds: Double) -> String {
        ISO8601DateFormatter().string(from: Date(timeIntervalSinceReferenceDate: seconds))
    }

    // MARK: What the service answers

    /// The objects of an answer.
    func objects(_ target: String) throws -> [[String: Any]] {
        let answer = service.get(target)
        try #require(answer.status == 200, "\(target): \(answer.text.prefix(300))")
        return try Self.objects(answer)
    }

    static func objects(_ answer: Answer) throws -> [[String: Any]] {
        try #require(
            try JSONSerialization.jsonObject(with: Data(answer.bytes)) as? [[String: Any]])
    }

    /// The keys of the objects of an answer.
    func keys(_ target: String) throws -> [Int] {
        try objects(target).compactMap { $0["_id"] as? Int }
    }

    /// The value of a member as a text; nil for null.
    static func text(_ member: Any?, _ kind: ForeignKind) -> String? {
        switch kind {
        case .text, .date: member as? String
        case .double: (member as? NSNumber).map { "\($0.doubleValue)" }
        case .boolean: (member as? NSNumber).map { "\($0.boolValue)" }
        case .integer, .decimal: (member as? NSNumber).map { "\($0.intValue)" }
        case .uuid: (member as? String)?.replacing("-", with: "")
        }
    }
}
