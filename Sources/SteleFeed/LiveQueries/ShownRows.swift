/// What the clients of a query see of its rows.

import SteleGraph

/// A hash of each row as it was told last, so that a row counts as updated only where it looks
/// different.
///
/// For queries that show more than their objects' own values, or derived ones: what a save changes
/// of another object, or of what a column is computed from, need not show, and of saves that are
/// told together one can take back what another has changed of a derived value.
package struct ShownRows {
    private var hashes: [Int64: Int] = [:]

    package mutating func note(_ key: Int64, _ row: some Sequence<UInt8>) {
        hashes[key] = Self.hash(row)
    }

    /// Takes a difference on, and leaves out of it the updates of rows that look as before.
    /// - Parameter rows: those that it tells, as they look now.
    package mutating func take(_ difference: inout ResultsDifference, _ rows: [Int64: [UInt8]]) {
        difference.removeUpdates { hashes[$0.key] == rows[$0.key].map(Self.hash) }
        for row in difference.deletes { hashes[row.key] = nil }
        for key in difference.objectKeys { hashes[key] = rows[key].map(Self.hash) }
    }

    private static func hash(_ row: some Sequence<UInt8>) -> Int {
        var hasher = Hasher()
        row.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return hasher.finalize()
    }
}
