/// A column with many values: a key path over a to-many relationship.

import SteleModel
import StelePredicates

/// A key path that leads from a row over at least one to-many relationship, such as
/// `team.players.name`. The value of the column is a list.
package struct ManyPath: Sendable {
    /// The relationships to the objects with the values.
    package let relationships: [Relationship]
    /// The attribute at the end; nil for the ids of the objects.
    package let attribute: Attribute?
    /// The number of the column among those of its kind in the row.
    package var number = 0
    /// The place in the row of the key of the first destination, if the first relationship is
    /// to-one.
    package var place: Int?

    /// Nil for another expression.
    init?(_ expression: Expression, of entity: Entity, _ model: Model) {
        guard case .keyPath(.evaluatedObject, let path) = expression,
            let steps = try? KeyPathResolution.resolve(path, from: entity, in: model)
        else { return nil }
        var relationships: [Relationship] = []
        var end: Attribute?
        for (index, step) in steps.enumerated() {
            switch step {
            case .toOne(let it), .toMany(let it): relationships.append(it)
            case .attribute(let it) where index == steps.count - 1: end = it
            case .id where index == steps.count - 1: break
            case .attribute, .id, .entityName, .version, .collectionOperator: return nil
            }
        }
        guard relationships.contains(where: \.isToMany) else { return nil }
        self.relationships = relationships
        attribute = end
    }

    /// The key path as an expression, on which a live query's rows depend.
    var expression: Expression {
        .keyPath(.evaluatedObject, relationships.map(\.name) + (attribute.map { [$0.name] } ?? []))
    }
}
