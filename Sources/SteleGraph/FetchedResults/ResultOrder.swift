/// Where a row of a result stands, and the order of rows.

import SteleModel
import StelePredicates

/// A row without its object: its key, and the sort keys' values.
struct ResultRow: Sendable {
    let key: Int64
    /// The value of each sort key; with sections the section's name is the first.
    let position: [Value]
}

/// The order of a request's rows, total as a store's: behind the sort keys comes the object's key.
struct ResultOrder: Sendable {
    private let keys: [(isAscending: Bool, text: TextComparison)]

    init(_ descriptors: [SortDescriptor]) {
        keys = descriptors.map { ($0.ascending, TextComparison($0.options)) }
    }

    /// Below 0 where the first comes before the second, 0 for the same row.
    func compare(_ a: ResultRow, _ b: ResultRow) -> Int {
        let order = compare(a.position, b.position)
        return order != 0 ? order : a.key < b.key ? -1 : a.key > b.key ? 1 : 0
    }

    /// The same without the objects' keys: 0 for rows that tie.
    func compare(_ a: [Value], _ b: [Value]) -> Int {
        for (index, key) in keys.enumerated() where index < a.count && index < b.count {
            let order = ValueOrder.sortOrder(a[index], b[index], key.text)
            if order != 0 { return key.isAscending ? order : -order }
        }
        return 0
    }

    /// The order of two sections' names.
    func compareSections(_ a: Value, _ b: Value) -> Int {
        compare([a], [b])
    }
}
