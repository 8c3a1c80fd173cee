/// Key paths of all sorts: over to-ones, over to-manys, from variables.

import SteleModel

extension PredicateMaker {
    /// What a path shall lead to.
    enum Goal {
        case integer, real, exact, mean, decimal, boolean, text, date, uuid

        func fits(_ it: Attribute) -> Bool {
            switch (self, it.type) {
            case (.integer, .integer16), (.integer, .integer32), (.integer, .integer64): true
            case (.real, .double), (.real, .float), (.decimal, .decimal): true
            case (.boolean, .boolean), (.text, .string), (.text, .uri), (.date, .date): true
            case (.uuid, .uuid): true
            case (.mean, .integer64): false
            case (.exact, let type), (.mean, let type):
                // What adds up to the same in any order.
                (type.isInteger || type == .boolean || type == .double || type == .decimal)
                    && !it.name.hasPrefix("wild")
            default: false
            }
        }
    }

    mutating func anyStart() -> Start {
        let last = starts.count - 1
        return starts[numbers.one(in: 4) ? numbers.below(starts.count) : last]
    }

    func joined(_ start: Start, _ keys: [String]) -> String {
        let all = (start.prefix.isEmpty ? [] : [start.prefix]) + keys
        return all.isEmpty ? "SELF" : all.joined(separator: ".")
    }

    /// The to-ones or to-manys that an entity has.
    func relationships(_ entity: Entity, isToMany: Bool) -> [Relationship] {
        entity.properties.compactMap { property in
            if case .relationship(let it) = property, it.isToMany == isToMany { it } else { nil }
        }
    }

    /// Some steps over to-ones.
    mutating func steps(_ keys: inout [String], _ entity: inout Entity, most: Int) {
        for _ in 0..<numbers.below(most + 1) {
            let all = relationships(entity, isToMany: false)
            guard !all.isEmpty else { return }
            let it = all[numbers.below(all.count)]
            keys.append(it.name)
            entity = model.destination(of: it)
        }
    }

    /// A single value's key path.
    mutating func path(to goal: Goal) -> String? {
        for _ in 0..<4 {
            if numbers.one(in: 30) {
                let (text, entity) = object()
                if text != "SELF", let key = attribute(of: entity, goal) { return "\(text).\(key)" }
            }
            let start = anyStart()
            var (keys, entity) = ([String](), start.entity)
            steps(&keys, &entity, most: numbers.one(in: 2) ? 0 : 2)
            if let key = attribute(of: entity, goal) { return joined(start, keys + [key]) }
        }
        return nil
    }

    mutating func attribute(of entity: Entity, _ goal: Goal) -> String? {
        let names = entity.properties.compactMap { property -> String? in
            if case .attribute(let it) = property, goal.fits(it) { it.name } else { nil }
        }
        return names.isEmpty ? nil : names[numbers.below(names.count)]
    }

    /// An object: SELF, a variable, a to-one, or one of an ordered relationship.
    mutating func object() -> (text: String, entity: Entity) {
        if numbers.one(in: 24) {
            let (first, entity) = reached()
            for _ in 0..<3 {
                let (second, other) = reached()
                guard other.index == entity.index else { continue }
                return ("TERNARY(\(condition(0)), \(first), \(second))", entity)
            }
        }
        return reached()
    }

    /// The same by a path alone.
    private mutating func reached() -> (text: String, entity: Entity) {
        let start = anyStart()
        var (keys, entity) = ([String](), start.entity)
        steps(&keys, &entity, most: 2)
        if numbers.one(in: 5), let first = ordered(entity) {
            let place = numbers.pick("0", "1", "FIRST", "LAST", "2", "-1")
            let text = "\(joined(start, keys + [first.name]))[\(place)]"
            return (text, model.destination(of: first))
        }
        return (joined(start, keys), entity)
    }

    mutating func ordered(_ entity: Entity) -> Relationship? {
        let all = relationships(entity, isToMany: true).filter(\.isOrdered)
        return all.isEmpty ? nil : all[numbers.below(all.count)]
    }

    /// An object that can be compared with one of that entity.
    mutating func object(of entity: Entity) -> String? {
        for _ in 0..<6 {
            let (text, other) = object()
            if other.root == entity.root { return text }
        }
        return nil
    }

    /// A path over one or several to-manys, to objects.
    mutating func bag() -> (text: String, entity: Entity)? {
        for _ in 0..<4 {
            let start = anyStart()
            var (keys, entity) = ([String](), start.entity)
            steps(&keys, &entity, most: numbers.one(in: 3) ? 1 : 0)
            guard cross(&keys, &entity) else { continue }
            if numbers.one(in: 4) { steps(&keys, &entity, most: 1) }
            if numbers.one(in: 5) { _ = cross(&keys, &entity) }
            return (joined(start, keys), entity)
        }
        return nil
    }

    private mutating func cross(_ keys: inout [String], _ entity: inout Entity) -> Bool {
        let all = relationships(entity, isToMany: true)
        guard !all.isEmpty else { return false }
        let it = all[numbers.below(all.count)]
        keys.append(it.name)
        entity = model.destination(of: it)
        return true
    }

    /// Objects: a path, a SUBQUERY over one, or a set of two.
    mutating func collection(_ depth: Int) -> (text: String, entity: Entity)? {
        guard let (path, entity) = bag() else { return nil }
        if depth > 0, numbers.one(in: 3) { return (subquery(path, entity, depth - 1), entity) }
        if depth > 0, numbers.one(in: 6) {
            for _ in 0..<4 {
                guard let (other, otherEntity) = bag(), otherEntity.root == entity.root else {
                    continue
                }
                let word = numbers.pick("UNION", "INTERSECT", "MINUS")
                return ("(\(path) \(word) \(other))", entity)
            }
        }
        return (path, entity)
    }

    mutating func subquery(_ path: String, _ entity: Entity, _ depth: Int) -> String {
        let name = variable()
        starts.append(Start(prefix: name, entity: entity))
        defer { starts.removeLast() }
        return "SUBQUERY(\(path), \(name), \(predicate(depth: min(depth, 1))))"
    }

    /// Values beyond to-manys.
    mutating func values(_ goal: Goal, _ depth: Int) -> String? {
        for _ in 0..<4 {
            guard let (path, entity) = collection(depth), let key = attribute(of: entity, goal)
            else { continue }
            if numbers.one(in: 12) {
                let sign = numbers.pick(
                    "@distinctUnionOfObjects", "@unionOfObjects", "@distinctUnionOfSets")
                return numbers.one(in: 2) ? "\(path).\(sign).\(key)" : "\(path).\(key).\(sign)"
            }
            return "\(path).\(key)"
        }
        return nil
    }
}
