/// The rows of a query as its listeners see them.

import SteleGraph

/// A hash of each row as it was sent last, so that a row counts as updated only where it looks
/// different.
///
/// It is for queries that show values of other objects, or derived ones. A save that changes what
/// they are made of may not change them, and one of several saves may undo another's change.
package struct ShownRows {
    private var hashes: [Int64: Int] = [:]

    package init() {}

    package mutating func note(_ key: Int64, _ row: some Sequence<UInt8>) {
        hashes[key] = Self.hash(row)
    }

    /// Notes that the row of an object has another key.
    package mutating func rename(_ key: Int64, to now: Int64) {
        hashes[now] = hashes.removeValue(forKey: key)
    }

    /// Applies a difference, and removes its updates of rows that look as before.
    /// - Parameter rows: the rendered rows of the difference.
    package mutating func take(_ difference: inout ResultsDifference, _ rows: [Int64: [UInt8]]) {
        difference.removeUpdates { hashes[$0] == rows[$0].map(Self.hash) }
        for row in difference.deletes { hashes[row.key] = nil }
        for key in difference.objectKeys { hashes[key] = rows[key].map(Self.hash) }
    }

    private static func hash(_ row: some Sequence<UInt8>) -> Int {
        var hasher = Hasher()
        row.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return hasher.finalize()
    }
}
