// The attributes that a template's variables are compared with.

import SteleModel
import StelePredicates

extension FetchTemplate {
    /// The attribute that a variable is compared with; nil if it is not compared with one alone.
    package func attribute(comparedWith variable: String, in model: Model) -> Attribute? {
        predicate.flatMap { attribute(comparedWith: variable, in: $0, model) }
    }

    private func attribute(
        comparedWith variable: String, in predicate: Predicate, _ model: Model
    ) -> Attribute? {
        switch predicate {
        case .constant: return nil
        case .not(let inner): return attribute(comparedWith: variable, in: inner, model)
        case .and(let parts), .or(let parts):
            return parts.lazy.compactMap { attribute(comparedWith: variable, in: $0, model) }.first
        case .comparison(let it):
            switch it.type {
            case .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
                for (side, other) in [(it.left, it.right), (it.right, it.left)] {
                    guard case .variable(variable) = side,
                        case .keyPath(.evaluatedObject, let path) = other
                    else { continue }
                    return attribute(at: path, model)
                }
                return nil
            default: return nil
            }
        }
    }

    /// The attribute at the end of a key path over relationships.
    private func attribute(at path: [String], _ model: Model) -> Attribute? {
        var entity = entity
        for (index, name) in path.enumerated() {
            if let found = entity.attribute(named: path[index...].joined(separator: ".")) {
                return found
            }
            guard let relationship = entity.relationship(named: name) else { return nil }
            entity = model.destination(of: relationship)
        }
        return nil
    }
}
