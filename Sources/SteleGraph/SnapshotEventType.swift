/// Why the values of an object were set without a setter.

/// Why an object's values or standing are others than before (NSSnapshotEventType).
public struct SnapshotEventType: OptionSet, Sendable, Hashable {
    /// The bits, which are Core Data's.
    public let rawValue: Int

    /// A set of those bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Its insertion was undone.
    public static let undoInsertion = SnapshotEventType(rawValue: 2)
    /// Its deletion was undone.
    public static let undoDeletion = SnapshotEventType(rawValue: 4)
    /// A change of it was undone.
    public static let undoUpdate = SnapshotEventType(rawValue: 8)
    /// `ManagedObjectContext.rollback` has taken its changes back.
    public static let rollback = SnapshotEventType(rawValue: 16)
    /// It follows the store again.
    public static let refresh = SnapshotEventType(rawValue: 32)
    /// A merge policy has settled a conflict.
    public static let mergePolicy = SnapshotEventType(rawValue: 64)
}
