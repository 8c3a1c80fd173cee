// What a client of the change feed has.

import SteleJSON
import TestSupport

@testable import SteleHTTP
@testable import SteleService

/// The objects that a client has who began with the lists of a role and has followed its feed since,
/// each with its name and code.
struct FeedMirror {
    let role: RolePlay.Role
    private var objects: [String: String]
    /// The token of the last save that was followed.
    private var token: String
    /// The changes that the feed has reported.
    private(set) var changes = 0

    struct Unexpected: Error { let text: String }

    init(_ role: RolePlay.Role, _ stage: RightsStage) throws {
        self.role = role
        token = try stage.token
        objects = try Self.lists(role, stage)
    }

    /// Follows the saves since the last time.
    /// - Returns: what differs from the lists then; nil for nothing.
    mutating func follow(_ stage: RightsStage) throws -> String? {
        let told = stage.ask(role.name, "GET", "/changes?values=true&since=\(token)")
        for save in try Self.values(told) {
            guard case .array(let all)? = save["changes"] else { continue }
            for change in all { take(change) }
        }
        let lists = try Self.lists(role, stage)
        let all = LiveStage.text(stage.ask("root", "GET", "/changes?since=\(token)"))
        token = try stage.token
        // The history keeps no orders: a client with a rule of positions reads its lists again.
        let isOfMembers = all.contains("\"children\"") || all.contains("\"parent\"")
        if isOfMembers, role.entities.contains("children[") { objects = lists }
        if objects == lists { return nil }
        let ids = Set(objects.keys).union(lists.keys).filter { objects[$0] != lists[$0] }
        let differences = ids.sorted().map {
            "\($0): \(objects[$0] ?? "none"), and in the list \(lists[$0] ?? "none")"
        }
        return """
            role \(role.name) \(role.entities):
            \(differences.joined(separator: "\n"))
            the feed: \(LiveStage.text(told))
            all changes: \(all)
            """
    }

    private mutating func take(_ change: JSONValue) {
        changes += 1
        // Special is a subentity of Item.
        let entity = (change["entity"]?.compact ?? "").filter { $0 != "\"" }
        let id = Self.id(entity == "Special" ? "Item" : entity, change)
        if change["change"]?.compact == "\"delete\"" {
            objects[id] = nil
        } else {
            objects[id] = change["object"].map(Self.text) ?? "no values"
        }
    }

    /// What the lists of a role have.
    private static func lists(
        _ role: RolePlay.Role, _ stage: RightsStage
    ) throws -> [String: String] {
        var found: [String: String] = [:]
        for entity in RoleModel.paths.keys {
            let list = stage.ask(role.name, "GET", "/\(entity)?select=_id,name,code")
            if list.status == 403 { continue }
            for row in try values(list) { found[id(entity, row)] = text(row) }
        }
        return found
    }

    private static func values(_ response: Response) throws -> [JSONValue] {
        let text = LiveStage.text(response)
        guard response.status == 200,
            case .array(let values) = JSONValue(try JSONDocument(text).root)
        else { throw Unexpected(text: text) }
        return values
    }

    private static func id(_ entity: String, _ object: JSONValue) -> String {
        "\(entity)/\(object["_id"]?.compact ?? "?")"
    }

    private static func text(_ object: JSONValue) -> String {
        "\(object["name"]?.compact ?? "?") \(object["code"]?.compact ?? "?")"
    }
}
