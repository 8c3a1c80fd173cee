/// Ids in rows of columns.

import SteleModel

/// Reads ids in rows.
package enum RowKey {
    /// The id at the end of a row of columns.
    package static func id(of row: [Value]?) -> Int64? {
        row.flatMap { key(in: $0, at: $0.count - 1) }
    }

    /// The id at a place in a row; nil if there is none.
    package static func key(in row: [Value], at place: Int) -> Int64? {
        guard row.indices.contains(place) else { return nil }
        return switch row[place] {
        case .key(let key), .int(let key): key
        default: nil
        }
    }
}
