import SteleModel
import StelePersistence
import StelePredicates

extension Translation {
    /// Returns the condition of `==`, `!=`, `<`, `<=`, `>` or `>=`. Null equals null, and has no
    /// order.
    func compare(
        _ left: Operand, _ type: Comparison.Operator, with right: Operand,
        _ options: ComparisonOptions, holds: Bool
    ) throws(StoreError) -> Condition {
        if left.value != nil, right.value == nil {
            return try compare(right, type.mirrored, with: left, options, holds: holds)
        }
        if type == .equal || type == .notEqual {
            return try equal(left, right, options.ofEquality, holds: (type == .equal) == holds)
        }
        if left.isNull || right.isNull || !left.isComparable(with: right) {
            return .constant(!holds)
        }
        let (a, b) = try comparable(left, right, options)
        if holds { return Condition(SQLWords.joined([a, type.spaced, b])) }
        if !left.isNullable && !right.isNullable {
            return Condition(SQLWords.joined([a, type.opposite.spaced, b]))
        }
        if left.isColumn && !right.isNullable && a == sql(left) {
            // Written as two ranges of an index.
            return Condition(
                SQLWords.joined([a, type.opposite.spaced, b, " OR ", a, " IS NULL"]), .or)
        }
        return Condition(SQLWords.joined([a, type.spaced, b])).failing
    }

    private func equal(
        _ left: Operand, _ right: Operand, _ options: ComparisonOptions, holds: Bool
    ) throws(StoreError) -> Condition {
        if !options.folds, let (number, wanted) = entityNumber(left, right) {
            return try equal(number, wanted, [], holds: holds)
        }
        if right.isNull {
            if !left.isNullable { return .constant(!holds) }
            return Condition(SQLWords.joined([sql(left), holds ? " IS NULL" : " IS NOT NULL"]))
        }
        if !left.isComparable(with: right) {
            guard left.isNullable, right.isNullable else { return .constant(!holds) }
            let parts = [left, right].map { Condition("\(sql($0)) IS NULL") }
            return Condition.all(parts).turned(holds)
        }
        if left.isDoubleColumn, right.isBesideDoubles { return .constant(!holds) }
        let (a, b) = try comparable(left, right, options)
        switch (holds, left.isNullable, right.isNullable) {
        case (true, true, true): return Condition(SQLWords.joined([a, schema.dialect.same, b]))
        case (true, _, _):
            let condition = Condition(SQLWords.joined([a, " = ", b]))
            guard options.folds, let literal = right.text else { return condition }
            return narrowed(condition, left, beginsWith: literal, options)
        case (false, false, false): return Condition(SQLWords.joined([a, " <> ", b]))
        case (false, _, _): return Condition(SQLWords.joined([a, schema.dialect.different, b]))
        }
    }

    /// Returns the condition that a value is within two bounds; false where one of the three is
    /// null.
    func between(
        _ value: Operand, from low: Operand, to high: Operand, _ options: ComparisonOptions,
        holds: Bool
    ) throws(StoreError) -> Condition {
        if value.isNull || low.isNull || high.isNull || !value.isComparable(with: low)
            || !value.isComparable(with: high)
        {
            return .constant(!holds)
        }
        let texts = try comparable([value, low, high], options)
        let (text, from, to) = (texts[0], texts[1], texts[2])
        if !holds, value.isColumn, !low.isNullable, !high.isNullable, text == sql(value) {
            // Written as ranges of an index.
            let beyond = "\(text) < \(from) OR \(text) > \(to)"
            return Condition(value.isNullable ? "\(beyond) OR \(text) IS NULL" : beyond, .or)
        }
        return Condition(SQLWords.joined([text, " BETWEEN ", from, " AND ", to])).turned(holds)
    }
}

extension Comparison.Operator {
    /// The operator with a space on each side.
    var spaced: String {
        switch self {
        case .lessThan: " < "
        case .lessThanOrEqual: " <= "
        case .greaterThan: " > "
        case .greaterThanOrEqual: " >= "
        case .notEqual: " <> "
        default: " = "
        }
    }

    /// The operator for exchanged sides.
    var mirrored: Self {
        switch self {
        case .lessThan: .greaterThan
        case .lessThanOrEqual: .greaterThanOrEqual
        case .greaterThan: .lessThan
        case .greaterThanOrEqual: .lessThanOrEqual
        default: self
        }
    }

    /// The operator that holds for two values that are not null where this one does not.
    var opposite: Self {
        switch self {
        case .lessThan: .greaterThanOrEqual
        case .lessThanOrEqual: .greaterThan
        case .greaterThan: .lessThanOrEqual
        case .greaterThanOrEqual: .lessThan
        default: self
        }
    }
}
