/// One side of a comparison, a column or a sort key, as SQL or as a value still to be bound.

import SteleModel

/// What an expression became.
struct Operand {
    enum Content {
        /// Bound when its SQL is asked for, so that nothing is bound that no text names.
        case constant(Value)
        case sql(String)
        /// `_entity` of an object: a number in the table, a name to everybody else.
        case entityName(Position)
    }

    var content: Content
    var kind: ColumnKind
    var isNullable = true
    /// A plain column, which an index may serve.
    var isColumn = false
    /// A column that the model has an index over.
    var isIndexed = false
    /// A Decimal that may have more digits than a double: compared by its key.
    var isLongDecimal = false

    static func constant(_ value: Value) -> Operand {
        var isLong = false
        if case .decimal(let it) = value { isLong = DecimalColumn(it).isLong }
        return Operand(
            content: .constant(value), kind: kind(of: value), isNullable: value.isNull,
            isLongDecimal: isLong)
    }

    static func column(_ sql: String, _ kind: ColumnKind, isNullable: Bool = true) -> Operand {
        Operand(content: .sql(sql), kind: kind, isNullable: isNullable, isColumn: true)
    }

    static func computed(_ sql: String, _ kind: ColumnKind, isNullable: Bool = true) -> Operand {
        Operand(
            content: .sql(sql), kind: kind, isNullable: isNullable,
            isLongDecimal: kind == .decimal)
    }

    /// The literal, where it is one.
    var value: Value? {
        if case .constant(let value) = content { value } else { nil }
    }

    var isNull: Bool { value?.isNull ?? false }

    /// Whether its SQL is that text.
    func isText(_ text: String) -> Bool {
        if case .sql(text) = content { true } else { false }
    }

    private static func kind(of value: Value) -> ColumnKind {
        switch value {
        case .null, .int: .integer
        case .bool: .boolean
        case .double: .double
        case .decimal: .decimal
        case .string: .text
        case .date: .date
        case .data: .data
        case .external: .external
        case .uuid: .uuid
        case .key: .key
        }
    }
}
