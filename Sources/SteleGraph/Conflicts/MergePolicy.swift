/// Which side wins where a save meets what another save has done.

/// A merge policy (NSMergePolicy).
public enum MergePolicy: String, Sendable, Hashable, CaseIterable {
    /// Neither side: the save fails and says what conflicts (`NSErrorMergePolicy`).
    case error
    /// Property by property the store, where both have changed it
    /// (`NSMergeByPropertyStoreTrumpMergePolicy`).
    case storeTrump
    /// Property by property the object, where both have changed it
    /// (`NSMergeByPropertyObjectTrumpMergePolicy`).
    case objectTrump
    /// The object as a whole, also what it has not changed (`NSOverwriteMergePolicy`).
    case overwrite
    /// The store as a whole: the object's changes are dropped (`NSRollbackMergePolicy`).
    case rollback

    /// Whether what is in the store stays where both have changed it.
    public var keepsStored: Bool { self == .storeTrump || self == .rollback }
}
