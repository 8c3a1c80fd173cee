import SteleModel
import StelePersistence
import StelePredicates
import SteleSQL

/// What of the predicate language is translated to the SQL of PostgreSQL. A request with anything
/// else is evaluated in memory, over the objects that it may need, so that it has the meaning that
/// it has on every store.
///
/// Only comparisons are translated whose meaning in PostgreSQL is exactly that of the predicate
/// language: a column with values of its own type. PostgreSQL would round an integer that it
/// compares with a double, for instance.
struct PostgreSQLLanguage: Sendable {
    let translator: FetchTranslator
    private var model: Model { translator.schema.model }

    init(_ translator: FetchTranslator) { self.translator = translator }

    /// The most values of all lists of a request. PostgreSQL takes 65,535 parameters.
    private static let values = 4_000

    /// Whether a request is translated.
    func has(_ request: FetchRequest) -> Bool {
        guard request.source == nil, request.havingPredicate == nil,
            request.propertiesToGroupBy.isEmpty, !request.returnsDistinctResults
        else { return false }
        let entity = request.entity
        for descriptor in request.sortDescriptors {
            guard let kind = kind(of: descriptor.expression, entity),
                kind != .data, !descriptor.options.folds || kind != .text
            else { return false }
        }
        for column in request.propertiesToFetch where kind(of: column.expression, entity) == nil {
            return false
        }
        if let position = request.after, !has(position, request) { return false }
        guard let predicate = request.predicate else { return true }
        return has(predicate, entity) && Self.values(in: predicate) <= Self.values
    }

    /// Returns the number of values of all lists in a predicate.
    private static func values(in predicate: Predicate) -> Int {
        switch predicate {
        case .constant: 0
        case .and(let parts), .or(let parts): parts.reduce(0) { $0 + values(in: $1) }
        case .not(let part): values(in: part)
        case .comparison(let it):
            if case .aggregate(let items) = it.right { items.count } else { 1 }
        }
    }

    private func has(_ position: [Value], _ request: FetchRequest) -> Bool {
        guard position.count > request.sortDescriptors.count else { return false }
        return zip(request.sortDescriptors, position).allSatisfy { descriptor, value in
            kind(of: descriptor.expression, request.entity).map { value.isNull || fits(value, $0) }
                ?? false
        }
    }

    private func has(_ predicate: Predicate, _ entity: Entity) -> Bool {
        switch predicate {
        case .constant: true
        case .and(let parts), .or(let parts): parts.allSatisfy { has($0, entity) }
        case .not(let part): has(part, entity)
        case .comparison(let it): has(it, entity)
        }
    }

    private func has(_ it: Comparison, _ entity: Entity) -> Bool {
        guard it.modifier == .direct, let kind = kind(of: it.left, entity) else { return false }
        if kind == .text, it.options.folds { return false }
        switch it.type {
        case .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            return isConstant(it.right, kind)
        case .in, .between:
            guard case .aggregate(let items) = it.right else { return false }
            return items.allSatisfy { isConstant($0, kind) }
        case .beginsWith, .endsWith, .contains:
            return kind == .text && isConstant(it.right, kind)
        default: return false
        }
    }

    private func isConstant(_ expression: Expression, _ kind: ColumnKind) -> Bool {
        guard case .constant(let value) = expression else { return false }
        return value.isNull || fits(value, kind)
    }

    /// Whether PostgreSQL compares a value with a column exactly.
    private func fits(_ value: Value, _ kind: ColumnKind) -> Bool {
        switch (kind, value) {
        case (.integer, .int), (.integer, .key), (.key, .key), (.key, .int): true
        case (.boolean, .bool), (.boolean, .int): true
        case (.double, .double), (.float, .double), (.date, .date): true
        case (.double, .int(let it)), (.float, .int(let it)): it.magnitude <= 1 << 53
        case (.decimal, .decimal), (.decimal, .int): true
        case (.uuid, .uuid): true
        // PostgreSQL has no text with this character.
        case (.text, .string(let text)): !text.utf8.contains(0)
        default: false
        }
    }

    /// The kind of a column of the object, or of one that to-one relationships lead to; nil for any
    /// other expression.
    private func kind(of expression: Expression, _ entity: Entity) -> ColumnKind? {
        guard case .keyPath(.evaluatedObject, let path) = expression else {
            if case .evaluatedObject = expression { return .key }
            return nil
        }
        var entity = entity
        for (index, key) in path.enumerated() {
            let isLast = index == path.count - 1
            switch entity.property(named: key) {
            case .attribute(let it): return isLast ? ColumnKind(it) : nil
            case .relationship(let it):
                if it.isToMany { return nil }
                if isLast { return .key }
                entity = model.destination(of: it)
            case .fetchedProperty, .transientRelationship: return nil
            case nil:
                guard isLast else { return nil }
                switch key {
                case "_id": return .integer
                case "SELF", "self": return .key
                case "_version": return .integer
                default: return nil
                }
            }
        }
        return nil
    }
}
