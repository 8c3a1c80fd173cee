// Random predicates over the test model, as text.

import SteleModel

/// Makes predicates of one entity, key paths and operators of all sorts.
struct RandomPredicate {
    var random: SeededGenerator

    private mutating func pick(_ items: [String]) -> String {
        items.randomElement(using: &random) ?? ""
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &random)
    }

    mutating func predicate(_ entity: String, depth: Int = 3) -> String {
        let less = depth - 1
        return switch depth == 0 ? 9 : number(0...9) {
        case 0: "(\(predicate(entity, depth: less)) AND \(predicate(entity, depth: less)))"
        case 1: "(\(predicate(entity, depth: less)) OR \(predicate(entity, depth: less)))"
        case 2, 3: "NOT (\(predicate(entity, depth: less)))"
        case 4, 5: quantified(entity)
        default: comparison(entity, prefix: "")
        }
    }

    /// Keys of numbers, texts and objects.
    private func keys(_ entity: String) -> (numbers: [String], texts: [String], objects: [String]) {
        switch entity {
        case "League": (["_id", "_version"], ["name"], ["SELF"])
        case "Skill": (["_id", "points"], ["name"], ["SELF"])
        case "Team":
            (["_id", "founded", "league._id"], ["name", "league.name"], ["league", "SELF"])
        case "Employee", "Director":
            (
                ["age", "salary", "boss.age", "team.founded", "boss.team._id", "boss.boss.salary"],
                ["name", "title", "boss.name", "team.league.name", "_entity", "boss._entity"],
                ["team", "boss", "boss.team", "SELF"]
            )
        default:
            (
                ["age", "salary", "_id", "_version", "active", "team.founded", "team._version"],
                ["name", "team.name", "team.league.name", "_entity"],
                ["team", "team.league", "SELF"]
            )
        }
    }

    /// To-manys with the entity that they lead to.
    private func toManys(_ entity: String) -> [(path: String, entity: String)] {
        switch entity {
        case "League": [("teams", "Team"), ("teams.members", "Person"), ("teams.fans", "Person")]
        case "Skill": [("people", "Person"), ("people.team.members", "Person")]
        case "Team":
            [
                ("members", "Person"), ("fans", "Person"), ("members.skills", "Skill"),
                ("league.teams", "Team"), ("members.team", "Team"),
            ]
        default:
            [
                ("skills", "Skill"), ("friends", "Person"), ("team.members", "Person"),
                ("friends.friends", "Person"), ("friends.team", "Team"), ("team.fans", "Person"),
            ]
        }
    }

    private mutating func order() -> String { pick(["==", "!=", "<", "<=", ">", ">="]) }

    private mutating func literal() -> String {
        pick(["0", "1", "2", "3", "-1", "1.5", "0.5", "nil", "7"])
    }

    private mutating func text() -> String {
        let value = FetchingGraph.texts.randomElement(using: &random) ?? ""
        return pick(["nil", "\"\(value)\"", "\"\(value)\"", "\"Employee\"", "\"\(value)\""])
    }

    private mutating func options() -> String { pick(["", "", "[c]", "[d]", "[cd]", "[l]"]) }

    private mutating func comparison(_ entity: String, prefix: String) -> String {
        let keys = keys(entity)
        func path(_ key: String) -> String {
            if prefix.isEmpty { return key }
            return key == "SELF" ? prefix : "\(prefix).\(key)"
        }
        let (a, b) = (path(pick(keys.numbers)), path(pick(keys.numbers)))
        let (s, t) = (path(pick(keys.texts)), path(pick(keys.texts)))
        let object = path(pick(keys.objects))
        switch number(0...15) {
        case 13: return "\(pick(["abs", "floor", "ceiling", "sqrt"]))(\(a)) \(order()) \(literal())"
        case 14: return "TERNARY(\(a) > \(b), \(s), \(t)) \(order()) \(text())"
        case 15:
            return pick([
                "modulus(\(a), 2) == 1", "\(a) & 3 == 1",
                "\(a) * \(b) + \(a) > \(b) / 2",
            ])
        case 0, 1: return "\(a) \(order()) \(literal())"
        case 2: return "\(literal()) \(order()) \(a)"
        case 3: return "\(a) \(order()) \(b)"
        case 4: return "\(a) \(pick(["+", "-", "*", "/"])) \(b) \(order()) \(pick(["1", "2", "0"]))"
        case 5: return "\(a) BETWEEN {\(pick(["0", "1", "nil"])), \(pick(["2", "3"]))}"
        case 6: return "\(a) IN {\(literal()), \(literal()), \(literal())}"
        case 7: return "\(s) \(order())\(options()) \(text())"
        case 8: return "\(s) \(order())\(options()) \(t)"
        case 9:
            let sign = pick(["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE"])
            return "\(s) \(sign)\(options()) \(pick([text(), text(), t]))"
        case 10: return "\(s) IN\(options()) {\(text()), \(text())}"
        case 11: return "\(object) \(pick(["==", "!="])) \(pick(["1", "2", "3", "nil"]))"
        default: return "\(object) IN {\(pick(["1", "2", "nil"])), 3, 4}"
        }
    }

    private mutating func quantified(_ entity: String) -> String {
        let all = toManys(entity)
        let (path, inner) = all[number(0...(all.count - 1))]
        let keys = keys(inner)
        switch number(0...8) {
        case 0:
            let sign = pick(["==", "!=", ">", "<="])
            return "\(path).@count \(sign) \(pick(["0", "1", "2"]))"
        case 1:
            let operation = pick(["@sum", "@min", "@max", "@avg"])
            return "\(path).\(operation).\(pick(keys.numbers)) \(order()) \(literal())"
        case 2: return "\(pick(["1", "2", "3"])) IN \(path)"
        case 3: return "\(path).\(pick(keys.texts)) CONTAINS \(text())"
        case 4:
            let condition = comparison(inner, prefix: "$x")
            let sign = pick(["> 0", "== 0", "> 1", "!= 1"])
            return "SUBQUERY(\(path), $x, \(condition)).@count \(sign)"
        case 5:
            let outer = pick(self.keys(entity).numbers)
            return "SUBQUERY(\(path), $x, $x.\(pick(keys.numbers)) > \(outer)).@count > 0"
        case 6:
            let outer = pick(self.keys(entity).numbers)
            let word = pick(["ANY", "ALL", "NONE"])
            return "\(word) \(path).\(pick(keys.numbers)) \(order()) \(outer)"
        default:
            return "\(pick(["ANY", "ALL", "NONE"])) \(comparison(inner, prefix: path))"
        }
    }
}
