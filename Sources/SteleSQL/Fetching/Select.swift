/// A fetch request as one SELECT, clause by clause.

import SteleModel
import StelePersistence
import StelePredicates

/// The SELECT of one request in the making; made once, asked for one statement, thrown away.
final class Select {
    let translation: Translation
    let request: FetchRequest
    let scope: Scope
    /// The object that a row stands for.
    let object: Position
    /// What `$FETCH_SOURCE` stands for.
    let source: Position?

    init(_ translator: FetchTranslator, _ request: consuming FetchRequest) throws(StoreError) {
        guard let table = translator.schema.table(of: request.entity.index) else {
            throw .unsupported("\(request.entity.name) has no table in this store")
        }
        let translation = Translation(translator)
        let alias = translation.makeAlias()
        let scope = Scope(table.name, alias)
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

    /// The objects that match; without an order where it is by key alone and few are found.
    func snapshots(_ list: String) throws(StoreError) -> FetchStatement {
        guard request.sortDescriptors.isEmpty, request.after == nil, request.fetchLimit == nil,
            request.fetchOffset == 0
        else { return try objects(list) }
        let conditions = try filter(isCounted: false)
        let isUnordered = translation.findsFew
        return statement(
            list, conditions, tail: isUnordered ? "" : Self.byKey, [], isUnordered: isUnordered)
    }

    /// The order of objects where no other is asked for.
    private static let byKey = " ORDER BY " + FetchTranslator.firstKey

    /// The objects that match, in order.
    func objects(_ list: String, kinds: [ColumnKind] = []) throws(StoreError) -> FetchStatement {
        var conditions = try filter(isCounted: false)
        let order = try order()
        if let values = request.after { conditions.append(try after(values, order.keys)) }
        return statement(list, conditions, tail: order.clause + limit(), kinds)
    }

    /// How many rows there are.
    func count() throws(StoreError) -> FetchStatement {
        if !request.propertiesToFetch.isEmpty {
            return wrapped(try rows(isCounted: true))
        }
        let isCut = request.fetchLimit != nil || request.fetchOffset > 0
        var conditions = try filter(isCounted: true)
        if let values = request.after { conditions.append(try after(values, order().keys)) }
        if !isCut { return statement("COUNT(*)", conditions, tail: "", [.integer]) }
        return wrapped(statement("1", conditions, tail: limit(), []))
    }

    private func wrapped(_ inner: FetchStatement) -> FetchStatement {
        FetchStatement(
            "SELECT COUNT(*) FROM (\(inner.sql.string))", of: translation, [.integer])
    }

    /// One object's sort keys, `_id` last.
    func position(of key: Int64) throws(StoreError) -> FetchStatement {
        var columns: [String] = []
        var kinds: [ColumnKind] = []
        let environment = environment(isGrouped: false)
        for descriptor in request.sortDescriptors {
            let operand = try translation.operand(descriptor.expression, environment)
            columns.append(translation.sql(operand))
            kinds.append(operand.kind)
        }
        let condition = Condition("\(object.key) = \(translation.bind(.key(key)))")
        return statement(
            (columns + [object.key]).joined(separator: ", "), [condition], tail: "",
            kinds + [.integer])
    }

    // MARK: Clauses

    func statement(
        _ list: String, _ conditions: [Condition], tail: String, _ kinds: [ColumnKind],
        isUnordered: Bool = false
    ) -> FetchStatement {
        let filter = conditions.isEmpty ? "" : Condition.all(conditions).sql
        let text = SQLWords.joined(
            "SELECT ", list, " FROM ", scope.from, filter.isEmpty ? "" : " WHERE ", filter, tail)
        return FetchStatement(text, of: translation, kinds, isUnordered: isUnordered)
    }

    func environment(isGrouped: Bool) -> Environment {
        Environment(object: object, isGrouped: isGrouped)
    }

    /// The entity's numbers and the predicate.
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

    /// The entity's number, or those of its family, which have no gap; nothing for a whole table.
    ///
    /// A plus keeps its index, which parts the table in few pieces, from being taken for a better
    /// one where there is something else to find or order rows by.
    private func entityCondition(isCounted: Bool) -> Condition? {
        let entity = request.entity
        let wanted =
            request.includesSubentities ? entity.subtree : entity.index..<(entity.index + 1)
        let schema = translation.schema
        if wanted == schema.model.root(of: entity).subtree { return nil }
        let (first, last) = (
            schema.number(of: wanted.lowerBound), schema.number(of: wanted.upperBound - 1)
        )
        let isFree = request.predicate == nil
        let isServed = isFree && (isCounted || (first == last && request.sortDescriptors.isEmpty))
        let column = isServed ? "t0.Z_ENT" : "+t0.Z_ENT"
        return Condition(
            first == last ? "\(column) = \(first)" : "\(column) BETWEEN \(first) AND \(last)")
    }

    /// Whether an expression names the object or one that it has by key.
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
        var clause = request.fetchOffset > 0 ? " LIMIT -1" : ""
        if let limit = request.fetchLimit {
            clause = " LIMIT \(translation.bind(.int(Int64(max(limit, 0)))))"
        }
        if request.fetchOffset > 0 {
            clause += " OFFSET \(translation.bind(.int(Int64(request.fetchOffset))))"
        }
        return clause
    }
}
