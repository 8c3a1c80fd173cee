import SteleModel
import StelePredicates

/// A row's object key and sort values, without the object.
struct ResultRow: Sendable {
    let key: Int64
    /// The value of each sort key. If the result has sections, the first is the section's name.
    let position: [Value]
}

/// The sort order of a request's rows. Like a store's order it is total: the last sort key is the
/// object's key.
struct ResultOrder: Sendable {
    private let keys: [(isAscending: Bool, text: TextComparison)]

    /// - Parameter byPlace: whether the place in an ordered relationship is the last sort value.
    init(_ descriptors: [SortDescriptor], byPlace: Bool = false) {
        keys =
            descriptors.map { ($0.ascending, TextComparison($0.options)) }
            + (byPlace ? [(true, TextComparison([]))] : [])
    }

    /// Compares two rows: negative if the first precedes the second, 0 if they are the same row.
    func compare(_ a: ResultRow, _ b: ResultRow) -> Int {
        let order = compare(a.position, b.position)
        return order != 0 ? order : a.key < b.key ? -1 : a.key > b.key ? 1 : 0
    }

    /// Compares the sort values alone: 0 if they are equal.
    func compare(_ a: [Value], _ b: [Value]) -> Int {
        for (index, key) in keys.enumerated() where index < a.count && index < b.count {
            let order = ValueOrder.sortOrder(a[index], b[index], key.text)
            if order != 0 { return key.isAscending ? order : -order }
        }
        return 0
    }

    func compareSections(_ a: Value, _ b: Value) -> Int {
        compare([a], [b])
    }
}
