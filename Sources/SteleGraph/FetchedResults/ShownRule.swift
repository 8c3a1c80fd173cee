import SteleModel
import StelePersistence
import StelePredicates

/// The rule by which a reader sees the objects at the end of a path from a row.
///
/// A row shows an object only if the rule holds for it: embedded, as the id in a to-one
/// relationship, or by the ids or values of a to-many one. So whatever the rule leads to can change
/// how the row looks.
struct ShownRule: Sendable {
    /// The relationships from the row, by `Relationship.index`.
    let path: [Int]
    /// The entity of the objects.
    let entity: Entity
    let rule: Predicate
}

extension ShownRule {
    /// The rules for all objects that rows show, by the ways in which they show them.
    /// - Parameters:
    ///   - paths: the paths to embedded objects, or to those whose ids or values are shown. The
    ///     objects at each step have to be visible.
    ///   - sight: what is visible.
    ///   - rows: the entity of the rows if they are whole objects, with the ids of their to-one
    ///     relationships; nil for columns, which have the rules in their expressions.
    static func all(
        _ paths: [[Relationship]], seenBy sight: Sight, rows: Entity?
    ) -> [ShownRule] {
        var found: [[Int]: ShownRule] = [:]
        func add(_ path: [Int], to entity: Entity) {
            guard let rule = sight.rule(of: entity) else { return }
            found[path] = ShownRule(path: path, entity: entity, rule: rule)
        }
        func addLinks(of entity: Entity, _ path: [Int]) {
            for one in sight.model.entities[entity.subtree] {
                for case .relationship(let it) in one.slots {
                    add(path + [it.index], to: sight.model.destination(of: it))
                }
            }
        }
        if let rows { addLinks(of: rows, []) }
        for path in paths {
            for (index, step) in path.enumerated() {
                let part = path[...index].map(\.index)
                let entity = sight.model.destination(of: step)
                add(part, to: entity)
                addLinks(of: entity, part)
            }
        }
        return Array(found.values)
    }
}
