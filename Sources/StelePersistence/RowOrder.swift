/// The order of a request's rows, where they are sorted by values instead of by SQL.

import SteleModel
import StelePredicates

/// Compares rows by their positions: the values of the request's sort keys, and behind them what
/// makes the order total.
public struct RowOrder: Sendable {
    private let texts: [TextComparison]
    private let ascending: [Bool]

    /// The order that a request asks for.
    public init(_ request: FetchRequest) {
        texts = request.sortDescriptors.map { TextComparison($0.options) }
        ascending = request.sortDescriptors.map(\.ascending)
    }

    /// Whether a row of the one position comes before one of the other.
    public func precedes(_ a: [Value], _ b: [Value]) -> Bool {
        for (index, (left, right)) in zip(a, b).enumerated() {
            let isAsked = index < texts.count
            let text = isAsked ? texts[index] : TextComparison()
            let order = ValueOrder.sortOrder(left, right, text)
            if order == 0 { continue }
            return !isAsked || ascending[index] ? order < 0 : order > 0
        }
        return false
    }
}
