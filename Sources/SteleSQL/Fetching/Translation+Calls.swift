import SteleModel
import StelePersistence
import StelePredicates

/// Functions that SQL does not have, or has with another meaning, as calls of the predicate
/// language's own functions.
extension Translation {
    /// Returns the call of a function of one or two values.
    func call(
        _ function: PredicateFunction, _ arguments: [Expression], _ env: Environment
    ) throws(StoreError) -> Operand {
        let a = try operand(arguments[0], env)
        return try call(
            function, a, arguments.count == 2 ? try operand(arguments[1], env) : nil)
    }

    /// Returns the same of values that are translated already: translating them again would take
    /// exponential time where calls are nested.
    func call(
        _ function: PredicateFunction, _ a: Operand, _ b: Operand?
    ) throws(StoreError) -> Operand {
        var made = try made(by: function, a.ofKnownType, b?.ofKnownType)
        // No function of integers makes them longer.
        made.bits = max(a.bits, b?.bits ?? 0)
        return made
    }

    private func made(
        by function: PredicateFunction, _ a: Operand, _ b: Operand?
    ) throws(StoreError) -> Operand {
        guard let b else {
            if let value = a.value { return .constant(PredicateCalls.apply(function, value, nil)) }
            let kind = Self.kind(of: function, a.kind, nil)
            if !schema.dialect.isTyped, let plain = plain(function, a, kind) { return plain }
            return .computed(
                try call(
                    SQLFunctions.call, String(function.number), String(a.kind.rawValue), sql(a)),
                kind)
        }
        if let x = a.value, let y = b.value {
            return .constant(PredicateCalls.apply(function, x, y))
        }
        if a.isNull || b.isNull { return .constant(.null) }
        let kind = Self.kind(of: function, a.kind, b.kind)
        if function == .modulus, kind == .integer, a.isColumn || a.value != nil,
            b.isColumn || b.value != nil
        {
            let divisor = schema.dialect.isTyped ? "NULLIF(\(sql(b)), 0)" : sql(b)
            return .computed("(\(sql(a)) % \(divisor))", .integer)
        }
        if !schema.dialect.isTyped, function == .modulus, kind == .double, a.kind != .decimal,
            b.kind != .decimal
        {
            return .computed("MOD(\(sql(a)), \(sql(b)))", .double)
        }
        return .computed(
            try call(
                SQLFunctions.call2, String(function.number), String(a.kind.rawValue), sql(a),
                String(b.kind.rawValue), sql(b)),
            kind)
    }

    /// Returns SQLite's own function where it has the same meaning; nil elsewhere.
    private func plain(
        _ function: PredicateFunction, _ a: Operand, _ kind: ColumnKind
    ) -> Operand? {
        if kind == .integer || kind == .boolean, a.kind != .decimal {
            switch function {
            case .floor, .ceiling, .truncate: return a
            case .absolute where a.isColumn:
                // ABS fails for the lowest integer, which has no negation.
                let text = sql(a)
                return .computed("MAX(\(text), -\(text))", .integer, isNullable: a.isNullable)
            case .onesComplement: return .computed("(~\(sql(a)))", .integer)
            default: return nil
            }
        }
        guard [.double, .float, .integer, .boolean].contains(a.kind) else { return nil }
        let name: String? =
            switch function {
            case .squareRoot: "SQRT"
            case .naturalLogarithm: "LN"
            case .floor: "FLOOR"
            case .ceiling: "CEIL"
            case .truncate: "TRUNC"
            case .absolute: "ABS"
            default: nil
            }
        return name.map { .computed("\($0)(\(sql(a)))", .double) }
    }

    private static func kind(
        of function: PredicateFunction, _ a: ColumnKind, _ b: ColumnKind?
    ) -> ColumnKind {
        switch function {
        case .uppercase, .lowercase, .canonical: .text
        case .length, .onesComplement, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift,
            .rightShift:
            .integer
        case .floor, .ceiling, .truncate, .absolute:
            a == .float ? .double : a == .boolean ? .integer : a
        case .modulus: result(of: "%", a, b ?? a)
        default: .double
        }
    }

    // MARK: CAST

    func cast(_ arguments: [Expression], _ env: Environment) throws(StoreError) -> Operand {
        guard case .constant(.string(let name)) = arguments[1],
            let target = CastType(rawValue: name)
        else { throw .unsupported("CAST to this type") }
        let operand = try operand(arguments[0], env).ofKnownType
        if let value = operand.value { return .constant(PredicateCalls.cast(value, to: target)) }
        let kind: ColumnKind
        switch (target, operand.kind) {
        case (.number, .boolean):
            return .computed(
                schema.dialect.plain(sql(operand)), .integer, isNullable: operand.isNullable)
        case (.date, .date), (.string, .text), (.uuid, .uuid), (.decimal, .decimal),
            (.number, .integer), (.number, .double), (.number, .decimal), (.number, .float):
            return operand
        case (.decimal, .integer) where operand.isNarrow && !schema.dialect.isTyped,
            (.decimal, .boolean) where !schema.dialect.isTyped:
            // A Decimal of few digits is stored so.
            var number = Operand.computed(
                schema.dialect.plain(sql(operand)), .decimal, isNullable: operand.isNullable)
            number.isLongDecimal = false
            return number
        case (.date, .integer), (.date, .double), (.date, .float), (.date, .boolean):
            return .computed(try date(real(sql(operand))), .date)
        case (.number, .date): return .computed(real(sql(operand)), .double)
        case (.date, _): kind = .date
        case (.number, _): kind = .double
        case (.decimal, _): kind = .decimal
        case (.string, _): kind = .text
        case (.uuid, _): kind = .uuid
        }
        let text = try cast(sql(operand), operand.kind, to: target)
        return .computed(try kind == .date ? date(text) : text, kind)
    }

    /// Returns the call of the cast function.
    func cast(
        _ text: String, _ kind: ColumnKind, to target: CastType
    ) throws(StoreError) -> String {
        let place = CastType.allCases.firstIndex(of: target) ?? 0
        return try call(SQLFunctions.cast, String(place), String(kind.rawValue), text)
    }

    /// Returns a number as one of floating point.
    func real(_ text: String) -> String {
        SQLWords.joined(["CAST(", text, " AS ", schema.dialect.typeName(.double), ")"])
    }

    /// Returns a computed date, which is null where it is none (`Value.isDate`).
    func date(_ text: String) throws(StoreError) -> String {
        try call(SQLFunctions.stored, String(ColumnKind.date.rawValue), text)
    }

    // MARK: Distance

    func distance(_ arguments: [Expression], _ env: Environment) throws(StoreError) -> Operand {
        var coordinates: [String] = []
        for argument in arguments {
            guard case .aggregate(let items) = argument, items.count == 2 else {
                throw .unsupported("a location that is not written {latitude, longitude}")
            }
            for item in items {
                let operand = try operand(item, env).ofKnownType
                let text = sql(operand)
                coordinates.append(
                    operand.kind == .decimal
                        ? try call(
                            SQLFunctions.call, String(PredicateFunction.noIndex.number),
                            String(operand.kind.rawValue), text) : text)
            }
        }
        let list = coordinates.joined(separator: ", ")
        return .computed(try call(SQLFunctions.distance, list), .double)
    }
}
