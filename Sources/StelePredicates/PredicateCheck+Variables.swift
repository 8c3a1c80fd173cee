/// Converts the values of variables to the type that they are compared with.

import SteleModel

extension PredicateCheck {
    /// A variable that is compared with nothing typed: what is written is a number if it reads as
    /// one, otherwise text.
    func settled(_ typed: Typed) -> Typed {
        switch typed.pending {
        case nil: typed
        case .written(let text)?: given(Self.number(text) ?? .string(text))
        case .value(let value)?: given(value)
        case .list(let values)?: list(values.map(given))
        }
    }

    /// The value of a variable.
    func given(_ value: Value) -> Typed {
        Typed(expression: .constant(value), type: .init(of: value), isOfVariable: true)
    }

    private func list(_ items: [Typed]) -> Typed {
        let types = items.map(\.type)
        let type = types.dropFirst().reduce(types.first ?? .value(.undefined), Self.either)
        return Typed(
            expression: .aggregate(items.map(\.expression)), type: .collection(type),
            isOrdered: true, list: items)
    }

    /// A variable that is a list as such, where a collection is wanted.
    func listed(_ typed: Typed) -> Typed {
        if case .list? = typed.pending { settled(typed) } else { typed }
    }

    /// The error for a variable with one value of its own type in place of a list; nil for others.
    func needsArray(_ typed: Typed, _ sign: String) -> PredicateError? {
        guard case .value(let value)? = typed.pending, !value.isNull else { return nil }
        return PredicateError(
            .variable,
            "\(typed.expression.description) is \(noun(of: .init(of: value))), and \(sign) needs a "
                + "list", near: typed.expression.description,
            hint: "send an array, such as [1, 2]")
    }

    /// The elements of a variable that is a list, or whose text is one: `{1, 2}` or `1,2`. A text
    /// with a type of its own is no list, but may contain others.
    func list(_ value: VariableValue, for element: Typed) throws(PredicateError) -> Typed {
        let text: String
        switch value {
        case .written(let it): text = it
        case .value(let it): return constant(it)
        case .list(let values):
            return Typed(
                expression: .aggregate(values.map { .constant($0) }),
                type: .collection(element.type), isOrdered: true,
                list: values.map { value in
                    Typed(
                        expression: .constant(value), type: .init(of: value),
                        pending: .value(value))
                })
        }
        if text.utf8.first == UInt8(ascii: "{") {
            var list = try checked(try Expression(format: text), Scope())
            list.list = list.list?.map { item in
                var item = item
                item.isOfVariable = true
                return item
            }
            return list
        }
        let items = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            Typed(
                expression: .constant(.string(String(part))), type: .value(.undefined),
                pending: .written(String(part)))
        }
        return Typed(
            expression: .aggregate(items.map(\.expression)), type: .collection(element.type),
            isOrdered: true, list: text.isEmpty ? [] : items)
    }

    /// The value of a variable, converted to a type.
    func convert(
        _ pending: VariableValue, of name: Expression, to type: ExpressionType,
        near other: Expression
    ) throws(PredicateError) -> Typed {
        try blaming(name) { () throws(PredicateError) in
            let value = try value(of: pending, as: type, named: name)
            var made = try convert(constant(value), to: type, near: other)
            made.isOfVariable = true
            if pending.text != nil || canCompare(made.type, type) { return made }
            // The caller gives the error of an element the name of the variable.
            let code: PredicateError.Code = if case .variable = name { .variable } else { .type }
            throw PredicateError(
                code,
                "\(name.description) is \(noun(of: made.type)), and "
                    + "\(other.description) is \(noun(of: type))", near: name.description)
        }
    }

    /// Attributes an error in the value of a variable to the variable.
    func blaming<R>(
        _ name: Expression, _ body: () throws(PredicateError) -> R
    ) throws(PredicateError) -> R {
        do throws(PredicateError) { return try body() } catch {
            guard case .variable(let variable) = name,
                error.code != PredicateError.Code.variable.rawValue
            else { throw error }
            throw PredicateError(
                .variable, "$\(variable): \(error.message)", near: name.description,
                hint: error.hint)
        }
    }

    /// The value of a variable, converted to the type that it is compared with.
    private func value(
        of pending: VariableValue, as type: ExpressionType, named name: Expression
    ) throws(PredicateError) -> Value {
        switch pending {
        case .written(let text): return try value(of: text, as: type, named: name)
        case .value(.string(let text)) where type.kind == .number || type.kind == .object:
            return Self.number(text) ?? .string(text)
        case .value(let value): return value
        case .list:
            throw Self.isOneList(name)
        }
    }

    /// The error for a variable that is a list, where one value is compared.
    static func isOneList(_ name: Expression) -> PredicateError {
        PredicateError(
            .variable, "\(name.description) is a list, and is compared with one value",
            near: name.description, hint: "use IN to search a list")
    }

    private func value(
        of text: String, as type: ExpressionType, named name: Expression
    ) throws(PredicateError) -> Value {
        switch type.kind {
        case .text: return .string(text)
        case .any, .collection: return Self.number(text) ?? .string(text)
        default: break
        }
        let word = text.lowercased()
        if word == "nil" || word == "null" { return .null }
        switch type.kind {
        case .number:
            if word == "yes" || word == "true" { return .int(1) }
            if word == "no" || word == "false" { return .int(0) }
            if let number = Self.number(text) { return number }
            guard case .variable = name else {
                throw PredicateError(
                    .type, "\(name.description) is not a number", near: name.description)
            }
            throw PredicateError(
                .variable, "\(name.description) must be a number, and \(text) is not one",
                near: name.description)
        case .object: return Self.number(text) ?? .string(text)
        default: return .string(text)
        }
    }
}
