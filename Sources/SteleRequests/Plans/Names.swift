/// Expressions and predicates looked up in the model: what a call's texts mean for one entity.

import SteleModel
import StelePredicates

/// Checks names and types for one entity.
package struct Names {
    package let entity: Entity
    package let model: Model
    private let variables: [(name: String, value: String)]
    private var check: PredicateCheck

    /// - Parameter storeIdentifier: the store that is asked.
    package init(
        model: Model, entity: Entity, variables: [(name: String, value: String)],
        storeIdentifier: String?
    ) {
        self.model = model
        self.entity = entity
        self.variables = variables
        check = PredicateCheck(
            model: model, entity: entity,
            variables: Dictionary(
                variables.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }))
        check.storeIdentifier = storeIdentifier
    }

    /// The same where names may also be those of checked columns.
    func naming(_ columns: [ExpressionDescription], aggregates: Bool) -> Names {
        var names = self
        names.check.allowsRowAggregates = aggregates
        names.check.aliases = Dictionary(
            columns.map { ($0.name, $0.expression) }, uniquingKeysWith: { first, _ in first })
        return names
    }

    /// The predicate of `where`.
    /// - Throws: `PredicateError` with the place in the text.
    package func predicate(_ predicate: Predicate, text: String) throws -> Predicate {
        try located(in: Excerpt(text, of: .where)) { try check.check(predicate) }
    }

    /// A predicate that is no parameter's.
    package func plain(_ predicate: Predicate) throws -> Predicate { try check.check(predicate) }

    /// The predicate of `having`; it may name aliases.
    func having(_ predicate: Predicate, text: String) throws -> Predicate {
        try located(in: Excerpt(text, of: .having)) { try check.check(predicate) }
    }

    /// The predicate of a fetched property of that entity.
    package func fetched(_ predicate: Predicate, source: Entity) throws -> Predicate {
        try check.check(predicate, source: source.index)
    }

    /// Whether a checked expression holds an aggregate over rows.
    func isAggregate(_ expression: Expression) -> Bool {
        var plain = check
        plain.aliases = [:]
        return (try? plain.isAggregate(expression)) ?? false
    }

    /// A key of `sort`, or of another parameter that orders rows; it may name an alias.
    func sortDescriptor(
        _ descriptor: SortDescriptor, _ excerpt: Excerpt
    ) throws -> SortDescriptor {
        let (expression, type) = try located(in: excerpt) {
            do throws(PredicateError) { return try check.check(key: descriptor.expression) } catch {
                guard let hint = ListPiece(excerpt: excerpt).sortHint else { throw error }
                var hinted = error
                hinted.hint = hint
                throw hinted
            }
        }
        if case .collection = type {
            throw excerpt.problem(
                "\(excerpt.parameter.rawValue): \(excerpt.text) leads to many values, and a row is sorted by one",
                hint: "order by one of its aggregates, such as count(\(excerpt.text))")
        }
        return SortDescriptor(
            expression, ascending: descriptor.ascending, options: descriptor.options)
    }

    /// A key of `groupBy`.
    package func group(_ key: ListCall.GroupKey) throws -> Expression {
        let excerpt = key.excerpt
        let (checked, type) = try located(in: excerpt) {
            try check.check(key: key.expression)
        }
        if case .collection = type {
            throw excerpt.problem("groupBy: \(excerpt.text) leads to many values")
        }
        if isAggregate(checked) {
            throw excerpt.problem(
                "groupBy: \(excerpt.text) is an aggregate, and groups are made before those",
                hint: "a condition on it is having, an order by it sort")
        }
        return checked
    }

    /// A column of `select`, with what its text means.
    package func column(_ item: ListCall.SelectItem) throws -> SelectedColumn {
        let asked = item.description
        var open = check
        open.allowsRowAggregates = true
        let (expression, type) = try located(in: item.excerpt) {
            try open.check(asked.expression)
        }
        let isAggregate = try located(in: item.excerpt) {
            try open.isAggregate(asked.expression)
        }
        let transformed = transformed(expression, type)
        if type == .encrypted, transformed == nil {
            throw item.excerpt.located(.encrypted(asked.expression))
        }
        return SelectedColumn(
            description: ExpressionDescription(name: asked.name, expression: expression),
            excerpt: item.excerpt, type: type, isAggregate: isAggregate,
            transformed: transformed)
    }

    /// The attribute at a key path's end where a transformer makes JSON of its values.
    private func transformed(_ expression: Expression, _ type: ExpressionType) -> ValueKind? {
        guard type == .value(.transformable) || type == .encrypted,
            case .keyPath(.evaluatedObject, let path) = expression,
            let steps = try? KeyPathResolution.resolve(path, from: entity, in: model),
            case .attribute(let attribute)? = steps.last
        else { return nil }
        return ValueKind(attribute)
    }

    private func located<R>(in excerpt: Excerpt, _ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as PredicateError {
            var located = excerpt.located(error)
            if variables.contains(where: { hasSpaceForPlus($0.value) }) { located.hint = plusHint }
            throw located
        }
    }
}

/// A column of `select`, checked.
package struct SelectedColumn {
    package let description: ExpressionDescription
    /// Where it is written.
    let excerpt: Excerpt
    package let type: ExpressionType
    let isAggregate: Bool
    /// The fetched property that it names, which is no expression.
    package var fetched: FetchedProperty?
    /// The composite attribute that it names, which is no single value.
    package var composite: Attribute?
    /// How its values are written, where a transformer does it.
    package var transformed: ValueKind?

    /// The single property that it names, or nil.
    package func relationship(of entity: Entity) -> Relationship? {
        guard case .keyPath(.evaluatedObject, let path) = description.expression, path.count == 1
        else { return nil }
        return entity.relationship(named: path[0])
    }

    /// How its values are written.
    package var kind: ValueKind {
        if let transformed { return transformed }
        return switch type {
        case .value(.float): .float
        case .value(.transformable): .json
        default: .plain
        }
    }

    /// Whether it is the name of the row's entity.
    var isEntityName: Bool { description.expression == .key("_entity") }
}
