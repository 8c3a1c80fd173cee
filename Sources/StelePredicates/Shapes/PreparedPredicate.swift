/// A checked predicate with places for its literals: what is kept for the next text of its shape.

import SteleModel

/// A predicate that fits a model, in which literals are left open: parameters 0, 1, … (NSPredicate
/// has `predicateWithSubstitutionVariables:` for the like). The next text of the same shape needs
/// only its own literals read and fitted, which gives what parsing and checking it would give.
public final class PreparedPredicate: Sendable {
    /// The predicate, with `Expression.parameter`s; nil is all objects.
    public let template: Predicate?
    private let literals: [Literal]
    private let check: PredicateCheck

    /// The bytes of all literals that are `written`.
    private let written: [UInt8]

    /// What becomes of one literal of the text. Nothing in it is counted by reference, for at each
    /// use all of them are looked at.
    enum Literal: Sendable {
        /// It decides more than a value: only a text with the very bytes of `written` is meant.
        case written(Range<Int>)
        /// It is the next parameter.
        case open(Reading)
    }

    /// How a literal becomes a parameter's value.
    struct Reading: Sendable {
        let isNegative: Bool
        /// What the literal must be as it is read.
        let read: Value.Form
        /// What it meets.
        let target: Target
        /// What it must be then: another value could mean another condition.
        let fitted: Value.Form
    }

    /// What a literal can meet.
    enum Target: Sendable {
        case value(AttributeType)
        case object(Int)
    }

    init(
        _ template: Predicate?, _ literals: [Literal], written: [UInt8], _ check: PredicateCheck
    ) {
        self.template = template
        self.literals = literals
        self.written = written
        self.check = check
    }

    /// The predicate with the literals of another text of its shape; nil where they are not such
    /// that it would be the same but for their values, or cannot be read: then the text takes the
    /// long way, which finds all mistakes.
    func filled(by shape: PredicateShape) -> FilledPredicate? {
        guard shape.literals.count == literals.count else { return nil }
        if literals.isEmpty { return FilledPredicate(self, []) }
        var text = shape.text
        return text.withUTF8 { bytes in
            var values: [Value] = []
            values.reserveCapacity(literals.count)
            for index in literals.indices {
                let token = shape.literals[index]
                switch literals[index] {
                case .written(let range):
                    guard bytes[token.place..<token.end].elementsEqual(written[range])
                    else { return nil }
                case .open(let reading):
                    guard reading.read(token, in: bytes, check, to: &values) else { return nil }
                }
            }
            return FilledPredicate(self, values)
        }
    }
}

extension PreparedPredicate.Reading {
    /// How a literal is read that meets a type, and its value then; nil for what cannot be.
    static func reading(
        _ token: Token, isNegative: Bool, in bytes: UnsafeBufferPointer<UInt8>,
        as type: ExpressionType, _ check: PredicateCheck
    ) -> (Self, Value)? {
        let target: PreparedPredicate.Target
        switch type {
        case .value(let kind): target = .value(kind)
        case .object(let entity): target = .object(entity)
        case .collection, .encrypted: return nil
        }
        guard let value = read(token, isNegative: isNegative, in: bytes),
            let fitted = try? check.fitted(value, to: type)
        else { return nil }
        let reading = Self(
            isNegative: isNegative, read: value.form, target: target, fitted: fitted.form)
        return (reading, fitted)
    }

    /// Appends the value of another literal.
    /// - Returns: false where it has none such.
    @inline(__always)
    fileprivate func read(
        _ token: Token, in bytes: UnsafeBufferPointer<UInt8>, _ check: PredicateCheck,
        to values: inout [Value]
    ) -> Bool {
        // Most literals are texts and integers, for attributes that take them as they are.
        switch (token.kind, target) {
        case (.text, .value(.string)) where fitted == .string:
            values.append(.string(Self.text(token, in: bytes)))
            return true
        case (.integer, .value(let kind)) where read == .int && fitted == .int && kind.isInteger:
            guard let number = NumberLiteral(bytes, token, isNegative).whole else { return false }
            values.append(.int(number))
            return true
        case (.integer, .value(.double)) where read == .int && fitted == .double:
            guard let number = NumberLiteral(bytes, token, isNegative).whole,
                let exact = Double(exactly: number)
            else { return false }
            values.append(.double(exact))
            return true
        default:
            guard let value = value(of: token, in: bytes, check) else { return false }
            values.append(value)
            return true
        }
    }

    private func value(
        of token: Token, in bytes: UnsafeBufferPointer<UInt8>, _ check: PredicateCheck
    ) -> Value? {
        guard let value = Self.read(token, isNegative: isNegative, in: bytes), value.form == read
        else { return nil }
        let fitted: Value
        switch target {
        case .value(let kind) where kind.isNumeric && value.isNumber:
            fitted = PredicateCheck.number(value, as: kind)
        case .value(let kind):
            guard let known = try? check.fitted(value, to: .value(kind)) else { return nil }
            fitted = known
        case .object(let entity):
            guard let known = try? check.fitted(value, to: .object(entity)) else { return nil }
            fitted = known
        }
        return fitted.form == self.fitted ? fitted : nil
    }

    private static func text(_ token: Token, in bytes: UnsafeBufferPointer<UInt8>) -> String {
        String(
            decoding: UnsafeBufferPointer(rebasing: bytes[token.start..<token.end]), as: UTF8.self)
    }

    private static func read(
        _ token: Token, isNegative: Bool, in bytes: UnsafeBufferPointer<UInt8>
    ) -> Value? {
        switch token.kind {
        case .text: return .string(text(token, in: bytes))
        case .escapedText:
            var parser = PredicateParser(bytes, at: token)
            return (try? parser.string()).map { .string($0) }
        default: return NumberLiteral(bytes, token, isNegative).value
        }
    }
}

/// A prepared predicate with values for its parameters: a predicate that is made only when somebody
/// asks for it.
public struct FilledPredicate: Sendable {
    /// What it has in common with all others of its shape.
    public let prepared: PreparedPredicate
    /// The parameters' values.
    public let values: [Value]

    init(_ prepared: PreparedPredicate, _ values: [Value]) {
        self.prepared = prepared
        self.values = values
    }

    /// The predicate with the values in it, as parsing and checking its text gives it; nil is all
    /// objects.
    public var predicate: Predicate? {
        prepared.template?.replacingVariables { name, path in
            guard path.isEmpty, let number = Expression.variable(name).parameter else { return nil }
            return .constant(values[number])
        }
    }
}

extension Expression {
    /// The place of a literal in a prepared predicate: a variable with a number for its name, which
    /// no text can name.
    public static func parameter(_ number: Int) -> Expression { .variable(String(number)) }

    /// The number of the parameter that it is; nil for anything else.
    public var parameter: Int? {
        guard case .variable(let name) = self, let first = name.utf8.first, Lexer.isDigit(first)
        else { return nil }
        return Int(name)
    }
}

extension Value {
    /// What kind of value it is, without the value.
    enum Form: UInt8, Sendable {
        case null, bool, int, double, decimal, string, date, data, uuid, key, external
    }

    var form: Form {
        switch self {
        case .null: .null
        case .bool: .bool
        case .int: .int
        case .double: .double
        case .decimal: .decimal
        case .string: .string
        case .date: .date
        case .data: .data
        case .uuid: .uuid
        case .key: .key
        case .external: .external
        }
    }
}
