/// Expressions and predicates of a call, checked for one entity.

import SteleModel
import StelePredicates

/// Checks names and types for one entity.
package struct Names {
    let entity: Entity
    let model: Model
    private let variables: [(name: String, value: VariableValue)]
    private var check: PredicateCheck

    /// - Parameters:
    ///   - storeIdentifiers: the identifiers of the stores; empty if there are none.
    ///   - temporaries: the ids of an editing context's unsaved objects; nil for the store.
    package init(
        model: Model, entity: Entity, variables: [(name: String, value: VariableValue)],
        storeIdentifiers: [String], temporaries: TemporaryIDs? = nil
    ) {
        self.model = model
        self.entity = entity
        self.variables = variables
        check = PredicateCheck(
            model: model, entity: entity,
            variables: Dictionary(
                variables.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }))
        check.storeIdentifiers = storeIdentifiers
        if let temporaries {
            check.temporaryKey = { text, root in temporaries.key(text, root: root) }
        }
    }

    /// The same, with the names of checked columns as aliases.
    func naming(_ columns: [ExpressionDescription], aggregates: Bool) -> Names {
        var names = self
        names.check.allowsRowAggregates = aggregates
        names.check.aliases = Dictionary(
            columns.map { ($0.name, $0.expression) }, uniquingKeysWith: { first, _ in first })
        return names
    }

    /// Checks the predicate of `where`, or that of `having`, which may use aliases.
    /// - Throws: `PredicateError` with its place in the text.
    package func predicate(
        _ predicate: Predicate, text: String, of parameter: Parameter = .where
    ) throws -> Predicate {
        try located(in: Excerpt(text, of: parameter)) { try check.check(predicate) }
    }

    /// Checks a predicate that no parameter holds.
    func plain(_ predicate: Predicate) throws -> Predicate { try check.check(predicate) }

    /// Checks the predicate of a fetched property of an entity.
    func fetched(_ predicate: Predicate, source: Entity) throws -> Predicate {
        try check.check(predicate, source: source.index)
    }

    /// Whether a checked expression contains an aggregate over rows.
    func isAggregate(_ expression: Expression) -> Bool {
        var plain = check
        plain.aliases = [:]
        return (try? plain.isAggregate(expression)) ?? false
    }

    /// Checks a key of `sort`, or of another parameter that orders rows. It may be an alias.
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
                "\(excerpt.parameter.name): \(excerpt.text) has many values, and rows are "
                    + "sorted by one",
                hint: "order by one of its aggregates, such as count(\(excerpt.text))")
        }
        if let attribute = attribute(at: expression), attribute.isOpaque {
            throw excerpt.problem(
                "\(excerpt.parameter.name): \(excerpt.text) are bytes without an order: its value "
                    + "transformer is not registered")
        }
        return SortDescriptor(
            expression, ascending: descriptor.ascending, options: descriptor.options)
    }

    func group(_ key: ListCall.GroupKey) throws -> Expression {
        let excerpt = key.excerpt
        let (checked, type) = try located(in: excerpt) {
            try check.check(key: key.expression)
        }
        if case .collection = type {
            throw excerpt.problem("groupBy: \(excerpt.text) has many values")
        }
        if isAggregate(checked) {
            throw excerpt.problem(
                "groupBy: \(excerpt.text) is an aggregate, which is computed after grouping",
                hint: "use having for a condition on it, or sort to order by it")
        }
        return checked
    }

    func column(_ item: ListCall.SelectItem) throws -> SelectedColumn {
        let asked = item.description
        var open = check
        open.allowsRowAggregates = true
        let (expression, type) = try located(in: item.excerpt) {
            try open.check(asked.expression)
        }
        let isAggregate = try located(in: item.excerpt) {
            try open.isAggregate(asked.expression)
        }
        // Of a path over a to-many relationship, the type of the values.
        var single = type
        while case .collection(let inner) = single { single = inner }
        let transformed = transformed(expression, single)
        if single == .encrypted, transformed == nil {
            throw item.excerpt.located(.encrypted(asked.expression))
        }
        let isMany = if case .collection = type { true } else { false }
        return SelectedColumn(
            description: ExpressionDescription(name: asked.name, expression: expression),
            excerpt: item.excerpt, type: type, isAggregate: isAggregate,
            many: isMany ? ManyPath(expression, of: entity, model) : nil,
            transformed: transformed)
    }

    /// The kind of the attribute at a key path's end whose transformer converts values to JSON.
    private func transformed(_ expression: Expression, _ type: ExpressionType) -> ValueKind? {
        guard type == .value(.transformable) || type == .encrypted else { return nil }
        return attribute(at: expression).map { ValueKind($0) }
    }

    /// The attribute at a key path's end; nil for other expressions.
    private func attribute(at expression: Expression) -> Attribute? {
        guard case .keyPath(.evaluatedObject, let path) = expression,
            let steps = try? KeyPathResolution.resolve(path, from: entity, in: model),
            case .attribute(let attribute)? = steps.last
        else { return nil }
        return attribute
    }

    private func located<R>(in excerpt: Excerpt, _ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as PredicateError {
            var located = excerpt.located(error)
            if variables.contains(where: { $0.value.text.map(hasSpaceForPlus) ?? false }) {
                located.hint = plusHint
            }
            throw located
        }
    }
}

struct SelectedColumn {
    let description: ExpressionDescription
    let excerpt: Excerpt
    let type: ExpressionType
    let isAggregate: Bool
    /// The fetched property that it names, which is not an expression.
    var fetched: FetchedProperty?
    /// The composite attribute that it names, which is not a single value.
    var composite: Attribute?
    /// The transient attribute that it names, which the store does not have.
    var transient: Attribute?
    /// The path that it names, if it has many values.
    var many: ManyPath?
    /// How its values are written if a transformer converts them.
    var transformed: ValueKind?

    func relationship(of entity: Entity) -> Relationship? {
        guard case .keyPath(.evaluatedObject, let path) = description.expression, path.count == 1
        else { return nil }
        return entity.relationship(named: path[0])
    }

    /// How its values are written.
    var kind: ValueKind {
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
