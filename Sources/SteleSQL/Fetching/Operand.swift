/// One side of a comparison, a column or a sort key, as SQL or as a value still to be bound.

import SteleModel

/// What an expression became.
struct Operand {
    enum Content {
        /// Bound when its SQL is asked for, so that nothing is bound that no text names.
        case constant(Value)
        case sql(String)
        /// `_entity` of an object: a number in the table, a name to everybody else.
        indirect case entityName(Position)
    }

    var content: Content {
        didSet { chain = nil }
    }
    var kind: ColumnKind
    var isNullable = true
    /// A plain column, which an index may serve.
    var isColumn = false
    /// A column that the model has an index over.
    var isIndexed = false
    /// A column of integers that have 32 bits at most.
    var isNarrow = false
    /// The same as the left side of a further operator.
    var chain: Chain?
    /// A Decimal that may have more digits than a double: compared by its key.
    var isLongDecimal = false

    /// Arithmetic without what closes it: `a + b`, to which `+ c` can be added. SQLite's parser holds
    /// some thirty parentheses open and no more.
    struct Chain {
        let text: String
        /// How strongly its operators bind.
        let precedence: Int
    }

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

    /// Whether it is integers of which 64 bits may not hold the sum.
    var isWide: Bool { kind == .integer && !isNarrow }

    /// The literal, where it is a text.
    var text: String? {
        if case .constant(.string(let text)) = content { text } else { nil }
    }

    /// Whether no value of a column of Doubles is equal to it: an integer that no Double is. SQLite
    /// would round it where an index or a list of its own has it.
    var isBesideDoubles: Bool {
        if case .int(let it)? = value { Double(exactly: it) == nil } else { false }
    }

    /// Whether it is a column of Doubles.
    var isDoubleColumn: Bool { isColumn && (kind == .double || kind == .float) }

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
