/// A model of the change feed's filters, for comparing: what Docs/HTTP.md says of them, in Swift.

import Foundation
import SteleDifferential
import TestSupport

/// What one subscriber asks for.
struct FeedFilter: Sendable {
    /// A predicate's text, and what it means of an object.
    struct Clause: Sendable {
        let text: String
        let holds: @Sendable ([String: Any]) -> Bool
    }

    var entities: [String]?
    var updated: [String]?
    var clause: Clause?
    var values = false

    /// What is told of each entity, subentities included.
    static let families = [
        "Person": ["Person", "Employee", "Manager"], "Employee": ["Employee", "Manager"],
        "Manager": ["Manager"], "Team": ["Team"],
    ]

    /// The model that the filters know.
    static let model = """
        {"name": "Staff", "entities": [
          {"name": "Team", "attributes": [
             {"name": "name", "type": "String"}, {"name": "city", "type": "String"},
             {"name": "mark", "type": "String"}],
           "relationships": [{"name": "members", "destination": "Person", "inverse": "team", "toMany": true}]},
          {"name": "Person", "attributes": [
             {"name": "name", "type": "String"}, {"name": "age", "type": "Integer 32"},
             {"name": "mark", "type": "String"}],
           "relationships": [{"name": "team", "destination": "Team", "inverse": "members"}]},
          {"name": "Employee", "parent": "Person", "attributes": [{"name": "salary", "type": "Double"}]},
          {"name": "Manager", "parent": "Employee", "attributes": [{"name": "level", "type": "Integer 16"}]}]}
        """

    static let names = ["Ann", "Bo", "Cy", "Di", "Ed", "Ännchen"]

    init() {}

    /// A random one.
    init(_ numbers: inout SeededNumbers) {
        entities = numbers.pick(
            [nil, ["Person"], ["Employee"], ["Manager"], ["Team"], ["Team", "Employee"]], or: nil)
        values = numbers.one(in: 2)
        let told = Set(entities ?? Array(Self.families.keys))
        if numbers.one(in: 3) {
            var keys = ["name"]
            if told != ["Team"] { keys += ["age", "team"] }
            if told.contains("Team") { keys += ["city", "members"] }
            if told.contains("Employee") { keys.append("salary") }
            let first = numbers.pick(keys, or: "name")
            updated = numbers.one(in: 2) ? [first] : [first, "name"]
        }
        if entities != nil, numbers.below(3) > 0 {
            clause = Self.clause(of: told, &numbers)
            if numbers.one(in: 3) { clause = clause?.or(Self.clause(of: told, &numbers)) }
        }
    }

    private static func clause(of told: Set<String>, _ numbers: inout SeededNumbers) -> Clause {
        let name = numbers.pick(names, or: "Ann")
        let number = numbers.below(60)
        switch numbers.below(told.contains("Team") ? 2 : 6) {
        case 0: return Clause(text: "name == \"\(name)\"") { $0["name"] as? String == name }
        case 1:
            let start = String(name.prefix(1))
            return Clause(text: "name BEGINSWITH \"\(start)\"") {
                ($0["name"] as? String)?.hasPrefix(start) == true
            }
        case 2:
            return Clause(text: "age > \(number)") {
                integer($0["age"]).map { $0 > number } ?? false
            }
        case 3:
            return Clause(text: "age BETWEEN {\(number), \(number + 9)}") {
                integer($0["age"]).map { (number...number + 9).contains($0) } ?? false
            }
        case 4:
            let team = 1 + number % 5
            return Clause(text: "team == \(team)") { integer($0["team"]) == team }
        default: return Clause(text: "team == nil") { integer($0["team"]) == nil }
        }
    }

    private static func integer(_ value: Any?) -> Int? { (value as? NSNumber)?.intValue }

    /// As `GET /changes` takes it, after `?`.
    var query: String {
        var parts: [String] = []
        if let entities { parts.append("entity=\(entities.joined(separator: ","))") }
        if let updated { parts.append("updated=\(updated.joined(separator: ","))") }
        if let clause { parts.append("where=\(clause.text.percentEncoded)") }
        if values { parts.append("values=true") }
        return parts.joined(separator: "&")
    }

    /// What is told of a save of the history with its values; nil where it is no event.
    func told(of save: [String: Any]) -> [String: Any]? {
        let changes = (save["changes"] as? [[String: Any]] ?? []).compactMap(toldChange)
        if changes.isEmpty { return nil }
        var save = save
        save["changes"] = changes
        return save
    }

    private func toldChange(_ change: [String: Any]) -> [String: Any]? {
        if let entities {
            let family = Set(entities.flatMap { Self.families[$0] ?? [] })
            guard family.contains(Torture.text(change["entity"])) else { return nil }
        }
        let isUpdate = change["change"] as? String == "update"
        if let updated {
            guard isUpdate else { return nil }
            let keys = change["updated"] as? [String] ?? []
            guard keys.contains(where: updated.contains) else { return nil }
        }
        var told = change
        if let clause {
            let object = change["object"] as? [String: Any] ?? [:]
            let fits = clause.holds(object)
            let fitted = isUpdate ? clause.holds(Self.before(change)) : fits
            guard fits || fitted else { return nil }
            if fits != fitted { told[fits ? "enters" : "leaves"] = true }
        }
        if !values {
            told["object"] = nil
            told["before"] = nil
        }
        return told
    }

    /// The object of an update as it was.
    static func before(_ change: [String: Any]) -> [String: Any] {
        var object = change["object"] as? [String: Any] ?? [:]
        for (key, value) in change["before"] as? [String: Any] ?? [:] where object[key] != nil {
            object[key] = value
        }
        return object
    }
}

extension FeedFilter.Clause {
    fileprivate func or(_ other: Self) -> Self {
        Self(text: "\(text) OR \(other.text)") { [holds] in holds($0) || other.holds($0) }
    }
}
