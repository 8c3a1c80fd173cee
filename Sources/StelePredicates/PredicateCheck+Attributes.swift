/// Checks of composite, external and encrypted attributes.

import SteleModel

extension PredicateCheck {
    /// The condition that all elements of a composite are nil; nil for other comparisons.
    func compositeIsNil(_ comparison: Comparison) -> Predicate? {
        guard comparison.modifier == .direct,
            comparison.type == .equal || comparison.type == .notEqual,
            case .keyPath(.evaluatedObject, let path) = comparison.left,
            case .constant(.null) = comparison.right,
            let (composite, start) = composite(at: path)
        else { return nil }
        let parts = composite.leaves.map { leaf in
            Predicate.comparison(
                Comparison(
                    .keyPath(.evaluatedObject, start + [leaf.name]), .equal, .constant(.null)))
        }
        let isNil = Predicate.and(parts)
        return comparison.type == .equal ? isNil : .not(isNil)
    }

    /// The composite attribute at the end of a key path over to-one relationships, and the path to
    /// its object.
    private func composite(at path: [String]) -> (Attribute, start: [String])? {
        var place = entity
        for (index, key) in path.enumerated() {
            switch place.property(named: key) {
            case .relationship(let it) where !it.isToMany: place = model.destination(of: it)
            case .attribute(let it) where it.isComposite:
                let name = path[index...].joined(separator: ".")
                guard let whole = place.attribute(named: name), whole.isComposite else {
                    return nil
                }
                return (whole, Array(path[..<index]))
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
