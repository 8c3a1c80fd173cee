import SteleJSON
import SteleModel
import StelePersistence
import StelePredicates

/// Databases whose expressions have one type each (`SQLDialect.isTyped`). What they cannot compute
/// exactly is `.unsupported`; a value that no type of theirs holds makes the statement fail.
extension Translation {
    static var mixed: StoreError {
        .unsupported("values of different types together in this database")
    }

    // MARK: Comparing

    /// Returns the SQL that operands are compared by. Constants take the type of the columns where
    /// that is exact. Otherwise numbers are compared as Decimals, a double by its digits.
    func typed(
        _ operands: [Operand], _ options: ComparisonOptions
    ) throws(StoreError) -> [String] {
        let known = operands.filter { !$0.isNull }
        let columns = Set(known.filter { $0.value == nil }.map { $0.family })
        let wanted = columns.isEmpty ? Set(known.map { $0.family }) : columns
        if let family = wanted.first, wanted.count == 1 {
            let exact = operands.map { Self.exact($0, as: family) }
            if !exact.contains(where: { $0 == nil }) {
                var texts: [String] = []
                for it in exact { if let it { texts.append(try folded(it, options)) } }
                return texts
            }
        }
        guard known.allSatisfy({ $0.family.isNumber }) else { throw Self.mixed }
        var texts: [String] = []
        for operand in operands { texts.append(try digits(operand)) }
        return texts
    }

    /// Returns an operand of a family, or a constant or a null in its type; nil for another
    /// operand, and where the type does not hold the constant's value.
    private static func exact(_ operand: Operand, as family: ValueFamily) -> Operand? {
        guard let value = operand.value else {
            return operand.family == family ? operand : nil
        }
        if value.isNull {
            var typed = operand
            typed.kind = family.kind
            return typed
        }
        if case .key = value { return family == .integer ? operand : nil }
        if operand.family == family { return operand }
        let type: AttributeType
        switch family {
        case .integer: type = .integer64
        case .double: type = .double
        case .decimal: type = .decimal
        case .text, .date, .uuid, .data: return nil
        }
        guard value.isNumeric, let converted = PredicateCalls.number(value, as: type),
            ValueOrder.equal(converted, value)
        else { return nil }
        return .constant(converted)
    }

    /// Returns a number's SQL so that all numbers are compared exactly.
    private func digits(_ operand: Operand) throws(StoreError) -> String {
        switch (operand.family, operand.value) {
        case (.double, .double(let it)?):
            guard let decimal = PredicateCalls.comparable(it) else { throw Self.mixed }
            return sql(.constant(.decimal(decimal)))
        case (.double, _): return try call(SQLFunctions.doubleKey, sql(operand))
        default: return sql(operand)
        }
    }

    private func folded(
        _ operand: Operand, _ options: ComparisonOptions
    ) throws(StoreError) -> String {
        if let text = operand.text, options.folds {
            if options.contains(.localeSensitive) { throw Self.mixed }
            return sql(.constant(.string(TextComparison.fold(text, options: options))))
        }
        return try wrap(sql(operand), operand.kind, options, long: false)
    }

    /// Returns the SQL of a value that a column of a kind is compared with.
    func constant(
        _ value: Value, comparedWith kind: ColumnKind, _ options: ComparisonOptions
    ) throws(StoreError) -> String {
        guard let exact = Self.exact(.constant(value), as: ValueFamily(kind)) else {
            throw Self.mixed
        }
        return try folded(exact, options)
    }

    /// Returns the SQL of an element, and a SELECT of a list's items that it is compared with; nil
    /// where the list is not of the element's type.
    func typedList(
        _ values: [Value], of element: Operand, _ options: ComparisonOptions
    ) throws(StoreError) -> (element: String, items: String)? {
        let family = element.family
        guard let items = schema.dialect.items, element.value == nil else { return nil }
        var writer = ByteWriter(capacity: values.count * 12 + 2)
        writer.byte(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            guard let exact = Self.exact(.constant(value), as: family)?.value else { return nil }
            if index > 0 { writer.byte(UInt8(ascii: ",")) }
            switch exact {
            case .int(let it), .key(let it): writer.string(String(it))
            case .bool(let it): writer.string(it ? "1" : "0")
            case .double(let it), .date(let it): writer.string("\(it)")
            case .decimal(let it): writer.string(it.description)
            case .string(let it):
                if it.utf8.contains(0) { mayFail = true }
                if options.contains(.localeSensitive) { throw Self.mixed }
                writer.string(options.folds ? TextComparison.fold(it, options: options) : it)
            default: return nil
            }
        }
        writer.byte(UInt8(ascii: "]"))
        let list = items(bind(.string(String(decoding: writer.bytes, as: UTF8.self))))
        let type = schema.dialect.typeName(element.kind)
        return (
            try folded(element, options), "SELECT CAST(value AS \(type)) FROM \(list)"
        )
    }

    /// Returns the condition of a comparison of texts.
    func typed(
        _ function: SQLFunction, _ text: Operand, _ pattern: Operand, _ options: ComparisonOptions
    ) throws(StoreError) -> String {
        guard text.kind == .text, pattern.kind == .text else { throw Self.mixed }
        guard function == SQLFunctions.like else {
            return try call(function, folded(text, options), folded(pattern, options), "0")
        }
        guard let literal = pattern.text,
            let translated = LikeText.pattern(literal, options)
        else { throw .unsupported("this LIKE in this database") }
        return "\(try folded(text, options)) LIKE \(sql(.constant(.string(translated))))"
    }

    // MARK: Computing

    /// Returns an operand's SQL in the type of a kind.
    func sql(_ operand: Operand, as kind: ColumnKind) throws(StoreError) -> String {
        guard schema.dialect.isTyped else { return sql(operand) }
        let family = ValueFamily(kind)
        if operand.isNull { return "CAST(NULL AS \(schema.dialect.typeName(kind)))" }
        if let exact = Self.exact(operand, as: family) { return sql(exact) }
        switch (operand.family, family) {
        case (.integer, .decimal):
            return "CAST(\(sql(operand)) AS \(schema.dialect.typeName(.decimal)))"
        case (.integer, .double) where operand.isNarrow || operand.kind == .boolean:
            return real(sql(operand))
        default: throw Self.mixed
        }
    }

    /// Returns the result of an operator on integers, or on doubles and dates. A result that the
    /// type does not hold makes the statement fail.
    func typedArithmetic(
        _ a: Operand, _ sign: String, _ b: Operand, _ kind: ColumnKind
    ) throws(StoreError) -> Operand {
        mayFail = true
        func term(_ it: Operand) throws(StoreError) -> String {
            switch it.family {
            case .integer: return kind == .integer ? sql(it) : real(sql(it))
            case .double, .date: return sql(it)
            case .decimal: return real(sql(it))
            case .text, .uuid, .data: throw Self.mixed
            }
        }
        let (x, y) = (try term(a), try term(b))
        let divisor = sign == "/" ? "NULLIF(\(y), 0)" : y
        let text = "(\(x) \(sign) \(divisor))"
        return .computed(
            try kind == .date ? date(text) : text, kind,
            isNullable: kind != .integer || sign == "/" || a.isNullable || b.isNullable)
    }

    /// Returns the SQL of an aggregate, and its operand.
    func typed(
        _ aggregate: Aggregate, _ kind: ColumnKind, _ argument: String
    ) throws(StoreError) -> (sql: String, operand: Operand) {
        func give(
            _ text: String, _ kind: ColumnKind, isNullable: Bool = true
        ) -> (sql: String, operand: Operand) {
            (text, .computed("", kind, isNullable: isNullable))
        }
        let family = ValueFamily(kind)
        switch (aggregate, family) {
        case (.count, _): return give("COUNT(\(argument))", .integer, isNullable: false)
        case (.sum, .integer):
            return give(try call(SQLFunctions.sum, argument), .integer, isNullable: false)
        case (.sum, .double):
            mayFail = true
            // Null where it overflows, which fails here: a comparison with nil must compute it.
            return give("COALESCE(SUM(\(argument)), 0)", .double)
        case (.sum, .decimal):
            return give(try call(SQLFunctions.decimalSum, argument), .decimal)
        case (.average, .integer):
            return give(try call(SQLFunctions.average, argument), .double)
        case (.average, .double):
            mayFail = true
            return give("(SUM(\(argument)) / NULLIF(COUNT(\(argument)), 0))", .double)
        case (.average, .decimal):
            return give(try call(SQLFunctions.decimalAverage, argument), .decimal)
        case (.minimum, .uuid), (.minimum, .data), (.maximum, .uuid), (.maximum, .data):
            throw .unsupported("MIN and MAX of binary data in this database")
        case (.minimum, _): return give("MIN(\(argument))", kind)
        case (.maximum, _): return give("MAX(\(argument))", kind)
        case (.deviation, _):
            return give(try call(SQLFunctions.standardDeviation, argument), .double)
        case (.median, .decimal):
            return give(try call(SQLFunctions.decimalMedian, argument), .decimal)
        case (.median, _): return give(try call(SQLFunctions.median, argument), .double)
        default: throw Self.mixed
        }
    }
}

extension Value {
    fileprivate var isNumeric: Bool {
        switch self {
        case .int, .double, .decimal, .bool: true
        default: false
        }
    }
}

/// Patterns of the predicate language's LIKE in the words of SQL's.
enum LikeText {
    /// Returns a pattern with `%`, `_` and `\\`, which has the same meaning for folded texts; nil
    /// where none has: `?` is one scalar of the text before it is folded.
    static func pattern(_ pattern: String, _ options: ComparisonOptions) -> String? {
        var text = ""
        var plain = ""
        var isEscaped = false
        var isEmptied = false
        func flush() {
            let folded = options.folds ? TextComparison.fold(plain, options: options) : plain
            // A part of marks alone is in no text, but it would be in all.
            if folded.isEmpty, !plain.isEmpty { isEmptied = true }
            for scalar in folded.unicodeScalars {
                if scalar == "%" || scalar == "_" || scalar == "\\" { text += "\\" }
                text.unicodeScalars.append(scalar)
            }
            plain = ""
        }
        for scalar in pattern.unicodeScalars {
            if isEscaped {
                plain.unicodeScalars.append(scalar)
                isEscaped = false
                // Another character is escaped then.
                if options.folds, TextComparison.fold(String(scalar), options: options).isEmpty {
                    return nil
                }
                continue
            }
            switch scalar {
            case "\\": isEscaped = true
            case "*":
                flush()
                text += "%"
            case "?":
                if options.folds { return nil }
                flush()
                text += "_"
            default: plain.unicodeScalars.append(scalar)
            }
        }
        if isEscaped { plain += "\\" }
        flush()
        return isEmptied ? nil : text
    }
}
