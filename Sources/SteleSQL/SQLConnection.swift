import SteleModel
import StelePersistence

/// A connection to a database, used by one thread at a time.
///
/// Each statement throws `StoreError`: `.busy`, `.noRoom`, `.incompatible` and `.failed` for an
/// error of the database's files; `.deadline` where it takes too long, and `.overBudget` where it
/// took too long before and may not be run at this pace; `.constraint`, without names and values,
/// for a constraint of the database; `.predicate`, `.invalid` and `.tooLarge` for what is wrong
/// with the statement or its values.
public protocol SQLConnection: AnyObject {
    /// The SQL of the database.
    var dialect: SQLDialect { get }

    /// The folder of the external files for large values of Binary attributes.
    var externalFolder: String { get }

    /// Whether the history is in a file of its own, attached as the database `history`.
    var hasAttachedHistory: Bool { get }

    /// Runs a statement that returns no rows.
    /// - Returns: the number of rows it changed.
    /// - Throws: `StoreError`, as described at the type.
    @discardableResult
    func execute(_ sql: SQLText, _ bindings: [Value]) throws(StoreError) -> Int

    /// Runs a statement of a writer's transaction whose result is what is expected, but for faults
    /// and conflicts.
    ///
    /// A database to which each statement is a message may send it together with the next one whose
    /// result is needed. What goes wrong is then an error of that one, which
    /// `WriterTransactions.failedLater` tells.
    /// - Parameters:
    ///   - count: the number of rows that it is expected to change; nil for any number.
    ///   - isGuarded: whether a uniqueness constraint may refuse it, and the transaction then goes
    ///     on as if it had not been run.
    /// - Returns: false where it has changed another number of rows.
    /// - Throws: `StoreError`, as described at the type.
    @discardableResult
    func write(
        _ sql: SQLText, _ bindings: [Value], changing count: Int?, isGuarded: Bool
    ) throws(StoreError) -> Bool

    /// Runs a statement and returns its rows, each column read as its kind.
    /// - Throws: `StoreError`, as described at the type.
    func rows(
        _ sql: SQLText, _ bindings: [Value], _ kinds: [ColumnKind]
    ) throws(StoreError) -> [[Value]]

    /// Runs statements that do not depend on each other, and returns the rows of each.
    ///
    /// A database to which each statement is a message takes them in one.
    /// - Throws: `StoreError`, as described at the type.
    func rows(together reads: [SQLRead]) throws(StoreError) -> [[[Value]]]

    /// Runs a statement and returns its rows as snapshots.
    /// - Throws: `StoreError`, as described at the type.
    func snapshots(
        _ sql: SQLText, _ bindings: [Value], _ shape: RowShape
    ) throws(StoreError) -> [Snapshot]

    /// Runs a statement and returns its rows as snapshots; the first column is the key of the
    /// owner.
    /// - Throws: `StoreError`, as described at the type.
    func ownedSnapshots(
        _ sql: SQLText, _ bindings: [Value], _ shape: RowShape
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)]
}

/// A statement that returns rows.
public struct SQLRead {
    /// The statement.
    public let sql: SQLText
    /// The values of its parameters.
    public let bindings: [Value]
    /// How each column is read.
    public let kinds: [ColumnKind]

    init(_ sql: SQLText, _ bindings: [Value], _ kinds: [ColumnKind]) {
        self.sql = sql
        self.bindings = bindings
        self.kinds = kinds
    }
}

extension SQLConnection {
    /// Runs one after the other.
    public func rows(together reads: [SQLRead]) throws(StoreError) -> [[[Value]]] {
        var found: [[[Value]]] = []
        for read in reads { found.append(try rows(read.sql, read.bindings, read.kinds)) }
        return found
    }

    /// False: the history is in the store.
    public var hasAttachedHistory: Bool { false }

    /// Runs it at once: for a database in which an error ends the statement alone.
    @discardableResult
    public func write(
        _ sql: SQLText, _ bindings: [Value], changing count: Int?, isGuarded: Bool
    ) throws(StoreError) -> Bool {
        let changed = try execute(sql, bindings)
        return count == nil || changed == count
    }

    /// As `write(_:_:changing:isGuarded:)`, for a statement that no constraint refuses.
    @discardableResult
    func write(
        _ sql: SQLText, _ bindings: [Value], changing count: Int? = nil
    ) throws(StoreError) -> Bool {
        try write(sql, bindings, changing: count, isGuarded: false)
    }
}

extension SQLConnection {
    /// None: for a store without external files.
    public var externalFolder: String { "" }

    /// Runs a statement and returns the first column of its first row; nil where there is no row or
    /// the column is not an integer.
    /// - Throws: as `rows`.
    public func integer(_ sql: SQLText, _ bindings: [Value] = []) throws(StoreError) -> Int64? {
        if case .int(let number)? = try rows(sql, bindings, [.integer]).first?.first {
            number
        } else {
            nil
        }
    }
}

/// The conversion of a column's content to a `Value`; statements name it by its raw value.
@frozen
public enum ColumnKind: Int, Sendable {
    /// A kind named as its `Value`; an integer is 64 bits wide, a data column has a Binary or
    /// Transformable value, a key column a `Z_PK`.
    case integer, boolean, double, decimal, text, date, data, uuid, key
    /// A Float: stored as a double, and narrowed when it is read.
    case float
    /// A Binary attribute with external storage: bytes after a marker byte, or the name of a file.
    case external
    /// A Transformable attribute with external storage: as `external`, with the bytes of the file.
    case marked

    /// The kind of an attribute's column.
    public init(_ attribute: Attribute) {
        self =
            attribute.isExternal
            ? .external : attribute.hasMarker ? .marked : ColumnKind(attribute.type)
    }

    /// Whether the column's values may name files.
    package var namesFiles: Bool { self == .external || self == .marked }

    /// The kind of the column of an attribute that has no external storage.
    package init(_ type: AttributeType) {
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

/// The conversion of a row to a snapshot. The columns are `Z_PK, Z_ENT, Z_OPT`, then those of the
/// table.
public struct RowShape: Sendable {
    /// The column of one slot of an entity.
    @frozen
    public struct Source: Sendable {
        /// The index of the column after the first three; negative for a slot without a column.
        public let column: Int32
        /// The kind of the column.
        public let kind: ColumnKind
    }

    /// The index of the entity for each Z_ENT from `firstNumber` on; negative for a number that no
    /// entity of the table has.
    public let entities: [Int]
    /// The lowest Z_ENT of the rows.
    public let firstNumber: Int
    /// The sources of each entity's slots, in the order of `entities`.
    public let sources: [[Source]]
    /// The place of the root entity. A row of a number that no entity of the table has, which only
    /// another program writes, counts as an object of the root, as it does in statements on the
    /// whole table.
    public let root: Int

    /// Returns the place in `entities` and `sources` for a row's Z_ENT.
    @inlinable
    public func place(of number: Int64) -> Int {
        let place = Int(number) &- firstNumber
        return entities.indices.contains(place) && entities[place] >= 0 ? place : root
    }
}
