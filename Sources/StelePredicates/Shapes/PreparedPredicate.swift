import SteleModel

/// A checked predicate with parameters 0, 1, … for its literals, as NSPredicate has substitution
/// variables. For another text of the same shape only its literals are parsed and converted, with
/// the same result as parsing and checking the text.
public final class PreparedPredicate: Sendable {
    /// The predicate with `Expression.parameter`s; nil matches all objects.
    public let template: Predicate?
    private let literals: [Literal]
    private let check: PredicateCheck

    /// The bytes of all `written` literals.
    private let written: [UInt8]

    /// The role of a literal. It contains no references, so that a scan of all literals does not
    /// count any.
    enum Literal: Sendable {
        /// The literal decides more than a value: another text must have the same bytes, a range of
        /// `written`.
        case written(Range<Int>)
        /// The literal is the next parameter.
        case open(Reading)
    }

    /// How a literal becomes the value of a parameter.
    struct Reading: Sendable {
        let isNegative: Bool
        /// The form of the literal as parsed.
        let read: Value.Form
        /// The type that it is converted to.
        let target: Target
        /// The form after conversion. A value of another form could change the meaning of the
        /// comparison.
        let fitted: Value.Form
    }

    /// The type that a literal is converted to.
    enum Target: Sendable {
        case value(AttributeType)
        case object(Int)
    }

    init(_ template: Predicate?, _ literals: [Literal], written: [UInt8], _ check: PredicateCheck) {
        self.template = template
        self.literals = literals
        self.written = written
        self.check = check
    }

    /// The predicate with the literals of another text of its shape; nil if a literal cannot be
    /// read or has another form. Such a text must be parsed and checked, which reports its errors.
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
    /// How a literal is converted to a type, and its value; nil if that is not possible.
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
    /// - Returns: false if it cannot be read or has another form.
    @inline(__always)
    fileprivate func read(
        _ token: Token, in bytes: UnsafeBufferPointer<UInt8>, _ check: PredicateCheck,
        to values: inout [Value]
    ) -> Bool {
        // Most literals are texts and integers that need no conversion.
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

/// A prepared predicate and the values of its parameters.
public struct FilledPredicate: Sendable {
    /// The part that all predicates of the shape share.
    public let prepared: PreparedPredicate
    /// The values of the parameters.
    public let values: [Value]

    init(_ prepared: PreparedPredicate, _ values: [Value]) {
        self.prepared = prepared
        self.values = values
    }

    /// The predicate with the values inserted, equal to the parsed and checked text; nil matches
    /// all objects.
    public var predicate: Predicate? {
        prepared.template?.replacingVariables { name, path in
            guard path.isEmpty, let number = Expression.variable(name).parameter else { return nil }
            return .constant(values[number])
        }
    }
}

extension Expression {
    /// A parameter of a prepared predicate: a variable with a number as its name, which no text can
    /// contain.
    package static func parameter(_ number: Int) -> Expression { .variable(String(number)) }

    /// The number of the parameter; nil for other expressions.
    package var parameter: Int? {
        guard case .variable(let name) = self, let first = name.utf8.first, Lexer.isDigit(first)
        else { return nil }
        return Int(name)
    }
}

extension Value {
    /// The case of a value.
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
