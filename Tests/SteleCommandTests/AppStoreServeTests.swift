// Stores that Apple's framework made, as `stele serve` gives them over HTTP.

import Foundation
import SteleModel
import TestSupport
import Testing

@Suite(.enabled(if: sharedFolder != nil, "the shared data is not here"))
struct AppStoreServeTests {
    /// Every object, without a model from the one in the store, and with one where there is a file.
    @Test func allObjectsAreThoseOfTheFile() throws {
        var lines = ["file | model | entities | objects | values | relationships | differences"]
        for app in AppStore.all {
            for modelPath in Set([nil, app.modelPath]) {
                let folder = try TemporaryFolder()
                let path = try app.copy(to: folder)
                let plain = try PlainReader(path, app.readModel())
                let arguments = modelPath.map { [$0, "--store", path] } ?? [path]
                let program = try Program(
                    ["serve"] + arguments + ["--port", "0"], folder: folder.path)
                let tally = try Tally(Caller(program.lines(3)), plain)
                program.signal(SIGTERM)
                let (status, log) = program.end()
                #expect(status == 0)
                let hasOwn = try !plain.integers(
                    "SELECT COUNT(*) FROM sqlite_master WHERE name = 'ATRANSACTION'"
                ).contains(0)
                #expect(log.contains("the history is an app's and is kept") == hasOwn)
                #expect(log.contains("history=\(path)-stele") == !hasOwn, "\(log)")
                let place = modelPath == nil ? "in the store" : "given"
                lines.append(
                    "\(app.file) | \(place) | \(tally.entities) | \(tally.objects) | "
                        + "\(tally.values) | \(tally.relationships) | \(tally.differences.count)")
                #expect(tally.differences == [], "\(app.file), the model \(place)")
                #expect(tally.objects > 6, "\(app.file)")
            }
        }
        print(lines.joined(separator: "\n"))
    }

    /// The app may not have read it yet.
    @Test func theHistoryOfAnAppIsKept() throws {
        let app = try #require(AppStore.all.first { $0.file.hasSuffix("SampleModel2_V1.sqlite") })
        let folder = try TemporaryFolder()
        let path = try app.copy(to: folder)
        let count = "SELECT COUNT(*) FROM ATRANSACTION"
        let before = try RawDatabase(path).texts(count)
        #expect(before == ["1"])
        func serve(_ arguments: [String], _ holds: (Caller) throws -> Bool) throws -> String {
            let program = try Program(
                ["serve", path, "--port", "0"] + arguments, folder: folder.path)
            let caller = try Caller(program.lines(3))
            try waitUntil { try holds(caller) }
            program.signal(SIGTERM)
            let (status, errors) = program.end()
            #expect(status == 0)
            return errors
        }
        func saves(_ caller: Caller) -> Int? {
            (caller.ask("GET", "/changes")?.json as? [Any])?.count
        }
        // The settings' own bound is deleted to at the start.
        let log = try serve([]) { caller in
            usleep(500_000)
            return saves(caller) == 1
        }
        #expect(log.contains("the history is an app's and is kept"), "\(log)")
        #expect(try RawDatabase(path).texts(count) == before)
        _ = try serve(["--history-days", "7"]) { saves($0) == 0 }
        #expect(try RawDatabase(path).texts(count) == ["0"])
    }
}

/// What a service gives, compared with what plain SQL finds in the file.
private struct Tally {
    var entities = 0
    var objects = 0
    var values = 0
    var relationships = 0
    var differences: [String] = []
    private let caller: Caller
    private let plain: PlainReader

    init(_ caller: Caller, _ plain: PlainReader) throws {
        self.caller = caller
        self.plain = plain
        for entity in plain.model.entities { try compare(entity) }
    }

    private func rows(_ entity: Entity, _ select: String = "") throws -> [[String: Any]] {
        let path = "/\(entity.name)?subentities=false&limit=10000\(select)"
        let answer = try #require(caller.ask("GET", path))
        return try #require(answer.json as? [[String: Any]], "\(path): \(answer.body.prefix(300))")
    }

    private mutating func compare(_ entity: Entity) throws {
        let found = try rows(entity)
        let keys = try plain.keys(entity)
        entities += 1
        objects += keys.count
        if found.compactMap({ $0["_id"] as? Int64 }) != keys {
            differences.append("\(entity.name): \(found.count) objects, \(keys.count) by SQL")
        }
        if keys.isEmpty { return }
        let versions = try plain.column("Z_OPT", entity)
        for property in entity.slots where !property.isTransient {
            let column = try plain.column("Z" + property.name.uppercased(), entity)
            for row in found {
                guard let key = row["_id"] as? Int64, let quoted = column[key] else { continue }
                values += 1
                if case .relationship = property { relationships += 1 }
                if !Self.isEqual(row[property.name], quoted, property) {
                    differences.append(
                        "\(entity.name) \(key).\(property.name): "
                            + "\(row[property.name] ?? "nothing"), \(quoted)")
                }
                if let version = row["_version"] as? Int64, versions[key] != "\(version)" {
                    differences.append("\(entity.name) \(key): version \(version)")
                }
            }
        }
        for it in entity.toManys {
            for row in try rows(entity, "&select=_id,\(it.name)") {
                guard let key = row["_id"] as? Int64, let members = row[it.name] as? [Int64] else {
                    differences.append("\(entity.name).\(it.name): \(row)")
                    continue
                }
                relationships += 1
                var (ours, theirs) = (members, try plain.members(it, of: key))
                if !it.isOrdered { (ours, theirs) = (ours.sorted(), theirs.sorted()) }
                if ours != theirs {
                    differences.append("\(entity.name) \(key).\(it.name): \(ours), \(theirs)")
                }
            }
        }
    }

    /// Whether a value of JSON is what a column has, as SQLite quotes it.
    private static func isEqual(_ value: Any?, _ quoted: String, _ property: Property) -> Bool {
        guard let value, !(value is NSNull) else { return value != nil && quoted == "NULL" }
        guard case .attribute(let attribute) = property else { return "\(value)" == quoted }
        switch attribute.type {
        case .string: return quoted == "'\("\(value)".replacing("'", with: "''"))'"
        case .boolean: return quoted == ((value as? Bool) == true ? "1" : "0")
        case .date: return isEqualDate("\(value)", quoted)
        case .uuid: return quoted == "X'\("\(value)".replacing("-", with: "").uppercased())'"
        case .binary, .transformable: return isEqualData(value, quoted)
        default: return Double("\(value)") == Double(quoted)
        }
    }

    /// HTTP gives microseconds.
    private static func isEqualDate(_ text: String, _ quoted: String) -> Bool {
        let parts = text.dropLast().split(separator: ".")
        guard let whole = ISO8601DateFormatter().date(from: parts[0] + "Z"),
            let stored = Double(quoted)
        else { return false }
        let fraction = parts.count > 1 ? Double("0.\(parts[1])") ?? .nan : 0
        return abs(whole.timeIntervalSinceReferenceDate + fraction - stored) <= 0.000_001
    }

    /// A value whose transformer is unknown is given with the transformer's name.
    private static func isEqualData(_ value: Any, _ quoted: String) -> Bool {
        let text = (value as? [String: Any])?["$base64"] ?? value
        guard let data = Data(base64Encoded: "\(text)") else { return false }
        let digits = data.map { String(format: "%02X", $0) }.joined()
        return quoted == "X'\(digits)'" || quoted == "X'01\(digits)'"
    }
}
