/// Lists of values: written out where they are short, one bound text where they are long.

import SteleModel
import StelePersistence
import StelePredicates

extension Translation {
    /// The most values written one by one where one text could hold them all.
    private static let writtenOut = 8
    /// The most parameters of a statement that any SQLite takes.
    static let parameterLimit = 32_766

    /// Whether a value is one of a list, which null is not of any.
    func oneOf(
        _ element: Operand, _ items: [Expression], _ options: ComparisonOptions, _ env: Environment,
        holds: Bool
    ) throws(StoreError) -> Condition {
        let options = options.ofEquality
        var operands: [Operand] = []
        operands.reserveCapacity(items.count)
        for item in items {
            let operand = try operand(item, env)
            if operand.isNull || element.isDoubleColumn && operand.isBesideDoubles { continue }
            operands.append(operand)
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
        let long = element.isLongDecimal || operands.contains { $0.isLongDecimal }
        let text = comparable(element, options, long: long)
        if operands.count > Self.writtenOut,
            let list = boundList(operands, { wrap($0, element.kind, options, long: long) })
        {
            return found(list, text, element, operands, options, holds: holds)
        }
        guard operands.count + bindings.count <= Self.parameterLimit / 2 else {
            throw .tooLarge("a list of more than \(Self.parameterLimit / 2) values")
        }
        // Few lengths make few statements: the last value fills the list to a power of two.
        if let last = operands.last, last.value != nil {
            while operands.count & (operands.count - 1) != 0 { operands.append(last) }
        }
        let list = operands.map { comparable($0, options, long: long) }
        return found(
            SQLWords.joined(list, by: ", "), text, element, operands, options, holds: holds)
    }

    /// That a value is in a list, behind the ranges of an index where one serves.
    private func found(
        _ list: String, _ text: String, _ element: Operand, _ operands: [Operand],
        _ options: ComparisonOptions, holds: Bool
    ) -> Condition {
        let condition = Condition(SQLWords.joined(text, " IN (", list, ")"))
        guard holds, element.isIndexed, options.folds else { return condition.turned(holds) }
        let texts = operands.compactMap(\.text)
        guard texts.count == operands.count else { return condition }
        return narrowed(condition, element, isOneOf: texts, options)
    }

    /// A SELECT of literals that are bound as one text; nil where not all are literals.
    private func boundList(_ operands: [Operand], _ wrap: (String) -> String) -> String? {
        let values = operands.compactMap(\.value)
        guard values.count == operands.count, let (list, isWritten) = JSONList.text(values) else {
            return nil
        }
        let item = wrap(isWritten ? "\(SQLFunctions.literal.name)(value)" : "value")
        return "SELECT \(item) FROM json_each(\(bind(.string(list))))"
    }
}
