// The random queries and changes of a role play.

import TestSupport

extension RolePlay {
    static let toMany: Set = ["nodes", "items", "tags", "guarded", "staff", "children"]

    static func destination(_ name: String, of entity: String) -> String {
        RoleModel.destinations[name] ?? entity
    }

    // MARK: Queries

    /// The address of a random list.
    mutating func query() -> String {
        var entity = numbers.pick("Owner", "Node", "Node", "Item", "Item", "Item", "Tag", "Tag")
        var path = "/\(entity)"
        if entity == "Item", numbers.one(in: 5) { path = "/Special" }
        if numbers.one(in: 8) {
            // The members of a relationship of one object.
            let name = many(entity)
            path = "/\(entity)/\(1 + numbers.below(3))/\(name)"
            entity = Self.destination(name, of: entity)
        }
        var query: [(String, String)] = []
        if numbers.one(in: 2) { query.append(("where", condition(entity))) }
        switch numbers.below(8) {
        case 0..<3:
            if !numbers.one(in: 4) { query.append(("include", inclusion(entity))) }
            query += order(entity)
        case 3..<6: query += columns(entity) + order(entity)
        default: query += rows(entity)
        }
        let text = query.map { "\($0)=\($1.percentEncoded)" }.joined(separator: "&")
        return text.isEmpty ? path : "\(path)?\(text)"
    }

    /// A to-many relationship.
    private mutating func many(_ entity: String) -> String {
        let all = RoleModel.paths[entity, default: []].filter(Self.toMany.contains)
        return numbers.pick(all, or: "items")
    }

    /// A to-one relationship, or one of two steps.
    private mutating func one(_ entity: String) -> String {
        func all(_ entity: String) -> [String] {
            RoleModel.paths[entity, default: []].filter {
                !Self.toMany.contains($0) && $0 != "guard"
            }
        }
        let first = numbers.pick(all(entity), or: "owner")
        if !numbers.one(in: 3) { return first }
        return "\(first).\(numbers.pick(all(Self.destination(first, of: entity)), or: "owner"))"
    }

    private mutating func condition(_ entity: String) -> String {
        switch numbers.below(12) {
        case 0: "code > \(numbers.below(6))"
        case 1: "name == 'x' OR code < 4"
        case 2: "\(one(entity)).code < 5"
        case 3: "ANY \(many(entity)).name == 'a'"
        case 4: "SUBQUERY(\(many(entity)), $v, $v.code > 3).@count > 0"
        case 5: "\(many(entity)).@count > 1"
        case 6: "\(one(entity)) != nil"
        case 7: "\(many(entity)).@max.code > 4"
        case 8: "NOT (\(one(entity)).name == 'x')"
        case 9: "name MATCHES '[xya]'"
        case 10: "SUBQUERY({SELF}, $s, $s.code > 3).@count > 0"
        default: "ALL \(many(entity)).code > 2"
        }
    }

    /// Relationships to embed, of up to three steps.
    private mutating func inclusion(_ entity: String) -> String {
        var paths: [String] = []
        for _ in 0...numbers.below(2) {
            var (path, place): ([String], String) = ([], entity)
            for _ in 0...numbers.below(3) {
                let name = numbers.pick(RoleModel.paths[place, default: []], or: "owner")
                path.append(name)
                place = Self.destination(name, of: place)
            }
            paths.append(path.joined(separator: "."))
        }
        return paths.joined(separator: ",")
    }

    private mutating func columns(_ entity: String) -> [(String, String)] {
        var columns = ["name"]
        for _ in 0...numbers.below(3) {
            let (one, many) = (one(entity), many(entity))
            columns.append(
                numbers.pick(
                    "code", one, "\(one).name", many, "\(many).name", "\(many).@count",
                    "\(many).@sum.code", "_version", "_entity"))
        }
        var query = [("select", Array(Set(columns)).sorted().joined(separator: ","))]
        if numbers.one(in: 4) {
            let name = numbers.pick(
                RoleModel.paths[entity, default: []].filter { $0 != "guard" }, or: "owner")
            let below = numbers.pick(
                RoleModel.paths[Self.destination(name, of: entity), default: []], or: "owner")
            query = [
                ("select", "name,\(name)"),
                ("include", numbers.one(in: 2) ? name : "\(name).\(below)"),
            ]
        }
        return query
    }

    /// The order and the part of a list.
    private mutating func order(_ entity: String) -> [(String, String)] {
        var query: [(String, String)] = []
        if !numbers.one(in: 4) {
            let (one, many) = (one(entity), many(entity))
            query.append(
                (
                    "sort",
                    numbers.pick(
                        "code", "-name,code", "\(one).name", "-\(one).code,code",
                        "\(many).@count", "-\(many).@max.code")
                ))
        }
        if numbers.one(in: 3) { query.append(("limit", "\(1 + numbers.below(5))")) }
        if numbers.one(in: 6) { query.append(("offset", "\(1 + numbers.below(2))")) }
        return query
    }

    /// Rows of groups, of distinct values, and of totals.
    private mutating func rows(_ entity: String) -> [(String, String)] {
        let one = one(entity)
        return switch numbers.below(7) {
        case 0: [("select", "n:count(),s:sum(code)")]
        case 1: [("groupBy", one), ("select", "\(one),n:count()")]
        case 2: [("groupBy", "\(one).name"), ("select", "\(one).name,m:max(code)")]
        case 3: [("select", "code"), ("distinct", "true")]
        case 4: [("select", "\(one).name"), ("distinct", "true"), ("limit", "3")]
        case 5: [("groupBy", "_entity"), ("select", "_entity,n:count(),t:sum(code)")]
        default:
            [("groupBy", "name"), ("select", "name,n:count()"), ("having", "count() > 1")]
        }
    }

    // MARK: Changes

    /// A random change as a step of a transaction.
    /// - Parameter keys: the objects of each entity.
    mutating func step(_ keys: [String: [Int]]) -> String {
        let entity = numbers.pick("Owner", "Node", "Node", "Item", "Item", "Item", "Tag", "Tag")
        let its = keys[entity, default: []]
        let most = ["Owner": 4, "Node": 6, "Item": 9, "Tag": 5][entity] ?? 5
        if its.isEmpty || its.count < most && numbers.one(in: 3) {
            let made = entity == "Item" && numbers.one(in: 3) ? "Special" : entity
            let values = (0..<4).map { _ in value(made, keys) }
            return insert(made, Dictionary(values, uniquingKeysWith: { first, _ in first }))
        }
        let key = numbers.pick(its, or: 1)
        if its.count > 2, numbers.one(in: 9) {
            return #"{"op":"delete","object":"\#(entity)/\#(key)"}"#
        }
        let (name, new) = value(entity, keys)
        return #"{"op":"update","object":"\#(entity)/\#(key)","values":{"\#(name)":\#(new)}}"#
    }

    private func insert(_ entity: String, _ values: [String: String]) -> String {
        let texts = values.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
        return """
            {"op":"insert","entity":"\(entity)","values":{\(texts.joined(separator: ","))}}
            """
    }

    /// A property and a value for it, as JSON.
    private mutating func value(
        _ entity: String, _ keys: [String: [Int]]
    ) -> (name: String, value: String) {
        switch numbers.below(6) {
        case 0: return ("name", numbers.pick(#""x""#, #""y""#, #""a""#, #""b""#, "null"))
        case 1: return ("code", numbers.one(in: 8) ? "null" : "\(numbers.below(9))")
        default:
            let owner = entity == "Special" ? "Item" : entity
            let name = numbers.pick(
                RoleModel.paths[owner, default: []].filter { entity == "Special" || $0 != "guard" },
                or: "owner")
            let others = keys[Self.destination(name, of: owner), default: []]
            guard Self.toMany.contains(name) else {
                let isNull = others.isEmpty || numbers.one(in: 4)
                return (name, isNull ? "null" : "\(numbers.pick(others, or: 1))")
            }
            // The members of `guarded` are of a subentity.
            if name == "guarded" { return ("code", "\(numbers.below(9))") }
            var members = Set<Int>()
            for _ in 0..<numbers.below(4) where !others.isEmpty {
                members.insert(numbers.pick(others, or: 1))
            }
            return (name, "[\(members.sorted().map(String.init).joined(separator: ","))]")
        }
    }
}
