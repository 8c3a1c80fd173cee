/// What an object is told of when its values are put back, as it is in an undo.

/// Why an object's values or standing are others than before (NSSnapshotEventType).
public struct SnapshotEventType: OptionSet, Sendable, Hashable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let undoInsertion = SnapshotEventType(rawValue: 2)
    public static let undoDeletion = SnapshotEventType(rawValue: 4)
    public static let undoUpdate = SnapshotEventType(rawValue: 8)
    public static let rollback = SnapshotEventType(rawValue: 16)
    public static let refresh = SnapshotEventType(rawValue: 32)
    public static let mergePolicy = SnapshotEventType(rawValue: 64)
}
