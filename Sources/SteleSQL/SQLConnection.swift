/// What the SQL stores ask of a connection; everything above it is values and text.

import SteleModel
import StelePersistence

/// One connection to a database, used by one thread at a time.
public protocol SQLConnection: AnyObject {
    /// The folder in which large values of Binary attributes are files.
    var externalFolder: String { get }

    /// Runs a statement that gives no rows.
    /// - Returns: how many rows it changed.
    @discardableResult
    func execute(_ sql: SQLText, _ bindings: [Value]) throws(StoreError) -> Int

    /// All rows, each column read as its kind says.
    func rows(
        _ sql: SQLText, _ bindings: [Value], _ kinds: [ColumnKind]
    ) throws(StoreError) -> [[Value]]

    /// All rows as snapshots.
    func snapshots(
        _ sql: SQLText, _ bindings: [Value], _ shape: RowShape
    ) throws(StoreError) -> [Snapshot]

    /// All rows as snapshots, the first column being the owner that each belongs to.
    func ownedSnapshots(
        _ sql: SQLText, _ bindings: [Value], _ shape: RowShape
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)]
}

extension SQLConnection {
    /// None: for a connection whose store keeps no files.
    public var externalFolder: String { "" }
}

/// How a column's content becomes a `Value`.
@frozen
public enum ColumnKind: Sendable, Hashable {
    case integer, boolean, double, decimal, text, date, data, uuid, key
    /// A Float: kept as a double, narrowed when read.
    case float
    /// A Binary attribute's bytes behind a marker byte, or the name of a file.
    case external

    /// The kind of an attribute's column.
    public init(_ attribute: Attribute) {
        self = attribute.isExternal ? .external : ColumnKind(attribute.type)
    }

    /// The kind of the column of an attribute of that type which has no marker.
    init(_ type: AttributeType) {
        self =
            switch type {
            case .integer16, .integer32, .integer64, .undefined, .objectID, .composite: .integer
            case .decimal: .decimal
            case .double: .double
            case .float: .float
            case .string, .uri: .text
            case .boolean: .boolean
            case .date: .date
            case .binary, .transformable: .data
            case .uuid: .uuid
            }
    }
}

/// How a row becomes a snapshot. Columns come as `Z_PK, Z_ENT, Z_OPT` and then the table's.
public struct RowShape: Sendable {
    /// What one slot of an entity is read from: a column's place after the first three.
    @frozen
    public struct Source: Sendable {
        public let column: Int32
        public let kind: ColumnKind
    }

    /// The entity's index for each Z_ENT, less `firstNumber`.
    public let entities: [Int]
    /// The least Z_ENT that the rows can have.
    public let firstNumber: Int
    /// The sources of each slot, by the same place as `entities`.
    public let sources: [[Source]]
}
