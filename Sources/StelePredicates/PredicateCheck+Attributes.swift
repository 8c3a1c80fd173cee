/// Checks of composite, external and encrypted attributes.

import SteleModel

extension PredicateCheck {
    /// The condition that all elements of a composite are nil; nil for other comparisons.
    func compositeIsNil(_ comparison: Comparison, _ scope: Scope) -> Predicate? {
        guard comparison.type == .equal || comparison.type == .notEqual,
            case .keyPath(let base, let path) = comparison.left,
            case .constant(.null) = comparison.right,
            let start = entity(of: base, scope), let found = composite(at: path, from: start)
        else { return nil }
        let isEqual = comparison.type == .equal
        guard let last = found.lastToMany else {
            guard comparison.modifier == .direct else { return nil }
            return isNil(found.composite, of: base, found.start, isEqual)
        }
        // Of the members, one at least for which it holds, or none for which it does not.
        guard comparison.modifier != .direct else { return nil }
        let isAny = comparison.modifier == .any
        let member = Expression.variable(Self.memberVariable)
        let members = Expression.subquery(
            .keyPath(base, Array(path[...last])), variable: Self.memberVariable,
            isNil(
                found.composite, of: member, Array(found.start[(last + 1)...]),
                isEqual == isAny))
        return .comparison(
            Comparison(
                .keyPath(members, ["@count"]), isAny ? .notEqual : .equal, .constant(.int(0))))
    }

    /// The variable of a SUBQUERY that the check writes: no request can have its name.
    private static let memberVariable = "member#"

    /// The entity of the object that a comparison's key path begins at; nil for other beginnings.
    private func entity(of base: Expression, _ scope: Scope) -> Entity? {
        switch base {
        case .evaluatedObject: entity
        case .variable(let name): scope.entity(of: name).map { model.entities[$0] }
        default: nil
        }
    }

    private func isNil(
        _ composite: Attribute, of base: Expression, _ start: [String], _ isEqual: Bool
    ) -> Predicate {
        let parts = composite.leaves.map { leaf in
            Predicate.comparison(
                Comparison(.keyPath(base, start + [leaf.name]), .equal, .constant(.null)))
        }
        return isEqual ? .and(parts) : .not(.and(parts))
    }

    private typealias CompositePath = (composite: Attribute, start: [String], lastToMany: Int?)

    /// The composite attribute at the end of a key path over relationships, the path to its object,
    /// and the last to-many relationship of that.
    private func composite(at path: [String], from entity: Entity) -> CompositePath? {
        var place = entity
        var lastToMany: Int?
        for (index, key) in path.enumerated() {
            switch place.property(named: key) {
            case .relationship(let it):
                if it.isToMany { lastToMany = index }
                place = model.destination(of: it)
            case .attribute(let it) where it.isComposite:
                let name = path[index...].joined(separator: ".")
                guard let whole = place.attribute(named: name), whole.isComposite else {
                    return nil
                }
                return (whole, Array(path[..<index]), lastToMany)
            default: return nil
            }
        }
        return nil
    }

    /// Refuses to compare an external value with anything but nil: the row contains only a file
    /// name, and stores do not read files for comparisons.
    func checkExternal(_ comparison: Comparison) throws(PredicateError) {
        guard model.hasExternalAttributes else { return }
        for (side, other) in [
            (comparison.left, comparison.right), (comparison.right, comparison.left),
        ] {
            guard case .keyPath(_, let path) = side, let name = path.last,
                model.entities.contains(where: { $0.attribute(named: name)?.isExternal ?? false }),
                isExternal(side)
            else { continue }
            if case .constant(.null) = other { continue }
            throw PredicateError(
                .type,
                "\(side.description) may be in an external file: it can only be compared with nil",
                near: name, hint: "write \(side.description) == nil, or != nil")
        }
    }

    private func isExternal(_ side: Expression) -> Bool {
        guard case .keyPath(.evaluatedObject, let path) = side,
            let steps = try? KeyPathResolution.resolve(path, from: entity, in: model),
            case .attribute(let attribute)? = steps.last
        else { return true }
        return attribute.isExternal
    }

    /// An expression that sorts or groups rows, checked, and its type.
    ///
    /// - Throws: `PredicateError` as for a predicate, and for a value that is encrypted or may be in
    ///   an external file.
    package func check(
        key expression: Expression
    ) throws(PredicateError) -> (Expression, ExpressionType) {
        let (checked, type) = try check(expression)
        if type == .encrypted { throw .encrypted(expression) }
        if case .keyPath(.evaluatedObject, let path) = checked,
            let steps = try? KeyPathResolution.resolve(path, from: entity, in: model),
            case .attribute(let attribute)? = steps.last, attribute.hasMarker
        {
            throw PredicateError(
                .type,
                "\(expression.description) may be in an external file: rows are neither sorted nor "
                    + "grouped by it",
                near: attribute.name, hint: "sort or group by another attribute")
        }
        return (checked, type)
    }
}
