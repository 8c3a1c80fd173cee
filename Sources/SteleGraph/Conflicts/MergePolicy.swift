/// A policy for conflicts between a save and changes saved by other contexts (NSMergePolicy).
public enum MergePolicy: String, Sendable, Hashable, CaseIterable {
    /// The save fails and reports the conflicts (`NSErrorMergePolicy`).
    case error
    /// Properties changed on both sides keep the store's values
    /// (`NSMergeByPropertyStoreTrumpMergePolicy`).
    case storeTrump
    /// Properties changed on both sides take the object's values
    /// (`NSMergeByPropertyObjectTrumpMergePolicy`).
    case objectTrump
    /// The object replaces the stored one, including unchanged properties
    /// (`NSOverwriteMergePolicy`).
    case overwrite
    /// The object's changes are discarded (`NSRollbackMergePolicy`).
    case rollback

    /// Whether properties changed on both sides keep the store's values.
    public var keepsStored: Bool { self == .storeTrump || self == .rollback }
}
