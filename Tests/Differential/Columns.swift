/// Columns of a dictionary result as texts.

import StelePredicates

extension PredicateCheck {
    /// The checked columns of texts such as `total:sum(price)`.
    package func columns(_ texts: [String]) throws(PredicateError) -> [ExpressionDescription] {
        var open = self
        open.allowsRowAggregates = true
        return try texts.map { (text) throws(PredicateError) in
            let name = text.prefix { $0 != ":" }
            let expression = try Expression(format: String(text[name.endIndex...].dropFirst()))
            return ExpressionDescription(
                name: String(name), expression: try open.check(expression).0)
        }
    }
}
