/// The reason why an object's values changed without a setter (NSSnapshotEventType).
public struct SnapshotEventType: OptionSet, Sendable, Hashable {
    /// The bits, with Core Data's values.
    public let rawValue: Int

    /// Creates a set from the bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The object's insertion was undone.
    public static let undoInsertion = SnapshotEventType(rawValue: 2)
    /// The object's deletion was undone.
    public static let undoDeletion = SnapshotEventType(rawValue: 4)
    /// A change of the object was undone.
    public static let undoUpdate = SnapshotEventType(rawValue: 8)
    /// The object's changes were discarded by `ManagedObjectContext.rollback`.
    public static let rollback = SnapshotEventType(rawValue: 16)
    /// The object was refreshed from the store.
    public static let refresh = SnapshotEventType(rawValue: 32)
    /// A merge policy has resolved a conflict.
    public static let mergePolicy = SnapshotEventType(rawValue: 64)
}
