// Temporary ids in `where`: "t1" is an id where it is compared with an object or `_id`.

import SteleModel
import StelePredicates

extension TemporaryIDs {
    /// The predicate with keys in place of temporary ids.
    /// - Parameter variables: the values of `$NAME`.
    func naming(
        _ predicate: Predicate, of entity: Entity, _ model: Model,
        _ variables: [(name: String, value: String)]
    ) -> Predicate {
        Naming(ids: self, entity: entity, model: model, variables: variables).predicate(predicate)
    }
}

/// Replaces the temporary ids of one predicate.
private struct Naming {
    let ids: TemporaryIDs
    let entity: Entity
    let model: Model
    let variables: [(name: String, value: String)]

    func predicate(_ predicate: Predicate) -> Predicate {
        switch predicate {
        case .constant: return predicate
        case .and(let parts): return .and(parts.map(self.predicate))
        case .or(let parts): return .or(parts.map(self.predicate))
        case .not(let inner): return .not(self.predicate(inner))
        case .comparison(var it):
            let (left, right) = (root(of: it.left), root(of: it.right))
            it.left = right.map { key(it.left, $0) } ?? inside(it.left)
            it.right = left.map { key(it.right, $0) } ?? inside(it.right)
            return .comparison(it)
        }
    }

    /// Replaces ids inside an expression: SUBQUERYs have predicates of their own.
    private func inside(_ expression: Expression) -> Expression {
        switch expression {
        case .keyPath(let operand, let path): .keyPath(inside(operand), path)
        case .function(let name, let arguments): .function(name, arguments.map(inside))
        case .subquery(let collection, let variable, let condition):
            .subquery(inside(collection), variable: variable, predicate(condition))
        default: expression
        }
    }

    /// Replaces ids in what is compared with objects of a family.
    private func key(_ expression: Expression, _ root: Int) -> Expression {
        switch expression {
        case .constant(.string(let text)): return key(text, root) ?? expression
        case .variable(let name):
            let value = variables.first { $0.name == name }?.value
            return value.flatMap { key($0, root) } ?? expression
        case .aggregate(let items): return .aggregate(items.map { key($0, root) })
        default: return inside(expression)
        }
    }

    private func key(_ text: String, _ root: Int) -> Expression? {
        TemporaryID.key(text).map { .constant(.int(ids.current($0, root: root))) }
    }

    /// The family of the objects or ids that an expression gives; nil for other expressions.
    private func root(of expression: Expression) -> Int? {
        var named = expression
        if case .keyPath(let operand, let path) = expression, path.last == "_id" {
            named = path.count == 1 ? operand : .keyPath(operand, path.dropLast())
        }
        let check = PredicateCheck(model: model, entity: entity)
        guard var type = try? check.check(named).1 else { return rootByName(named) }
        while case .collection(let element) = type { type = element }
        if case .object(let index) = type { return model.entities[index].root }
        return nil
    }

    /// The family of a relationship by its name alone, because the entity of a SUBQUERY's variable
    /// is not known here; nil if another property has the name.
    private func rootByName(_ expression: Expression) -> Int? {
        guard case .keyPath(_, let path) = expression, let name = path.last else { return nil }
        let properties = model.entities.compactMap { $0.property(named: name) }
        let roots = properties.map { property -> Int? in
            guard case .relationship(let it) = property else { return nil }
            return model.destination(of: it).root
        }
        guard let first = roots.first, roots.allSatisfy({ $0 == first }) else { return nil }
        return first
    }
}
