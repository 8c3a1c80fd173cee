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
            if !operand.isNull { operands.append(operand) }
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
        let long = element.isLongDecimal || operands.contains(where: \.isLongDecimal)
        let text = comparable(element, options, long: long)
        let values = operands.compactMap(\.literal)
        let texts = operands.compactMap(TextLiteral.init)
        let isAllText = texts.count == operands.count
        func found(_ list: String) -> Condition {
            let condition = Condition("\(text) IN (\(list))")
            guard holds, isAllText else { return condition.turned(holds) }
            return narrowed(condition, element, isOneOf: texts, options)
        }
        if values.count == operands.count, values.count > Self.writtenOut,
            let (list, isWritten) = JSONList.text(values)
        {
            let plain = isWritten ? "\(SQLFunctions.literal.name)(value)" : "value"
            let item = wrap(plain, element.kind, options, long: long)
            return found("SELECT \(item) FROM json_each(\(bind(list, of: operands)))")
        }
        guard operands.count + bindings.count <= Self.parameterLimit / 2 else {
            throw .unsupported("a list of more than \(Self.parameterLimit / 2) such values")
        }
        // Few lengths make few statements: the last value fills the list to a power of two.
        var length = 1
        while length < operands.count { length *= 2 }
        let last = operands.last.flatMap { $0.literal == nil ? nil : $0 }
        let filling = last.map { Array(repeating: $0, count: length - operands.count) } ?? []
        let list = (operands + filling).map { comparable($0, options, long: long) }
        return found(list.joined(separator: ", "))
    }

    /// Binds a list, of which either all values are parameters or none.
    private func bind(_ list: String, of operands: [Operand]) -> String {
        let numbers = operands.compactMap { operand -> Int? in
            if case .parameter(let number, _) = operand.content { number } else { nil }
        }
        if !numbers.isEmpty, numbers.count < operands.count { isForOneUse = true }
        return bind(.string(list), from: numbers.isEmpty ? nil : .list(numbers))
    }
}
