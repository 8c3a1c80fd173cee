/// `select`: the columns of a result.

import SteleModel

/// The columns that `select` names, such as `team.name,headcount:count(),pay:average(salary)`.
public struct SelectList: Sendable, Hashable {
    /// The columns, in the order of the text.
    public var columns: [ExpressionDescription]

    /// A column that fits the model.
    public struct Column: Sendable, Hashable {
        public var name: String
        public var expression: Expression
        public var type: ExpressionType
        /// Whether it holds an aggregate over rows.
        public var isAggregate: Bool
    }

    /// Reads the list. An alias is the name before the first colon; a column without one is named
    /// by its expression as written, without spaces beside punctuation.
    ///
    /// - Throws: `PredicateError` as `Expression(format:)`, and where two columns have one name.
    public init(_ text: String) throws(PredicateError) {
        columns = try withBytes(of: text) { (bytes) throws(PredicateError) in
            let items = try ListItems(bytes, "select")
            var columns: [ExpressionDescription] = []
            var names = Set<String>()
            for range in items.ranges {
                let column = try Self.column(range, items)
                guard names.insert(column.name).inserted else {
                    throw PredicateError(
                        .syntax, "select has two columns named \(column.name)",
                        position: items.position(of: range.lowerBound), near: column.name,
                        hint: "give one an alias: other:\(column.name)")
                }
                columns.append(column)
            }
            return columns
        }
    }

    private static func column(
        _ range: Range<Int>, _ items: ListItems
    ) throws(PredicateError) -> ExpressionDescription {
        let colons = ListItems.places(of: UInt8(ascii: ":"), in: items.bytes, range)
        guard let colon = colons.first else {
            return ExpressionDescription(
                name: items.name(range), expression: try items.expression(range))
        }
        let alias = items.trimmed(range.lowerBound..<colon)
        let name = items.text(alias)
        guard let first = name.utf8.first, Lexer.isLetter(first),
            name.utf8.allSatisfy(ListItems.isWord)
        else {
            throw PredicateError(
                .syntax, "\(name) cannot be an alias: one is made of letters, digits and _",
                position: items.position(of: range.lowerBound), near: name)
        }
        do throws(PredicateError) {
            let rest = items.trimmed((colon + 1)..<range.upperBound)
            return ExpressionDescription(name: name, expression: try items.expression(rest))
        } catch {
            guard PredicateFunction.byName[name] != nil, error.hint == nil else { throw error }
            var hinted = error
            hinted.hint =
                "a function of several arguments is written with commas here: "
                + "\(name)(a, b)"
            throw hinted
        }
    }

    /// The columns fitted to the model that the check is for; aggregates are allowed.
    ///
    /// - Throws: `PredicateError` as `PredicateCheck.check(_:)`.
    public func checked(by check: PredicateCheck) throws(PredicateError) -> [Column] {
        var check = check
        check.allowsRowAggregates = true
        var result: [Column] = []
        for column in columns {
            let (expression, type) = try check.check(column.expression)
            result.append(
                Column(
                    name: column.name, expression: expression, type: type,
                    isAggregate: try check.isAggregate(column.expression)))
        }
        return result
    }
}
