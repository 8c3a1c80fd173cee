import SteleModel
import StelePersistence
import StelePredicates

/// One key of a total order.
struct SortKey {
    /// The SQL to sort by: the operand's, folded, or the key of a long Decimal.
    let sql: String
    /// The operand's SQL.
    let plain: String
    let kind: ColumnKind
    let ascending: Bool
    let options: ComparisonOptions
    let isLong: Bool
    let isNullable: Bool
    /// The index of its value in a position; not all keys of the order are in `keys`.
    let place: Int

    /// The key with its direction.
    let term: String
}

/// The keys of a total order. Null is first in ascending order and last in descending order, as in
/// SQLite.
struct SortOrder {
    let keys: [SortKey]

    var clause: String {
        keys.isEmpty ? "" : " ORDER BY \(keys.map(\.term).joined(separator: ", "))"
    }
}

/// ORDER BY, which is always total, and continuing after a position.
extension Select {
    /// Returns the order of objects: the sort descriptors, then `_id`.
    func order() throws(StoreError) -> SortOrder {
        try order(
            Environment(object: object), then: [.column(object.key, .key, isNullable: false)])
    }

    /// Returns the order by the sort descriptors, then by further operands that make it total.
    /// - Parameter named: expressions that are translated already.
    func order(
        _ environment: Environment, then rest: [Operand], _ named: [Expression: Operand] = [:]
    ) throws(StoreError) -> SortOrder {
        var keys: [SortKey] = []
        for descriptor in request.sortDescriptors {
            let operand: Operand
            if let known = named[descriptor.expression] {
                operand = known
            } else {
                operand = try translation.operand(descriptor.expression, environment)
            }
            if operand.kind == .data { try checkKeys() }
            keys.append(
                try key(
                    operand, ascending: descriptor.ascending, descriptor.options, place: keys.count)
            )
            // The object's key makes the order total.
            if keys.last?.plain == object.key { return SortOrder(keys: keys) }
        }
        for (index, operand) in rest.enumerated() {
            let place = request.sortDescriptors.count + index
            let key = try key(operand, ascending: true, [], place: place)
            if !keys.contains(where: { $0.sql == key.sql }) { keys.append(key) }
        }
        return SortOrder(keys: keys)
    }

    private func checkKeys() throws(StoreError) {
        do throws(PredicateError) { try RowsCheck(request, translation.model).checkKeys() } catch {
            throw .predicate(error)
        }
    }

    private func key(
        _ operand: Operand, ascending: Bool, _ options: ComparisonOptions, place: Int
    ) throws(StoreError) -> SortKey {
        let plain = translation.sql(operand)
        let sql = try translation.wrap(plain, operand.kind, options, long: operand.isLongDecimal)
        return SortKey(
            sql: sql,
            plain: plain, kind: operand.kind, ascending: ascending, options: options,
            isLong: operand.isLongDecimal, isNullable: operand.isNullable, place: place,
            term: sql
                + (operand.isNullable
                    ? ascending ? dialect.ascending : dialect.descending
                    : ascending ? "" : " DESC"))
    }

    /// Returns the condition that a row comes after a position in the order.
    func after(_ values: [Value], _ keys: [SortKey]) throws(StoreError) -> Condition {
        guard let last = keys.map(\.place).max(), last < values.count else {
            throw .invalid(
                "the position has \(values.count) values, but the order has \(keys.count) keys")
        }
        var result: Condition?
        var texts: [String?] = []
        for key in keys { texts.append(try position(values[key.place], key)) }
        for (index, key) in keys.enumerated().reversed() {
            let beyond = beyond(key, texts[index])
            guard let rest = result else {
                result = beyond ?? .constant(false)
                continue
            }
            guard index == 0, key.ascending, let text = texts[index], let beyond else {
                let same = texts[index].map { "\(key.sql) = \($0)" } ?? "\(key.sql) IS NULL"
                let tied = Condition.all([Condition(same), rest])
                result = beyond.map { .any([$0, tied]) } ?? tied
                continue
            }
            // A range of the first key's index, with the ties excluded within it.
            result = .all([Condition("\(key.sql) >= \(text)"), .any([beyond, rest])])
        }
        return result ?? .constant(true)
    }

    /// Returns the SQL of a position's value; nil for a null.
    private func position(_ value: Value, _ key: SortKey) throws(StoreError) -> String? {
        if value.isNull { return nil }
        guard dialect.isTyped else {
            var value = value
            if case .decimal(let it) = value, !key.isLong {
                // In the form in which it is in the column: a blob is after all numbers.
                value = DecimalColumn.number(it) ?? value
            } else if key.isLong {
                value = Translation.amongDecimals(value)
            }
            return try translation.wrap(
                translation.bind(value), key.kind, key.options, long: key.isLong)
        }
        return try translation.constant(value, comparedWith: key.kind, key.options)
    }

    /// Returns the condition that a row's key is after a value; nil where no value is after it.
    private func beyond(_ key: SortKey, _ text: String?) -> Condition? {
        switch (key.ascending, text) {
        case (true, nil): Condition("\(key.sql) IS NOT NULL")
        case (true, let text?): Condition("\(key.sql) > \(text)")
        case (false, nil): nil
        case (false, let text?):
            key.isNullable
                ? Condition("\(key.sql) < \(text) OR \(key.sql) IS NULL", .or)
                : Condition("\(key.sql) < \(text)")
        }
    }
}
