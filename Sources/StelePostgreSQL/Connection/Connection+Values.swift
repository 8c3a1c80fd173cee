import SteleModel
import StelePersistence
import SteleSQL

/// Rows as values. Another program may have given a column another type, which the statement returns
/// when it is prepared next: such values are not taken for those of the store.
extension Connection {
    func rows(
        _ sql: SQLText, _ bindings: [Value], _ kinds: [ColumnKind]
    ) throws(StoreError) -> [[Value]] {
        try values(try query(sql, bindings), kinds)
    }

    func rows(together reads: [SQLRead]) throws(StoreError) -> [[[Value]]] {
        try values(try query(together: reads.map { ($0.sql, $0.bindings) }), of: reads)
    }

    func snapshots(
        _ sql: SQLText, _ bindings: [Value], _ shape: RowShape
    ) throws(StoreError) -> [Snapshot] {
        try snapshots(of: try query(sql, bindings), shape)
    }

    func ownedSnapshots(
        _ sql: SQLText, _ bindings: [Value], _ shape: RowShape
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        let rows = try query(sql, bindings)
        let members = try snapshots(of: rows, shape, from: 1)
        return members.enumerated().map { (rows.integer($0.offset, 0), $0.element) }
    }

    /// Returns all values of rows, each column read as its kind.
    /// - Throws: `.gone` where a column has values of another kind of type.
    func values(_ rows: Rows, _ kinds: [ColumnKind]) throws(StoreError) -> [[Value]] {
        for (column, kind) in kinds.enumerated() where !rows.fits(Int32(column), kind) {
            throw StoreIdentity.hasOtherColumns(place)
        }
        return rows.values(kinds)
    }

    /// Returns the values of the rows of statements, each column read as its kind.
    /// - Throws: as `values(_:_:)`.
    func values(_ all: [Rows], of reads: [SQLRead]) throws(StoreError) -> [[[Value]]] {
        var values: [[[Value]]] = []
        for (rows, read) in zip(all, reads) { values.append(try self.values(rows, read.kinds)) }
        return values
    }

    /// Returns rows as snapshots.
    /// - Parameter first: the column of their keys.
    /// - Throws: as `values(_:_:)`.
    func snapshots(
        of rows: Rows, _ shape: RowShape, from first: Int32 = 0
    ) throws(StoreError) -> [Snapshot] {
        guard rows.fits(shape, from: first) else { throw StoreIdentity.hasOtherColumns(place) }
        return (0..<rows.count).map { rows.snapshot($0, shape, from: first) }
    }
}

extension ColumnKind {
    /// What values of the kind are in a database.
    fileprivate enum Stored { case number, text, bytes }

    fileprivate var stored: Stored {
        switch self {
        case .key, .integer, .boolean, .double, .float, .decimal, .date: .number
        case .text: .text
        case .data, .uuid, .external, .marked: .bytes
        }
    }
}

extension Rows {
    /// Whether a column has the type of a kind, or nothing but nulls: one that is null in the
    /// statement has any type.
    fileprivate func fits(_ column: Int32, _ kind: ColumnKind) -> Bool {
        guard count > 0 else { return true }
        let stored: ColumnKind.Stored =
            switch type(of: column) {
            case PostgreSQLType.int8, PostgreSQLType.int4, PostgreSQLType.int2, PostgreSQLType.bool,
                PostgreSQLType.float8, PostgreSQLType.float4, PostgreSQLType.numeric:
                .number
            case PostgreSQLType.bytea, PostgreSQLType.uuid: .bytes
            default: .text
            }
        return stored == kind.stored || (0..<count).allSatisfy { isNull($0, column) }
    }

    fileprivate func fits(_ shape: RowShape, from first: Int32) -> Bool {
        guard count > 0, (0..<3).allSatisfy({ fits(first + $0, .integer) }) else {
            return count == 0
        }
        for (entity, sources) in zip(shape.entities, shape.sources) where entity >= 0 {
            for source in sources
            where source.column >= 0 && !fits(first + 3 + source.column, source.kind) {
                return false
            }
        }
        return true
    }
}
