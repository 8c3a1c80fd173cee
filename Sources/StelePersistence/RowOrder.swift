import SteleModel
import StelePredicates

/// The order of a request's rows, for rows that are sorted outside the store.
///
/// A row's position has the values of the request's sort keys, then values that make the order
/// total.
public struct RowOrder: Sendable {
    private let texts: [TextComparison]
    private let ascending: [Bool]

    /// Creates the order of a request.
    public init(_ request: FetchRequest) {
        texts = request.sortDescriptors.map { TextComparison($0.options) }
        ascending = request.sortDescriptors.map(\.ascending)
    }

    /// Returns whether a row at position `a` comes before a row at position `b`.
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
