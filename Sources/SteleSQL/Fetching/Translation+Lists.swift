import SteleModel
import StelePersistence
import StelePredicates

/// Lists of values: written out where they are short, and bound as one text where they are long.
extension Translation {
    /// The most values that are written out where one text can hold them all.
    private static let writtenOut = 8
    /// The most parameters of a statement in SQLite.
    static let parameterLimit = 32_766

    /// Returns the condition that a value is one of a list. Null is not in any list.
    func isOne(
        _ element: Operand, of items: [Expression], _ options: ComparisonOptions,
        _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition {
        let options = options.ofEquality
        var operands: [Operand] = []
        operands.reserveCapacity(items.count)
        for item in items {
            let operand = try operand(item, env)
            let isEqualToNone =
                operand.isNull || !element.isComparable(with: operand)
                || element.isDoubleColumn && operand.isBesideDoubles
            if !isEqualToNone { operands.append(operand) }
        }
        if operands.isEmpty { return .constant(!holds) }
        var element = element
        if case .entityName = element.content, !options.folds {
            let pairs = operands.compactMap { entityNumber(element, $0) }
            if pairs.count == operands.count, let first = pairs.first {
                element = first.0
                operands = pairs.map(\.1)
            }
        }
        if operands.count > Self.writtenOut,
            let (text, list) = try boundList(operands, of: element, options)
        {
            return found(
                text, in: list, element: element, operands, options, holds: holds)
        }
        guard operands.count + bindings.count <= Self.parameterLimit / 2 else {
            throw .tooLarge("a list can have at most \(Self.parameterLimit / 2) values")
        }
        // The last value is repeated up to a power of two, so that fewer different statements
        // arise.
        if let last = operands.last, last.value != nil {
            while operands.count & (operands.count - 1) != 0 { operands.append(last) }
        }
        let texts = try comparable([element] + operands, options)
        return found(
            texts[0], in: SQLWords.joined(texts[1...], by: ", "), element: element, operands,
            options, holds: holds)
    }

    /// Returns the condition that a value is in a list, with index ranges where an index applies.
    private func found(
        _ text: String, in list: String, element: Operand, _ operands: [Operand],
        _ options: ComparisonOptions, holds: Bool
    ) -> Condition {
        let condition = Condition(SQLWords.joined([text, " IN (", list, ")"]))
        guard holds, element.isIndexed, options.folds else { return condition.turned(holds) }
        let texts = operands.compactMap(\.text)
        guard texts.count == operands.count else { return condition }
        return narrowed(condition, element, isOneOf: texts, options)
    }

    /// Binds literals as one text, and returns the element's SQL and a SELECT of the text's items;
    /// nil where one is not a literal.
    private func boundList(
        _ operands: [Operand], of element: Operand, _ options: ComparisonOptions
    ) throws(StoreError) -> (element: String, items: String)? {
        let values = operands.compactMap(\.value)
        guard values.count == operands.count else { return nil }
        if schema.dialect.isTyped { return try typedList(values, of: element, options) }
        let long = Self.areComparedByKeys([element] + operands)
        guard let (list, isWritten) = JSONList.text(values) else { return nil }
        let item = isWritten ? try call(SQLFunctions.literal, "value") : "value"
        let wrapped = try wrap(item, element.kind, options, long: long)
        return (
            try wrap(sql(element), element.kind, options, long: long),
            "SELECT \(wrapped) FROM json_each(\(bind(.string(list))))"
        )
    }
}
