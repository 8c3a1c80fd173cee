/// Converts constants to the type that they are compared with.

import SteleJSON
import SteleModel

extension PredicateCheck {
    /// Both sides with compatible types; an error if there are none.
    func unified(_ left: Typed, _ right: Typed) throws(PredicateError) -> (Typed, Typed) {
        var (a, b) = (identified(left, by: right), identified(right, by: left))
        (a, b) = (nearest(a, beside: b), nearest(b, beside: a))
        if a.pending != nil, b.pending != nil || b.type.kind == .any { a = settled(a) }
        if b.pending != nil, a.pending == nil, a.type.kind == .any { b = settled(b) }
        if a.pending != nil || a.isLiteral && (!b.isLiteral || a.type.kind == .text) {
            a = try convert(a, to: b.type, near: b.expression)
        }
        if b.pending != nil || b.isLiteral && (!a.isLiteral || b.type.kind == .text) {
            b = try convert(b, to: a.type, near: a.expression)
        }
        if case .conditional = a.expression { a = try convert(a, to: b.type, near: b.expression) }
        if case .conditional = b.expression { b = try convert(b, to: a.type, near: a.expression) }
        (a, b) = (nearest(beyond64Bits: a, beside: b), nearest(beyond64Bits: b, beside: a))
        for (side, other) in [(a, b), (b, a)] where side.type == .encrypted {
            guard other.expression == .constant(.null) else { throw .encrypted(side.expression) }
        }
        guard canCompare(a.type, b.type) else { throw mismatch(a, b) }
        return (a, b)
    }

    /// A literal that is compared with ids, with keys in place of temporary ids.
    private func identified(_ typed: Typed, by other: Typed) -> Typed {
        guard let temporaryKey, let root = other.idRoot, typed.idRoot == nil else { return typed }
        let text: String? =
            switch (typed.expression, typed.pending) {
            case (.constant(.string(let text)), _), (_, .written(let text)?),
                (_, .value(.string(let text))?):
                text
            default: nil
            }
        if let key = text.flatMap({ temporaryKey($0, root) }) { return constant(.key(key)) }
        guard case .conditional(let condition, _, _) = typed.expression, typed.branches.count == 2
        else { return typed }
        let branches = typed.branches.map { identified(branch($0, typed), by: other) }
        return Typed(
            expression: .conditional(condition, branches[0].expression, branches[1].expression),
            type: Self.either(branches[0].type, branches[1].type),
            isAggregate: typed.isAggregate, branches: branches)
    }

    func canCompare(_ a: ExpressionType, _ b: ExpressionType) -> Bool {
        if case .object(let x) = a, case .object(let y) = b {
            return model.entities[x].root == model.entities[y].root
        }
        let (x, y) = (a.kind, b.kind)
        return x == y || x == .any || y == .any
            || x == .object && y == .number || x == .number && y == .object
    }

    func mismatch(_ a: Typed, _ b: Typed) -> PredicateError {
        let (x, y) = (a.expression.description, b.expression.description)
        let literal = b.isLiteral || !a.isLiteral ? y : x
        var hint: String?
        switch (a.type.kind, b.type.kind) {
        case (.text, .number), (.number, .text):
            hint = "text is written in quotes, numbers without; YES and NO are the numbers 1 and 0"
        case (.date, .number), (.number, .date):
            hint = "write the date as text, such as \"2026-01-31\", or as CAST(seconds, \"NSDate\")"
        case (.object, .object):
            hint = "their entities have no common parent"
        case (.collection, _), (_, .collection): hint = "use IN or ANY to search a collection"
        default: break
        }
        return PredicateError(
            .type,
            "\(x) is \(noun(of: a.type)) and \(y) is \(noun(of: b.type)); "
                + "they are never equal", near: literal, hint: hint)
    }

    func noun(of type: ExpressionType) -> String {
        guard case .object(let index) = type else { return type.noun }
        return "an object of \(model.entities[index].name)"
    }

    func constant(_ value: Value) -> Typed {
        Typed(expression: .constant(value), type: .init(of: value))
    }

    /// The number in a text, in the grammar of numbers in bodies.
    static func number(_ text: String) -> Value? {
        guard let plain = NumberText.plain(text.utf8),
            case .constant(let value)? = try? Expression(
                format: String(decoding: plain, as: UTF8.self)),
            value.isNumber
        else { return nil }
        return value
    }

    /// The wider of two number types; otherwise the first type.
    static func wider(_ a: ExpressionType, _ b: ExpressionType) -> ExpressionType {
        guard case .value(let x) = a, case .value(let y) = b, a.kind == .number, b.kind == .number
        else { return a }
        if x == .double || x == .float || y == .double || y == .float { return .value(.double) }
        return x == .decimal || y == .decimal ? .value(.decimal) : .value(.integer64)
    }

    /// The type of a value that has either type: the wider one for numbers.
    static func either(_ a: ExpressionType, _ b: ExpressionType) -> ExpressionType {
        if a.kind == .any { return b }
        return a == b && a == .value(.boolean) ? a : wider(a, b)
    }

    /// Whether it is a fixed-point literal, which is a Double beside whole numbers, as in
    /// arithmetic.
    func isFixedPoint(_ typed: Typed) -> Bool {
        if case .constant(.decimal) = typed.expression { true } else { false }
    }

    func isWhole(_ typed: Typed) -> Bool {
        guard !typed.isLiteral, case .value(let kind) = typed.type else { return false }
        return kind == .integer16 || kind == .integer32 || kind == .integer64
    }

    /// Whether it is a whole number that is computed: a Double where 64 bits cannot hold it.
    func isComputedWhole(_ typed: Typed) -> Bool {
        guard isWhole(typed) else { return false }
        guard case .keyPath(_, let path) = typed.expression else { return true }
        return path.contains { $0.hasPrefix("@") }
    }

    // MARK: One constant

    /// Converts a literal, a variable, or a TERNARY of such to a type; other expressions are
    /// unchanged.
    func convert(
        _ typed: Typed, to type: ExpressionType, near other: Expression
    ) throws(PredicateError) -> Typed {
        if let pending = typed.pending {
            return try convert(pending, of: typed.expression, to: type, near: other)
        }
        switch typed.expression {
        case .constant(let value):
            let changed = try fitted(value, to: type, near: other)
            return changed == value ? typed : constant(changed)
        case .conditional(let predicate, let yes, let no):
            // A value that is a Double for some objects is a Double for all, even beside a Decimal.
            if typed.type == .value(.double), type == .value(.decimal) { return typed }
            let group = Self.group(of: type)
            if typed.met.contains(group) { return typed }
            let branches =
                typed.branches.isEmpty
                ? [yes, no].map { Typed(expression: $0, type: typed.type) } : typed.branches
            let a = try convert(branch(branches[0], typed), to: type, near: other)
            let b = try convert(branch(branches[1], typed), to: type, near: other)
            return Typed(
                expression: .conditional(predicate, a.expression, b.expression),
                type: Self.either(a.type, b.type), isAggregate: typed.isAggregate,
                branches: [a, b], met: typed.met.union([group]))
        default: return typed
        }
    }

    /// A branch of a TERNARY with the type of the whole, unless it is a literal.
    private func branch(_ branch: Typed, _ whole: Typed) -> Typed {
        if case .constant(let value) = branch.expression { return constant(value) }
        var typed = branch
        typed.type = whole.type
        return typed
    }

    /// One of the types that literals are converted to alike.
    private static func group(of type: ExpressionType) -> ExpressionType {
        switch type {
        case .value(.integer16), .value(.integer32): .value(.integer64)
        case .object: .value(.objectID)
        case .collection: .collection(.value(.undefined))
        default: type
        }
    }

    /// The value of a literal, converted to the type that it is compared with.
    func fitted(
        _ value: Value, to type: ExpressionType, near other: Expression? = nil
    ) throws(PredicateError) -> Value {
        switch (value, type.kind) {
        case (.null, _), (_, .any): return value
        case (.string(let text), .date):
            if let seconds = Self.date(text) { return .date(seconds) }
            throw Self.noDate(text)
        case (.string(let text), .uuid):
            if let uuid = UUID(uuidString: text) { return .uuid(uuid) }
            throw unreadable(text, "a UUID", nil)
        case (.string(let text), .object):
            return .key(try key(text, type, near: other))
        case (.int(let key), .object):
            guard case .object = type else { return value }
            return .key(key)
        case (.decimal, .object), (.double, .object):
            throw PredicateError(
                .type, "\(value.literal) is not the id of an object; ids are whole numbers",
                near: value.literal, hint: objectHint(type, near: other))
        case (_, .number):
            guard value.isNumber, case .value(let numeric) = type else { return value }
            return Self.number(value, as: numeric)
        case (_, .opaque), (_, .binary), (_, .encrypted):
            if case .data = value, type != .encrypted { return value }
            throw PredicateError(
                .type, "\(type.noun) can only be compared with nil, not with \(value.literal)",
                near: value.literal)
        default: return value
        }
    }

    private func unreadable(_ text: String, _ noun: String, _ hint: String?) -> PredicateError {
        let literal = Value.string(text).literal
        return PredicateError(
            .type, "\(literal) is compared with \(noun) and is not one", near: literal, hint: hint)
    }

    static func date(_ text: String) -> Double? { try? ISO8601.secondsSinceReferenceDate(text) }

    /// The error for a text that is not a date, with the reason if it begins like one.
    static func noDate(_ text: String) -> PredicateError {
        let literal = Value.string(text).literal
        let written = "write it as 2026-01-31 or 2026-01-31T09:00:00Z"
        let digits = text.utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
        let isLikeOne = digits.count > 5 && digits.prefix(4).allSatisfy(Lexer.isDigit)
        if isLikeOne, digits.dropFirst(4).first == UInt8(ascii: "-") {
            do { _ = try ISO8601.secondsSinceReferenceDate(text) } catch {
                return PredicateError(
                    .type, error.message, near: literal, hint: error.hint ?? written)
            }
        }
        return PredicateError(
            .type, "\(literal) is compared with a date and is not one", near: literal,
            hint: written)
    }

    /// A number converted to a type. A number that the type cannot hold is unchanged: no value
    /// equals it.
    static func number(_ value: Value, as type: AttributeType) -> Value {
        switch type {
        case .boolean:
            if case .int(let it) = value, it == 0 || it == 1 { return .bool(it == 1) }
        case .integer16, .integer32, .integer64:
            if case .decimal(let it) = value, let whole = it.wholeNumber { return .int(whole) }
            if case .bool(let it) = value { return .int(it ? 1 : 0) }
        case .double:
            // A number that no Double equals is unchanged, so that it equals none and sorts beside
            // them.
            if case .int(let it) = value, Double(exactly: it) == nil { return value }
            if let it = value.asDouble { return .double(it) }
        case .float:
            if let it = value.asDouble, Float(it).isFinite { return .double(Double(Float(it))) }
        case .decimal:
            if let it = value.asDecimal { return .decimal(it) }
        default: break
        }
        return value
    }

    /// The key in an object's URI, `x-coredata://STORE/Entity/p42`, or in its path, `/Entity/42`,
    /// and that of a temporary id.
    private func key(
        _ text: String, _ type: ExpressionType, near other: Expression?
    ) throws(PredicateError) -> Int64 {
        if case .object(let index) = type,
            let key = temporaryKey?(text, model.entities[index].root)
        {
            return key
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: true)
        let isURI = text.hasPrefix("x-coredata://")
        if parts.count == (isURI ? 4 : 2), var number = parts.last {
            if isURI, number.first == "p" { number = number.dropFirst() }
            if let key = Int64(number), key > 0,
                let named = model.entity(named: String(parts[parts.count - 2]))
            {
                if isURI, !storeIdentifiers.isEmpty, !storeIdentifiers.contains(String(parts[1])) {
                    throw PredicateError(
                        .type,
                        "\(text.prefix(100)) is an object of the store \(parts[1].prefix(50)), and "
                            + "this is \(storeIdentifiers.joined(separator: ", "))",
                        near: Value.string(text).literal,
                        expected: "an object of this store",
                        hint: "write an object of this store as its id, or as /\(named.name)/42")
                }
                guard case .object(let wanted) = type,
                    model.entities[wanted].root != named.root
                else { return key }
                throw PredicateError(
                    .type,
                    "\(text) is an object of \(named.name), not of "
                        + model.entities[wanted].name, near: Value.string(text).literal,
                    expected: "an object of \(model.entities[wanted].name)",
                    hint: "write its id, or /\(model.entities[wanted].name)/\(key)")
            }
        }
        throw unreadable(text, "an object", objectHint(type, near: other))
    }

    /// How an object is written, and the text attribute that was perhaps meant.
    private func objectHint(_ type: ExpressionType, near other: Expression?) -> String {
        guard case .object(let index) = type else {
            return "write its id, or x-coredata://STORE/Entity/p42"
        }
        let entity = model.entities[index]
        let ways = "write its id, /\(entity.name)/42, or x-coredata://STORE/\(entity.name)/p42"
        let texts = entity.properties.compactMap { property -> String? in
            guard case .attribute(let it) = property, it.type == .string else { return nil }
            return it.name
        }
        guard case .keyPath(let base, let path) = other,
            let key = texts.first(where: { $0 == "name" || $0 == "title" }) ?? texts.first
        else { return ways }
        return "\(ways); or compare one of its keys, such as "
            + Expression.keyPath(base, path + [key]).description
    }
}
