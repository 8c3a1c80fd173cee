/// The fast path of the check, for the most frequent comparisons. It gives the same result as the
/// general one.

import SteleModel

extension PredicateCheck {
    /// What a key path over to-one relationships leads to.
    private enum Plain {
        case attribute(AttributeType)
        case toOne
    }

    /// Checks a comparison of a key path over to-one relationships with literals; nil for any other
    /// comparison. Returns the predicate itself if nothing changes.
    func plain(_ predicate: Predicate, _ comparison: Comparison) -> Predicate? {
        guard comparison.modifier == .direct, aliases.isEmpty,
            case .keyPath(.evaluatedObject, let path) = comparison.left, let plain = plain(path)
        else { return nil }
        let (type, right) = (comparison.type, comparison.right)
        switch (plain, right) {
        case (.toOne, .constant(.null)) where type == .equal || type == .notEqual:
            return predicate
        case (.attribute(let kind), .constant(let value)):
            guard let fitted = Self.fitted(value, to: kind, type) else { return nil }
            if fitted == value { return predicate }
            return Self.changed(comparison, .constant(fitted))
        case (.attribute(let kind), .aggregate(let items)):
            return list(items, of: kind, in: comparison, predicate)
        default: return nil
        }
    }

    private func plain(_ path: [String]) -> Plain? {
        guard path.count > 1 else { return path.first.flatMap { plain($0, of: entity) } }
        var place = entity
        for index in 0..<(path.count - 1) {
            guard case .relationship(let it)? = place.property(named: path[index]), !it.isToMany
            else { return nil }
            place = model.destination(of: it)
        }
        return plain(path[path.count - 1], of: place)
    }

    private func plain(_ key: String, of entity: Entity) -> Plain? {
        switch entity.property(named: key) {
        case .attribute(let it)?:
            return it.isComposite || it.isTransient || it.isExternal ? nil : .attribute(it.type)
        case .relationship(let it)?: return it.isToMany ? nil : .toOne
        default: return nil
        }
    }

    /// Checks BETWEEN and IN with a list of literals.
    private func list(
        _ items: [Expression], of kind: AttributeType, in comparison: Comparison,
        _ predicate: Predicate
    ) -> Predicate? {
        switch comparison.type {
        case .in: break
        case .between where items.count == 2: break
        default: return nil
        }
        var changed: [Expression]?
        for (index, item) in items.enumerated() {
            guard case .constant(let value) = item,
                let fitted = Self.fitted(value, to: kind, .equal)
            else { return nil }
            if fitted == value { continue }
            if changed == nil { changed = items }
            changed?[index] = .constant(fitted)
        }
        return changed.map { Self.changed(comparison, .aggregate($0)) } ?? predicate
    }

    private static func changed(_ comparison: Comparison, _ right: Expression) -> Predicate {
        .comparison(
            Comparison(
                comparison.left, comparison.type, right, options: comparison.options))
    }

    /// A literal converted to an attribute's type; nil if the general check must decide.
    private static func fitted(
        _ value: Value, to kind: AttributeType, _ type: Comparison.Operator
    ) -> Value? {
        switch type {
        case .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            switch value {
            case .string: return kind == .string ? value : nil
            case .null: return kind == .transformable ? nil : value
            case .int, .double, .decimal, .bool:
                return kind.isNumeric || kind == .boolean ? number(value, as: kind) : nil
            default: return nil
            }
        case .beginsWith, .endsWith, .like, .matches, .contains:
            guard case .string = value, kind == .string else { return nil }
            return value
        case .in, .between: return nil
        }
    }
}
