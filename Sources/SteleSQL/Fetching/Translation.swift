import SteleModel
import StelePersistence
import StelePredicates

/// The translation of expressions and predicates into one statement, with its bindings and aliases.
final class Translation {
    let translator: FetchTranslator
    private(set) var bindings: [Value] = []
    private var aliases = 0
    /// Whether an index finds few rows for a condition.
    var findsFew = false
    /// Whether the statement may fail for some values, as by an overflow, where the database has
    /// types.
    var mayFail = false
    /// The depth of the expression that is being translated.
    private var depth = 0

    /// The value of `now()` in the whole statement, in seconds since 2001-01-01T00:00:00Z.
    lazy var now = PredicateCalls.now

    init(_ translator: FetchTranslator) {
        self.translator = translator
        bindings.reserveCapacity(16)
    }

    var schema: SQLSchema { translator.schema }

    var model: Model { translator.schema.model }

    /// The expressions and comparisons that have been translated. Those beside a list under ANY are
    /// translated for each item, so they may be more than the request has.
    private var steps = 0
    /// The most of them: a few times those of the longest request.
    private static let stepLimit = 500_000
    /// The most bytes of an expression or a condition. A database cannot be stopped everywhere while
    /// it prepares a statement.
    private static let textLimit = 4 << 20

    /// Enters a deeper expression; `leave` returns from it.
    func enter() throws(StoreError) {
        depth += 1
        if depth & 3 == 0, !StackBound.hasRoom { throw .predicate(StackBound.error) }
        try step()
    }

    /// Counts an expression or a comparison that is translated.
    func step() throws(StoreError) {
        steps += 1
        do throws(PredicateError) { try PlanningWork.step() } catch { throw .predicate(error) }
        if steps > Self.stepLimit { throw Self.tooLong }
    }

    /// Refuses a text that is too long before others are made of it.
    func check(_ sql: String) throws(StoreError) {
        if sql.utf8.count > Self.textLimit { throw Self.tooLong }
    }

    private static var tooLong: StoreError {
        .predicate(
            PredicateError(
                .limit, "the request would be too long a statement of the database",
                hint: "compare fewer lists with expressions, or split it into several requests"))
    }

    func leave() { depth -= 1 }

    /// Binds a value and returns its parameter. No row has the key of an unsaved object, so it is
    /// bound as the number that it is compared as.
    func bind(_ value: consuming Value) -> String {
        if case .key(let key) = value { value = .key(ValueOrder.number(ofKey: key)) }
        bindings.append(value)
        let count = bindings.count
        return count < Self.parameters.count ? Self.parameters[count] : "?\(count)"
    }

    func makeAlias() -> String {
        aliases += 1
        let number = aliases - 1
        return number < Self.names.count ? Self.names[number] : "t\(number)"
    }

    // The texts that most statements need.
    private static let parameters = (0..<64).map { "?\($0)" }
    private static let names = (0..<16).map { "t\($0)" }

    /// Returns the SQL of an operand. It binds a constant, so it is called once per operand.
    func sql(_ operand: Operand) -> String {
        switch operand.content {
        case .constant(let value): constant(value, operand.kind)
        case .sql(let text): text
        case .entityName(let position): entityName(of: position)
        }
    }

    private func constant(_ value: Value, _ kind: ColumnKind) -> String {
        let dialect = schema.dialect
        guard dialect.isTyped else { return value.isNull ? "NULL" : bind(value) }
        if value.isNull { return "CAST(NULL AS \(dialect.typeName(kind)))" }
        guard case .string(let text) = value else { return bind(value) }
        // A typed database may have no text with this character.
        if text.utf8.contains(0) { mayFail = true }
        return dialect.binary(bind(value))
    }

    /// The functions that have a result for all values.
    private static let safe: Set = [
        SQLFunctions.fold, SQLFunctions.contains, SQLFunctions.beginsWith, SQLFunctions.endsWith,
        SQLFunctions.stored,
    ]

    /// Returns the call of one of Stele's functions.
    /// - Throws: `.unsupported` where the database has none with its meaning.
    func call(_ function: SQLFunction, _ arguments: String...) throws(StoreError) -> String {
        guard let text = schema.dialect.call(function, arguments) else {
            throw .unsupported("the function \(function.name) in this database")
        }
        if !Self.safe.contains(function) { mayFail = true }
        return text
    }

    /// Returns the SQL that two operands are compared by: folded text, or the key of a long
    /// Decimal.
    /// - Throws: `.unsupported` where the database cannot compare them exactly.
    func comparable(
        _ a: Operand, _ b: Operand, _ options: ComparisonOptions
    ) throws(StoreError) -> (String, String) {
        if schema.dialect.isTyped {
            let texts = try typed([a, b], options)
            return (texts[0], texts[1])
        }
        let long = Self.areComparedByKeys([a, b])
        return (
            try comparable(a, options, long: long), try comparable(b, options, long: long)
        )
    }

    /// Returns the SQL that several operands are compared by.
    /// - Throws: as for two.
    func comparable(
        _ operands: [Operand], _ options: ComparisonOptions
    ) throws(StoreError) -> [String] {
        if schema.dialect.isTyped { return try typed(operands, options) }
        let long = Self.areComparedByKeys(operands)
        var texts: [String] = []
        texts.reserveCapacity(operands.count)
        for it in operands { texts.append(try comparable(it, options, long: long)) }
        return texts
    }

    /// Whether numbers are compared by keys: one may have more digits than a Double, or a Double beside
    /// Decimals, which is compared by all its digits, and SQLite's number of a Decimal by its
    /// shortest ones.
    static func areComparedByKeys(_ operands: [Operand]) -> Bool {
        operands.contains(where: \.isLongDecimal)
            || operands.contains { $0.kind == .decimal && !$0.isExactDecimal }
                && operands.contains(where: \.mayBeDouble)
    }

    private func comparable(
        _ operand: Operand, _ options: ComparisonOptions, long: Bool
    ) throws(StoreError) -> String {
        let text = sql(operand)
        guard long || operand.kind == .text else { return text }
        return try wrap(text, operand.kind, options, long: long)
    }

    func wrap(
        _ text: consuming String, _ kind: ColumnKind, _ options: ComparisonOptions, long: Bool
    ) throws(StoreError) -> String {
        if long, !schema.dialect.hasExactDecimals {
            // A computed integer is a Double where 64 bits cannot hold it.
            let key = kind == .decimal ? SQLFunctions.decimalKey : SQLFunctions.doubleKey
            return try call(key, text)
        }
        if kind == .text, options.folds {
            return try call(SQLFunctions.fold, text, String(options.rawValue))
        }
        return text
    }

    /// Returns the alias of an object's row, joining it where necessary.
    func row(of it: Position) throws(StoreError) -> String {
        if let alias = it.scope.row(it.key) { return alias }
        let table = schema.table(of: it.entity.index)
        let alias = makeAlias()
        it.scope.join(
            translator.source(table.name), alias,
            on: SQLWords.joined([alias, ".Z_PK = ", it.key]),
            outer: it.isNullable)
        it.scope.setRow(it.key, alias)
        return alias
    }

    /// Returns an expression for the name of an object's entity.
    private func entityName(of it: Position) -> String {
        guard let alias = it.scope.row(it.key) else { return "NULL" }
        let names = model.family(of: it.entity).map {
            " WHEN \(schema.number(of: $0.index)) THEN '\($0.name)'"
        }
        return schema.dialect.binary("CASE \(alias).Z_ENT\(names.joined()) END")
    }
}

extension ComparisonOptions {
    /// Whether text is folded before it is compared. `[n]` means that it is folded already.
    package var folds: Bool {
        !contains(.normalized)
            && !isDisjoint(with: [.caseInsensitive, .diacriticInsensitive, .localeSensitive])
    }

    /// The options that apply to equality and substrings; `[l]` applies to order alone.
    var ofEquality: ComparisonOptions { subtracting(.localeSensitive) }
}
