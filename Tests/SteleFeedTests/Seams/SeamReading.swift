// The roads by which values are read.

import Foundation
import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleService

/// A road by which all things are read, with the texts of their values.
enum ReadingRoad: String, CaseIterable {
    case object, list, select, alias, query, ndjson, exported, exportedJSON, changes, live, context
    /// With long numbers as strings.
    case strings

    /// Whether the bytes of a value in a file of its own are there.
    private var hasFiles: Bool {
        [.select, .alias, .query, .exported, .exportedJSON, .strings].contains(self)
    }

    /// Whether the road gives the values of an attribute.
    func has(_ name: String) -> Bool {
        switch name {
        case "file": hasFiles
        case "part": self != .alias
        // The history keeps no derived values.
        case "echo", "shout": ![.changes, .alias].contains(self)
        default: true
        }
    }

    /// The texts of the values in JSON, by key and name.
    func read(_ stage: SeamStage) throws -> [Int64: [String: String]] {
        let columns = (["_id"] + SeamModel.names + SeamModel.derived).joined(separator: ",")
        switch self {
        case .object:
            return try keyed(
                stage.stored().keys.map { try stage.must("GET", "/Thing/\($0)").text })
        case .list: return try list(stage, "/Thing?limit=1000")
        case .select: return try list(stage, "/Thing?limit=1000&select=\(columns)")
        case .strings:
            return try list(stage, "/Thing?limit=1000&numbers=string&select=\(columns)")
        case .alias:
            let aliases = SeamModel.names.filter { $0 != "part" }
            let list = aliases.map { "x\($0):\($0)" }.joined(separator: ",")
            let rows = try self.list(stage, "/Thing?limit=1000&select=_id,\(list)")
            return rows.mapValues { row in
                Dictionary(
                    uniqueKeysWithValues: row.map {
                        ($0.hasPrefix("x") ? String($0.dropFirst()) : $0, $1)
                    })
            }
        case .query:
            let body = "{\"limit\":1000,\"select\":\"\(columns)\"}"
            return try keyed(RawJSON.elements(stage.must("POST", "/Thing/query", body).text))
        case .ndjson:
            let text = try stage.must("GET", "/Thing?format=ndjson").text
            return try keyed(text.split(separator: "\n").map(String.init))
        case .exported:
            return try keyed(stage.export(.ndjson).split(separator: "\n").map(String.init))
        case .exportedJSON: return try keyed(RawJSON.elements(stage.export(.json)))
        case .changes:
            var target = "/changes?values=true&entity=Thing&since=0&limit=10000"
            var found: [Int64: [String: String]] = [:]
            while true {
                let answer = try stage.must("GET", target)
                for save in RawJSON.elements(answer.text) {
                    for change in RawJSON.elements(RawJSON.members(save)["changes"] ?? "") {
                        let members = RawJSON.members(change)
                        guard let key = members["_id"].flatMap({ Int64($0) }) else { continue }
                        found[key] =
                            members["change"] == "\"delete\""
                            ? nil : RawJSON.members(members["object"] ?? "")
                    }
                }
                guard let link = answer["Link"], let end = link.firstIndex(of: ">") else { break }
                target = String(link[link.index(after: link.startIndex)..<end])
            }
            return found
        case .live:
            let client = try stage.stream("/Thing?sort=_id")
            defer { client.stream.drop() }
            try #require(client.wait { $0.events.contains { $0.name == "snapshot" } })
            let rows = RawJSON.members(client.events[0].data)["rows"] ?? ""
            return try keyed(RawJSON.elements(rows).map { RawJSON.members($0)["object"] ?? "" })
        case .context:
            let opened = try stage.must("POST", "/contexts")
            let id = try #require(RawJSON.members(opened.text)["context"]).dropFirst().dropLast()
            defer { _ = stage.ask("DELETE", "/contexts/\(id)") }
            return try list(stage, "/contexts/\(id)/Thing?limit=1000")
        }
    }

    private func list(
        _ stage: SeamStage, _ target: String
    ) throws -> [Int64: [String: String]] {
        try keyed(RawJSON.elements(stage.must("GET", target).text))
    }

    private func keyed(_ objects: [String]) throws -> [Int64: [String: String]] {
        var found: [Int64: [String: String]] = [:]
        for object in objects {
            let members = RawJSON.members(object)
            found[try #require(Int64(members["_id"] ?? ""), "\(object.prefix(300))")] = members
        }
        return found
    }
}
