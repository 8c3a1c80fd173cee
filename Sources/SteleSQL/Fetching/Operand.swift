import SteleModel
import StelePersistence

/// The SQL of an expression, or a value that is still to be bound.
struct Operand {
    enum Content {
        /// A value that is bound when its SQL is requested, so that unused values are not bound.
        case constant(Value)
        case sql(String)
        /// `_entity` of an object: a number in the table, but a name in results.
        indirect case entityName(Position)
    }

    var content: Content {
        didSet { chain = nil }
    }
    var kind: ColumnKind
    var isNullable = true
    /// Whether it is a column, which an index may cover.
    var isColumn = false
    /// Whether an index begins with the column.
    var isIndexed = false
    /// Whether it is a column of integers of at most 32 bits.
    var isNarrow = false
    /// The most binary digits that its integers have. SQLite computes those beyond 64 bits as
    /// Doubles, which have up to 1,024.
    var bits = 64
    /// The form that serves as the left side of a further operator.
    var chain: Chain?
    /// Whether it is a number of any type, as an element of a set of several is. It can be compared, but
    /// what is computed of it depends on its type, and is not translated.
    var isMixed = false
    /// Whether it is a Decimal that may have more digits than a double, and is compared by its key.
    var isLongDecimal = false

    /// Whether it is a Decimal that every Double beside it is compared with exactly.
    var isExactDecimal: Bool {
        guard case .decimal(let it)? = value, !isLongDecimal else { return false }
        return it.nearestDouble.magnitude < 0x1p53
    }

    /// Whether it is a number that SQLite may have as a Double and that is no Decimal.
    var mayBeDouble: Bool {
        kind == .double || kind == .float || kind == .integer && bits > 64
    }

    /// Arithmetic without its closing parentheses, such as `a + b`, to which `+ c` can be added.
    /// SQLite's parser allows about thirty open parentheses.
    struct Chain {
        let text: String
        /// The precedence of its operators.
        let precedence: Int
    }

    /// The binary digits of integers that may be beyond a Double.
    static let bitLimit = 1_024

    static func constant(_ value: Value) -> Operand {
        var isLong = false
        if case .decimal(let it) = value { isLong = DecimalColumn(it).isLong }
        var operand = Operand(
            content: .constant(value), kind: kind(of: value), isNullable: value.isNull,
            isLongDecimal: isLong)
        if case .int(let it) = value { operand.bits = 64 - it.magnitude.leadingZeroBitCount }
        return operand
    }

    static func column(_ sql: String, _ kind: ColumnKind, isNullable: Bool = true) -> Operand {
        Operand(content: .sql(sql), kind: kind, isNullable: isNullable, isColumn: true)
    }

    static func computed(_ sql: String, _ kind: ColumnKind, isNullable: Bool = true) -> Operand {
        Operand(
            content: .sql(sql), kind: kind, isNullable: isNullable,
            isLongDecimal: kind == .decimal)
    }

    /// The operand, to compute with.
    /// - Throws: `.unsupported` where its type is not known.
    var ofKnownType: Operand {
        get throws(StoreError) {
            if isMixed { throw Translation.mixed }
            return self
        }
    }

    /// The operand, to be read from a row. Of integers and Doubles a row has either.
    /// - Throws: `.unsupported` where its type is not known.
    var ofReadableType: Operand {
        get throws(StoreError) {
            if isMixed, kind == .decimal { throw Translation.mixed }
            return self
        }
    }

    /// The value of a constant.
    var value: Value? {
        if case .constant(let value) = content { value } else { nil }
    }

    /// Whether it is integers whose sum may exceed 64 bits.
    var isWide: Bool { kind == .integer && !isNarrow }

    /// The text of a constant; nil for anything else.
    var text: String? {
        if case .constant(.string(let text)) = content { text } else { nil }
    }

    /// Whether it is an integer that no Double equals. SQLite would round it when it compares it
    /// with an index or a list.
    var isBesideDoubles: Bool {
        if case .int(let it)? = value { Double(exactly: it) == nil } else { false }
    }

    /// Whether it is a column of Doubles.
    var isDoubleColumn: Bool { isColumn && (kind == .double || kind == .float) }

    var isNull: Bool { value?.isNull ?? false }

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
