/// The ids in a row of columns.

import SteleModel

/// Reads ids from rows.
package enum RowKey {
    /// The id that a row of columns ends with.
    package static func id(of row: [Value]?) -> Int64? {
        row.flatMap { key(in: $0, at: $0.count - 1) }
    }

    /// The id at a place of a row; nil for what is none.
    package static func key(in row: [Value], at place: Int) -> Int64? {
        guard row.indices.contains(place) else { return nil }
        return switch row[place] {
        case .key(let key), .int(let key): key
        default: nil
        }
    }
}
