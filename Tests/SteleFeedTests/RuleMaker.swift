// Random rules of each kind of expression that leads over other objects.

import TestSupport

/// Makes random rules for the entities of `RoleModel`, which all have a code and a name.
struct RuleMaker {
    private(set) var numbers: SeededNumbers
    private var variables = 0

    private struct Path {
        let text: String
        /// The entity of the objects at its end.
        let entity: String
    }

    init(_ numbers: SeededNumbers) { self.numbers = numbers }

    /// A rule for the objects of an entity.
    mutating func rule(of entity: String) -> String { condition(entity, "", 2) }

    // MARK: Expressions

    /// - Parameters:
    ///   - prefix: a variable and a point, with which key paths begin; empty for the object itself.
    ///   - depth: how deep expressions may be in one another.
    private mutating func condition(_ entity: String, _ prefix: String, _ depth: Int) -> String {
        let number = numbers.below(7)
        let order = numbers.pick("<", "<=", ">", ">=", "==", "!=")
        switch numbers.below(depth > 0 ? 12 : 10) {
        case 0: return "\(prefix)code \(order) \(number)"
        case 1: return "\(object(entity, prefix, depth)).code \(order) \(number)"
        case 2: return "\(object(entity, prefix, depth))._version \(order) \(number)"
        case 3:
            let one = object(entity, prefix, depth)
            return numbers.pick("\(one) == nil", "\(one) != nil", "\(one).name == 'x'")
        case 4:
            let word = numbers.pick("ANY", "ALL", "NONE")
            return "\(word) \(objects(entity, prefix, depth)).code \(order) \(number)"
        case 5:
            let many = objects(entity, prefix, depth)
            let count = numbers.pick("\(many).@count", "\(many)[SIZE]", "count(\(many))")
            return "\(count) \(order) \(number % 3)"
        case 6:
            let function = numbers.pick("@max", "@min", "@sum")
            return "\(objects(entity, prefix, depth)).\(function).code \(order) \(number)"
        case 7: return "\(objects(entity, prefix, depth)).@max._version \(order) \(number)"
        case 8: return "\(1 + number % 4) IN \(objects(entity, prefix, depth))"
        case 9: return "\(prefix)code + \(object(entity, prefix, depth)).code > \(number)"
        case 10:
            let left = condition(entity, prefix, depth - 1)
            let right = condition(entity, prefix, depth - 1)
            return "(\(left)) \(numbers.pick("AND", "OR")) (\(right))"
        default: return "NOT (\(condition(entity, prefix, depth - 1)))"
        }
    }

    /// An object that others lead to.
    private mutating func object(_ entity: String, _ prefix: String, _ depth: Int) -> String {
        let all = Self.toOnes(entity)
        let path = numbers.pick(all, or: Path(text: "owner", entity: "Owner"))
        let (one, other) = (prefix + path.text, prefix + like(path, all))
        let place = numbers.pick("FIRST", "LAST", "0", "1")
        switch numbers.below(depth > 0 ? 5 : 1) {
        case 1: return "{\(one), \(other)}[\(place)]"
        case 2: return "TERNARY(\(condition(entity, prefix, depth - 1)), \(one), \(other))"
        case 3:
            // The children of a node have an order.
            let ordered = Self.toManys(entity).filter {
                $0.entity == "Node" && $0.text.hasSuffix("children")
            }
            if ordered.isEmpty { return one }
            return "\(prefix)\(numbers.pick(ordered, or: path).text)[\(place)]"
        default: return one
        }
    }

    /// A collection of objects.
    private mutating func objects(_ entity: String, _ prefix: String, _ depth: Int) -> String {
        let all = Self.toManys(entity)
        let path = numbers.pick(all, or: Path(text: "items", entity: "Item"))
        let many = prefix + path.text
        switch numbers.below(depth > 0 ? 6 : 1) {
        case 1:
            let operation = numbers.pick("UNION", "INTERSECT", "MINUS")
            return "(\(many) \(operation) \(prefix)\(like(path, all)))"
        case 2:
            variables += 1
            let variable = "$v\(variables)"
            let inner = condition(path.entity, "\(variable).", depth - 1)
            return "SUBQUERY(\(many), \(variable), \(inner))"
        case 3:
            let ones = Self.toOnes(entity)
            let one = numbers.pick(ones, or: path)
            return "{\(prefix)\(one.text), \(prefix)\(like(one, ones))}"
        case 4:
            let next = Self.links(path.entity, isToMany: numbers.one(in: 2))
            return "\(many).\(numbers.pick(next, or: path).text)"
        default: return many
        }
    }

    // MARK: Paths

    /// A path to objects of the same entity.
    private mutating func like(_ path: Path, _ all: [Path]) -> String {
        numbers.pick(all.filter { $0.entity == path.entity }, or: path).text
    }

    /// The to-one relationships of an entity, and paths of two.
    private static func toOnes(_ entity: String) -> [Path] {
        let first = links(entity, isToMany: false)
        return first + first.flatMap { links(after: $0, isToMany: false) }
    }

    /// The to-many relationships of an entity, and those at the end of to-one paths.
    private static func toManys(_ entity: String) -> [Path] {
        links(entity, isToMany: true)
            + toOnes(entity).flatMap { links(after: $0, isToMany: true) }
    }

    private static func links(after path: Path, isToMany: Bool) -> [Path] {
        links(path.entity, isToMany: isToMany).map {
            Path(text: "\(path.text).\($0.text)", entity: $0.entity)
        }
    }

    private static func links(_ entity: String, isToMany: Bool) -> [Path] {
        // Only a subentity has `guard`.
        RoleModel.paths[entity, default: []].filter {
            $0 != "guard" && RolePlay.toMany.contains($0) == isToMany
        }.map { Path(text: $0, entity: RolePlay.destination($0, of: entity)) }
    }
}
