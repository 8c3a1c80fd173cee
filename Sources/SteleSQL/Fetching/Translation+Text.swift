import SteleModel
import StelePersistence
import StelePredicates

extension Translation {
    /// Returns the condition of CONTAINS, BEGINSWITH, ENDSWITH, LIKE or MATCHES; false for a null,
    /// and for an empty text to search.
    func text(
        _ text: Operand, _ type: Comparison.Operator, pattern: Operand,
        _ options: ComparisonOptions, holds: Bool
    ) throws(StoreError) -> Condition {
        if text.isNull || pattern.isNull || text.kind != .text || pattern.kind != .text {
            return .constant(!holds)
        }
        let options = options.ofEquality
        if let literal = pattern.text, type != .like, type != .matches {
            if literal.isEmpty { return .constant(!holds) }
            if !options.folds {
                return try plain(text, type, literal).turned(holds)
            }
        }
        let function =
            switch type {
            case .beginsWith: SQLFunctions.beginsWith
            case .endsWith: SQLFunctions.endsWith
            case .like: SQLFunctions.like
            case .matches: SQLFunctions.matches
            default: SQLFunctions.contains
            }
        let bits = String(options.folds ? options.rawValue : 0)
        let condition = Condition(
            schema.dialect.isTyped
                ? try typed(function, text, pattern, options)
                : try call(function, sql(text), sql(pattern), bits))
        guard holds, text.isIndexed, let literal = pattern.text else {
            return condition.turned(holds)
        }
        switch type {
        case .beginsWith: return narrowed(condition, text, beginsWith: literal, options)
        case .like: return narrowed(condition, text, beginsWith: fixedPart(of: literal), options)
        default: return condition
        }
    }

    /// Returns a condition in SQL alone, for a literal without folding.
    private func plain(
        _ text: Operand, _ type: Comparison.Operator, _ literal: String
    ) throws(StoreError) -> Condition {
        switch type {
        case .beginsWith where text.isColumn && schema.dialect.sortsByScalars:
            prefix(sql(text), literal)
        case .beginsWith:
            Condition(
                try call(SQLFunctions.beginsWith, sql(text), sql(.constant(.string(literal))), "0"))
        case .endsWith:
            Condition(schema.dialect.endsWith(sql(text), sql(.constant(.string(literal)))))
        default:
            Condition(schema.dialect.contains(sql(text), sql(.constant(.string(literal)))))
        }
    }

    /// Adds ranges of the column's index that include all texts for which the condition is true.
    /// Returns the condition itself where no index applies, or such texts are no range of it.
    func narrowed(
        _ condition: Condition, _ column: Operand, beginsWith literal: String,
        _ options: ComparisonOptions
    ) -> Condition {
        guard column.isIndexed, schema.dialect.sortsByScalars else { return condition }
        let beginnings = beginnings(of: literal, options)
        if beginnings.isEmpty { return condition }
        return .all([.any(beginnings.map { range(sql(column), $0) }), condition])
    }

    /// The most index ranges for a list of texts.
    private static let mostRanges = 24

    /// The same for a text that equals one of several.
    func narrowed(
        _ condition: Condition, _ column: Operand, isOneOf literals: [String],
        _ options: ComparisonOptions
    ) -> Condition {
        guard column.isIndexed, schema.dialect.sortsByScalars, options.folds,
            literals.count <= Self.mostRanges
        else { return condition }
        var all: [String] = []
        for literal in literals {
            let beginnings = beginnings(of: literal, options)
            // An empty text or one without a range would scan the whole index.
            if beginnings.isEmpty { return condition }
            all += beginnings
        }
        all.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var ranges: [String] = []
        for beginning in all {
            // A text with a range's prefix is in that range.
            if let last = ranges.last, beginning.utf8.starts(with: last.utf8) { continue }
            ranges.append(beginning)
        }
        guard ranges.count <= Self.mostRanges else { return condition }
        return .all([.any(ranges.map { range(sql(column), $0) }), condition])
    }

    /// Returns prefixes such that every text that begins with the literal under the options begins
    /// with one of them; none where there are no such prefixes.
    private func beginnings(
        of literal: String, _ options: ComparisonOptions
    ) -> [String] {
        switch options.subtracting(.localeSensitive) {
        case _ where !options.folds: literal.isEmpty ? [] : [literal]
        case .caseInsensitive: CaseVariants.beginnings(of: literal)
        default: []
        }
    }

    private func prefix(_ column: String, _ literal: String) -> Condition {
        if literal.utf8.count > 1 { findsFew = true }
        return range(column, literal)
    }

    private func range(_ column: String, _ prefix: String) -> Condition {
        let from = sql(.constant(.string(prefix)))
        guard let next = TextPrefix.next(after: prefix) else {
            return Condition(SQLWords.joined([column, " >= ", from]))
        }
        return Condition(
            SQLWords.joined([
                column, " >= ", from, " AND ", column, " < ", sql(.constant(.string(next))),
            ]),
            .and)
    }

    /// Returns the beginning of a LIKE pattern up to its first special character.
    private func fixedPart(of pattern: String) -> String {
        let end = pattern.utf8.firstIndex {
            $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "\\")
        }
        return end.map { String(pattern[..<$0]) } ?? pattern
    }
}

/// The range of texts with a common prefix. UTF-8 sorts by bytes as Unicode scalars do, and UTF-16
/// does not (`SQLDialect.sortsByScalars`).
enum TextPrefix {
    /// Returns the lowest text above all texts with the prefix; nil where there is none.
    static func next(after prefix: String) -> String? {
        // Usually only the last ASCII character changes.
        if let last = prefix.utf8.last, last < 0x7F {
            return String(unsafeUninitializedCapacity: prefix.utf8.count) { buffer in
                let end = buffer.initialize(fromContentsOf: prefix.utf8)
                buffer[end - 1] = last + 1
                return end
            }
        }
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            guard last.value < 0x10FFFF else { continue }
            // There are no scalars between U+D7FF and U+E000.
            let value = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let next = Unicode.Scalar(value) else { return nil }
            scalars.append(next)
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            return String(text)
        }
        return nil
    }
}
