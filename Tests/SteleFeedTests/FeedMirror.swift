// What a client of a role has that keeps the changes of the feed.

import SteleJSON
import SteleModel
import TestSupport
import Testing

@testable import SteleService

/// The objects of a role, kept by the pages of its feed.
struct FeedMirror {
    let role: String
    private let stage: RightsStage
    private let model: Model
    private var target: String
    private(set) var objects: Set<String> = []

    init(_ stage: RightsStage, _ model: Model, role: String, since token: String) throws {
        self.stage = stage
        self.model = model
        self.role = role
        target = "/changes?since=\(token)"
        objects = try listed()
    }

    /// Takes all changes since the last ones.
    mutating func follow() throws {
        let token = try stage.token
        var next: String? = target
        while let page = next {
            let response = stage.ask(role, "GET", page)
            try #require(response.status == 200, "\(page): \(LiveStage.text(response))")
            let saves = JSONValue(try JSONDocument(LiveStage.text(response)).root)
            for change in RightsStage.short(saves) {
                let words = change.split(separator: " ").map(String.init)
                let object = "\(root(words[1])) \(words[2])"
                switch words[0] {
                case "insert": objects.insert(object)
                case "delete": objects.remove(object)
                default: break
                }
            }
            next = response.headers.first { $0.name == "Link" }.map {
                String($0.value.dropFirst().prefix { $0 != ">" })
            }
        }
        target = "/changes?since=\(token)"
    }

    /// What the role's lists have, as `Node 3`.
    func listed() throws -> Set<String> {
        var found: Set<String> = []
        for entity in model.entities {
            let response = stage.ask(role, "GET", "/\(entity.name)?select=_id&limit=10000")
            if response.status == 403 { continue }
            try #require(response.status == 200, "\(LiveStage.text(response))")
            let rows = JSONValue(try JSONDocument(LiveStage.text(response)).root)
            guard case .array(let rows) = rows else { continue }
            for row in rows { found.insert("\(root(entity.name)) \(row["_id"]?.compact ?? "?")") }
        }
        return found
    }

    private func root(_ entity: String) -> String {
        model.entity(named: entity).map { model.entities[$0.root].name } ?? entity
    }
}
