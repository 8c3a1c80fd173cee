/// Checks of function calls.

import SteleModel

extension PredicateCheck {
    func function(
        _ name: String, _ arguments: [Expression], _ scope: Scope
    ) throws(PredicateError) -> Typed {
        guard let function = PredicateFunction(rawValue: name) else {
            if name == EachValue.function, let each = EachValue(arguments) {
                return try values(each, scope)
            }
            throw PredicateError(.unsupported, "there is no function \(name)", near: name)
        }
        if function.isAggregate { return try aggregate(function, arguments, scope) }
        guard arguments.count == function.arity, function != .distinct else {
            throw PredicateError(
                .syntax,
                "\(function.shortName) takes \(function.arity) arguments, not "
                    + "\(arguments.count)", near: function.shortName)
        }
        if function == .cast { return try cast(arguments, scope) }
        var typed: [Typed] = []
        for argument in arguments {
            let it = settled(try checked(argument, scope))
            if it.type.kind == .collection, function != .distance {
                throw PredicateError(
                    .type,
                    "\(function.shortName) takes single values, and "
                        + "\(argument.description) is a collection", near: argument.description)
            }
            typed.append(it)
        }
        var result = try call(function, typed)
        result.isAggregate = typed.contains(where: \.isAggregate)
        return result
    }

    private func values(_ each: EachValue, _ scope: Scope) throws(PredicateError) -> Typed {
        let over = try checked(each.collection, scope)
        guard case .collection(.object(let index)) = over.type else {
            throw PredicateError(.type, "values need a collection of objects")
        }
        var inner = scope
        inner.variables.append((each.variable, index))
        let value = try checked(each.value, inner)
        let checked = EachValue(
            of: value.expression, forEach: each.variable, in: over.expression)
        return Typed(
            expression: checked.expression, type: .collection(value.type),
            isOrdered: over.isOrdered)
    }

    /// The type of a checked call, by the types of its arguments.
    func type(
        of function: PredicateFunction, _ arguments: [Expression], _ types: [ExpressionType]
    ) -> ExpressionType {
        if function == .distance { return .value(.double) }
        let typed = zip(arguments, types).map { Typed(expression: $0, type: $1) }
        var check = self
        check.joinsTexts = true
        return (try? check.call(function, typed))?.type ?? .value(.undefined)
    }

    private func call(
        _ function: PredicateFunction, _ arguments: [Typed]
    ) throws(PredicateError) -> Typed {
        func made(_ type: ExpressionType, _ arguments: [Typed]) -> Typed {
            Typed(expression: .function(function.rawValue, arguments.map(\.expression)), type: type)
        }
        let isPlain = function == .noIndex || function == .distance
        let arguments = isPlain ? arguments : arguments.map(computable)
        switch function {
        case .add, .subtract, .multiply, .divide, .modulus, .raise:
            return try arithmetic(function, arguments[0], arguments[1])
        case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement:
            for argument in arguments { try need(.number, argument, function) }
            return made(.value(.integer64), arguments)
        case .squareRoot, .log, .naturalLogarithm, .exponential:
            try need(.number, arguments[0], function)
            return made(.value(.double), [asDouble(arguments[0])])
        case .floor, .ceiling, .absolute, .truncate:
            try need(.number, arguments[0], function)
            return made(arguments[0].type, arguments)
        case .uppercase, .lowercase, .canonical:
            try need(.text, arguments[0], function)
            return made(.value(.string), arguments)
        case .length:
            try need(.text, arguments[0], function)
            return made(.value(.integer64), arguments)
        case .random: return made(.value(.integer64), [])
        case .randomBelow:
            try need(.number, arguments[0], function)
            return made(.value(.integer64), arguments)
        case .now: return made(.value(.date), [])
        case .noIndex: return made(arguments[0].type, arguments)
        case .distance:
            return made(
                .value(.double),
                [try place(arguments[0], function), try place(arguments[1], function)])
        default:
            throw PredicateError(
                .unsupported, "\(function.shortName) is not allowed here", near: function.shortName)
        }
    }

    private func need(
        _ kind: ExpressionType.Kind, _ argument: Typed, _ function: PredicateFunction
    ) throws(PredicateError) {
        let given = argument.type.kind
        guard given != kind, given != .any else { return }
        let wanted = kind == .text ? "text" : "a number"
        throw PredicateError(
            .type,
            "\(function == .onesComplement ? "~" : function.infix?.sign ?? function.shortName) "
                + "needs \(wanted), and "
                + "\(argument.expression.description) is \(argument.type.noun)",
            near: argument.expression.description, hint: textHint(function, given))
    }

    /// A hint for a text operand of an arithmetic operator.
    private func textHint(_ function: PredicateFunction, _ given: ExpressionType.Kind) -> String? {
        guard given == .text else { return nil }
        switch function {
        case .add: return "texts cannot be joined; compare each by itself"
        case .onesComplement: return "use MATCHES to search text by a pattern"
        default: return nil
        }
    }

    private func asDouble(_ argument: Typed) -> Typed {
        guard case .constant(.decimal(let it)) = argument.expression else { return argument }
        return constant(.double(it.nearestDouble))
    }

    /// `{latitude, longitude}`.
    private func place(
        _ argument: Typed, _ function: PredicateFunction
    ) throws(PredicateError) -> Typed {
        guard argument.items.count == 2,
            argument.items.allSatisfy({ $0.type.kind == .number || $0.type.kind == .any })
        else {
            throw PredicateError(
                .type, "\(argument.expression.description) is not a location",
                near: argument.expression.description,
                hint: "a location is written {latitude, longitude}, in degrees")
        }
        var place = argument
        place.expression = .aggregate(argument.items.map { asDouble(computable($0)).expression })
        return place
    }

    // MARK: Arithmetic

    /// Arithmetic between literals is exact. A literal beside a Decimal becomes a Decimal; any
    /// other fixed-point literal becomes a Double, as in SQL.
    private func arithmetic(
        _ function: PredicateFunction, _ left: Typed, _ right: Typed
    ) throws(PredicateError) -> Typed {
        if left.type.kind == .date || right.type.kind == .date {
            return try dates(function, left, right)
        }
        if joinsTexts, function == .add, left.type.kind == .text, right.type.kind == .text {
            return Typed(
                expression: .function(function.rawValue, [left.expression, right.expression]),
                type: .value(.string))
        }
        try need(.number, left, function)
        try need(.number, right, function)
        if case .constant(let a) = left.expression, case .constant(let b) = right.expression {
            return constant(Arithmetic.binary(function, a, b))
        }
        if function == .multiply, left.type == .value(.decimal) || left.type == .value(.double),
            !right.isOfVariable, case .constant(.double(1)) = right.expression
        {
            // What a check has made a Double.
            return Typed(
                expression: .function(function.rawValue, [left.expression, right.expression]),
                type: .value(.double))
        }
        let a = meeting(left, right.type)
        let b = meeting(right, left.type)
        let type = function == .raise ? .value(.double) : Self.wider(a.type, b.type)
        let operands =
            type == .value(.decimal) ? [held(a), held(b)] : [a.expression, b.expression]
        return Typed(expression: .function(function.rawValue, operands), type: type)
    }

    /// A whole number as an operand beside a Decimal. A computed one becomes a Double on overflow
    /// of 64 bits, which would make the result a Double; cast to Decimal it always is a Decimal.
    private func held(_ typed: Typed) -> Expression {
        isComputedWhole(typed) ? .asDecimal(typed.expression) : typed.expression
    }

    private func meeting(_ literal: Typed, _ other: ExpressionType) -> Typed {
        guard case .constant(let value) = literal.expression else { return literal }
        if other == .value(.decimal) { return constant(Self.number(value, as: .decimal)) }
        return asDouble(literal)
    }

    /// Arithmetic with a date: a date plus or minus seconds, or the difference of two dates.
    private func dates(
        _ function: PredicateFunction, _ left: Typed, _ right: Typed
    ) throws(PredicateError) -> Typed {
        var (a, b) = (asDouble(left), asDouble(right))
        if a.type.kind == .text { a = try convert(a, to: b.type, near: b.expression) }
        if b.type.kind == .text { b = try convert(b, to: a.type, near: a.expression) }
        let type: ExpressionType? =
            switch (function, a.type.kind, b.type.kind) {
            case (.add, .date, .number), (.add, .number, .date): .value(.date)
            case (.subtract, .date, .number): .value(.date)
            case (.subtract, .date, .date): .value(.double)
            case (.add, .any, _), (.add, _, .any), (.subtract, .any, _), (.subtract, _, .any):
                .value(.undefined)
            default: nil
            }
        guard let type else {
            throw PredicateError(
                .type,
                "\(left.expression.description) \(function.infix?.sign ?? "and") "
                    + "\(right.expression.description) is not defined for dates",
                near: left.expression.description,
                hint: "add seconds to a date, or subtract two dates")
        }
        return Typed(
            expression: .function(function.rawValue, [a.expression, b.expression]), type: type)
    }

    // MARK: Aggregates

    private func aggregate(
        _ function: PredicateFunction, _ arguments: [Expression], _ scope: Scope
    ) throws(PredicateError) -> Typed {
        var inner = scope
        inner.isInAggregate = true
        guard let argument = arguments.first else {
            try allowRows(function, scope)
            return Typed(
                expression: .function(function.rawValue, []), type: .value(.integer64),
                isAggregate: true)
        }
        let isDistinct = argument.distinctOperand != nil
        let operand = argument.distinctOperand ?? argument
        var typed = settled(try checked(operand, inner))
        var element = typed.type
        var isRows = true
        if case .collection(let inside) = typed.type {
            element = inside
            isRows = false
            if function != .count, function != .mode { try checkItems(typed, function, operand) }
            let isOrdered = function == .min || function == .max || function == .mode
            typed.expression = alike(
                typed, element, keepsWide: isOrdered || function == .count)
        } else if function != .min, function != .max, function != .count {
            typed = computable(typed)
        }
        if isRows { try allowRows(function, scope, operand) }
        if isDistinct, element == .encrypted { throw .encrypted(operand) }
        try checkElement(element, function, operand)
        let distinct = Expression.function(
            PredicateFunction.distinct.rawValue, [typed.expression])
        return Typed(
            expression: .function(
                function.rawValue, [isDistinct ? distinct : typed.expression]),
            type: Self.type(of: function, over: element), isAggregate: isRows || typed.isAggregate,
            isOrdered: function == .mode)
    }

    private func allowRows(
        _ function: PredicateFunction, _ scope: Scope, _ operand: Expression? = nil
    ) throws(PredicateError) {
        let name = function.shortName
        if scope.isInAggregate {
            throw PredicateError(.type, "an aggregate over rows cannot contain another", near: name)
        }
        if function == .mode {
            throw PredicateError(
                .unsupported, "mode applies to a collection, not to rows", near: name)
        }
        guard !allowsRowAggregates else { return }
        let what = operand.map { ", and \($0.description) is not one" } ?? ""
        throw PredicateError(
            .type, "\(name) needs a collection here\(what)", near: name,
            hint: "write conditions on aggregates over rows in having")
    }

    /// Refuses a list of values of several types, which have no order and no sum.
    private func checkItems(
        _ list: Typed, _ function: PredicateFunction, _ operand: Expression
    ) throws(PredicateError) {
        let types = list.items.map(\.type).filter { $0.kind != .any }
        guard let first = types.first, let other = types.first(where: { $0.kind != first.kind })
        else { return }
        throw PredicateError(
            .type,
            "\(function.shortName) cannot be applied to \(operand.description): its elements are "
                + "\(first.noun) and \(other.noun)", near: operand.description)
    }

    private func checkElement(
        _ element: ExpressionType, _ function: PredicateFunction, _ operand: Expression
    ) throws(PredicateError) {
        if function == .count { return }
        let kind = element.kind
        let fits: Bool =
            switch function {
            case .min, .max:
                ![.object, .opaque, .encrypted, .binary, .collection].contains(kind)
            case .mode: ![.opaque, .encrypted, .collection].contains(kind)
            default: kind == .number || kind == .any
            }
        guard !fits else { return }
        throw PredicateError(
            .type,
            "\(function.shortName) cannot be applied to \(operand.description): each element is "
                + element.noun, near: operand.description)
    }

    static func type(
        of function: PredicateFunction, over element: ExpressionType
    ) -> ExpressionType {
        switch function {
        case .count: .value(.integer64)
        case .sum: KeyPathResolver.type(of: "@sum", over: element)
        case .average, .median: KeyPathResolver.type(of: "@avg", over: element)
        case .standardDeviation: .value(.double)
        case .mode: .collection(element)
        default: element
        }
    }

    // MARK: CAST

    private func cast(_ arguments: [Expression], _ scope: Scope) throws(PredicateError) -> Typed {
        guard case .constant(.string(let name)) = arguments[1],
            let target = CastType(rawValue: name)
        else {
            throw PredicateError(
                .unsupported, "CAST does not know the type \(arguments[1].description)",
                near: arguments[1].description)
        }
        var typed = try checked(arguments[0], scope)
        if let text = typed.pending?.text { typed = constant(.string(text)) }
        typed = computable(settled(typed))
        if case .constant(let value) = typed.expression {
            return constant(try cast(value, to: target))
        }
        let from = typed.type.kind
        let fits: Bool =
            switch target {
            case .date: from == .date || from == .number || from == .any
            case .number: from == .number || from == .date || from == .any
            case .decimal: from == .number || from == .any
            case .string: from == .number || from == .text || from == .uuid || from == .any
            case .uuid: from == .uuid || from == .any
            }
        guard fits else {
            throw PredicateError(
                .type,
                "\(arguments[0].description) is \(typed.type.noun) and cannot be cast to "
                    + name, near: arguments[0].description)
        }
        return Typed(
            expression: .function(
                PredicateFunction.cast.rawValue, [typed.expression, arguments[1]]),
            type: Self.type(of: typed.type, castTo: target), isAggregate: typed.isAggregate)
    }

    static func type(
        of operand: ExpressionType, castTo target: CastType
    ) -> ExpressionType {
        switch target {
        case .date: .value(.date)
        case .number: operand.kind == .number ? operand : .value(.double)
        case .decimal: .value(.decimal)
        case .string: .value(.string)
        case .uuid: .value(.uuid)
        }
    }

    private func cast(_ value: Value, to target: CastType) throws(PredicateError) -> Value {
        if value.isNull { return .null }
        let result: Value? =
            switch (target, value) {
            case (.date, .string(let text)): Self.date(text).map { .date($0) }
            case (.uuid, .string(let text)): UUID(uuidString: text).map { .uuid($0) }
            case (.number, .string(let text)): Self.number(text)
            case (.decimal, .string(let text)): Self.number(text)?.asDecimal.map { .decimal($0) }
            default: Arithmetic.cast(value, to: target)
            }
        if let result, !result.isNull { return result }
        if target == .date, case .string(let text) = value { throw Self.noDate(text) }
        throw PredicateError(
            .type, "\(value.literal) cannot be read as \(target.rawValue)", near: value.literal)
    }
}
