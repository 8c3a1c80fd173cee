import SteleModel
import StelePersistence
import StelePredicates

/// A fetch request as one SELECT, built clause by clause. Each is used for one statement.
final class Select {
    let translation: Translation
    let request: FetchRequest
    let scope: Scope
    /// The object of a row.
    let object: Position
    /// The object of `$FETCH_SOURCE`.
    let source: Position?

    var dialect: SQLDialect { translation.schema.dialect }

    init(_ translator: FetchTranslator, _ request: consuming FetchRequest) throws(StoreError) {
        let table = translator.schema.table(of: request.entity.index)
        let translation = Translation(translator)
        let alias = translation.makeAlias()
        let scope = Scope(translator.source(table.name), alias)
        scope.setRow(FetchTranslator.firstKey, alias)
        self.translation = translation
        self.scope = scope
        object = Position(
            scope: scope, key: FetchTranslator.firstKey, entity: request.entity, isNullable: false,
            isFirst: true)
        source = try Self.join(request.source, scope, translation)
        self.request = request
    }

    // MARK: Statements

    /// Returns the SELECT of the matching objects; unordered where few are found and the order is
    /// by key.
    func snapshots(_ list: String) throws(StoreError) -> FetchStatement {
        guard request.sortDescriptors.isEmpty, request.after == nil, request.fetchLimit == nil,
            request.fetchOffset == 0
        else { return try objects(list) }
        let conditions = try filter(isCounted: false)
        let isUnordered = translation.findsFew
        return statement(
            list, conditions, tail: isUnordered ? "" : Self.byKey, isUnordered: isUnordered)
    }

    /// The order of objects without sort descriptors.
    private static let byKey = " ORDER BY " + FetchTranslator.firstKey

    /// Returns the SELECT of the matching objects, in order.
    func objects(_ list: String, kinds: [ColumnKind] = []) throws(StoreError) -> FetchStatement {
        var conditions = try filter(isCounted: false)
        let order = try order()
        if let values = request.after { conditions.append(try after(values, order.keys)) }
        return statement(list, conditions, tail: order.clause + limit(), kinds: kinds)
    }

    /// Returns the SELECT of the number of rows.
    func count() throws(StoreError) -> FetchStatement {
        if !request.propertiesToFetch.isEmpty {
            return wrapped(try rows(isCounted: true))
        }
        let isCut = request.fetchLimit != nil || request.fetchOffset > 0
        var conditions = try filter(isCounted: true)
        if let values = request.after { conditions.append(try after(values, order().keys)) }
        if !isCut { return statement("COUNT(*)", conditions, tail: "", kinds: [.integer]) }
        return wrapped(statement("1", conditions, tail: limit()))
    }

    private func wrapped(_ inner: FetchStatement) -> FetchStatement {
        FetchStatement(
            "SELECT COUNT(*) FROM (\(inner.sql.string)) n", of: translation, kinds: [.integer])
    }

    /// Returns the SELECT of one object's sort keys, `_id` last.
    func position(of key: Int64) throws(StoreError) -> FetchStatement {
        var columns: [String] = []
        var kinds: [ColumnKind] = []
        let environment = Environment(object: object)
        for descriptor in request.sortDescriptors {
            let operand = try translation.operand(descriptor.expression, environment)
                .ofReadableType
            columns.append(translation.sql(operand))
            kinds.append(operand.kind)
        }
        let condition = Condition("\(object.key) = \(translation.bind(.key(key)))")
        return statement(
            (columns + [object.key]).joined(separator: ", "), [condition], tail: "",
            kinds: kinds + [.integer])
    }

    // MARK: Clauses

    func statement(
        _ list: String, _ conditions: [Condition], tail: String, kinds: [ColumnKind] = [],
        isUnordered: Bool = false
    ) -> FetchStatement {
        let filter = conditions.isEmpty ? "" : Condition.all(conditions).sql
        let text = SQLWords.joined(
            ["SELECT ", list, " FROM ", scope.from, filter.isEmpty ? "" : " WHERE ", filter, tail])
        return FetchStatement(text, of: translation, kinds: kinds, isUnordered: isUnordered)
    }

    /// Returns the conditions on the entity and of the predicate.
    func filter(isCounted: Bool) throws(StoreError) -> [Condition] {
        var conditions: [Condition] = []
        if let condition = entityCondition(isCounted: isCounted) { conditions.append(condition) }
        guard let predicate = request.predicate else { return conditions }
        if case .constant(true) = predicate { return conditions }
        var environment = Environment(object: object)
        if let source { environment.variables[FetchSource.variable] = source }
        environment.isNarrow = Reach.isNarrow(predicate, isReference)
        conditions.append(try translation.condition(predicate, environment, holds: true))
        return conditions
    }

    /// Returns the condition on Z_ENT, which has several values for an entity with subentities;
    /// nil for a whole table. A + keeps SQLite from the index on Z_ENT, which is rarely selective,
    /// where another condition or an order can use an index.
    private func entityCondition(isCounted: Bool) -> Condition? {
        let entity = request.entity
        let wanted =
            request.includesSubentities ? entity.subtree : entity.index..<(entity.index + 1)
        let schema = translation.schema
        if wanted == schema.model.root(of: entity).subtree { return nil }
        let numbers = wanted.map(schema.number(of:))
        guard let first = numbers.min(), let last = numbers.max() else { return nil }
        let isFree = request.predicate == nil
        let isServed = isFree && (isCounted || (first == last && request.sortDescriptors.isEmpty))
        let column = isServed ? "t0.Z_ENT" : dialect.plain("t0.Z_ENT")
        if first == last { return Condition("\(column) = \(first)") }
        if last - first == numbers.count - 1 {
            return Condition("\(column) BETWEEN \(first) AND \(last)")
        }
        return Condition("\(column) IN (\(numbers.map(String.init).joined(separator: ", ")))")
    }

    /// Returns whether an expression is the object itself or a to-one relationship of it.
    private func isReference(_ expression: Expression) -> Bool {
        switch expression {
        case .evaluatedObject: return true
        case .keyPath(.evaluatedObject, let path):
            guard path.count == 1, let key = path.first else { return false }
            if key == "_id" { return true }
            return request.entity.relationship(named: key).map { !$0.isToMany } ?? false
        default: return false
        }
    }

    func limit() -> String {
        var clause = request.fetchOffset > 0 ? " LIMIT \(dialect.unlimited)" : ""
        if let limit = request.fetchLimit {
            clause = " LIMIT \(translation.bind(.int(Int64(max(limit, 0)))))"
        }
        if request.fetchOffset > 0 {
            clause += " OFFSET \(translation.bind(.int(Int64(request.fetchOffset))))"
        }
        return clause
    }
}
