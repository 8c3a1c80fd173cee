import SteleModel

/// One save in the history (NSPersistentHistoryTransaction).
public struct HistoryTransaction: Sendable {
    /// The transaction's number; each new one is greater than all before.
    public var number: Int64
    /// Seconds since 2001-01-01T00:00:00Z.
    public var timestamp: Double
    /// `NSManagedObjectContext.transactionAuthor`.
    public var author: String?
    /// `NSManagedObjectContext.name`.
    public var contextName: String?
    /// The changed objects; the first of them where `rest` is set.
    public var changes: [HistoryChange]
    /// The position of the last of `changes` (`HistoryChange.position`) where the save has more;
    /// nil where `changes` has all to its end.
    public var rest: Int64?

    /// Creates a transaction with all its changes.
    public init(
        number: Int64, timestamp: Double, author: String?, contextName: String?,
        changes: [HistoryChange]
    ) {
        self.number = number
        self.timestamp = timestamp
        self.author = author
        self.contextName = contextName
        self.changes = changes
    }

    /// The approximate size in memory, in bytes.
    package var bytes: Int { changes.reduce(200) { $0 + $1.bytes } }
}

/// The change of one object in a save (NSPersistentHistoryChange).
public struct HistoryChange: Sendable {
    /// Whether the object was inserted, updated or deleted.
    public var kind: ObjectChange.Kind
    /// The index of the concrete entity.
    public var entity: Int
    /// The object's key (Z_PK).
    public var key: Int64
    /// Z_OPT after the save, or before it for a deletion; nil where it is not known.
    public var version: Int64?
    /// The properties that an update changed, with their previous values; nil where they are not
    /// known. Of a deletion, the members that it was unlinked from where the other end is no to-one.
    public var before: [BeforeValue]?
    /// The object after the save, or before it for a deletion; nil where it is not known or was not
    /// requested.
    public var snapshot: Snapshot?
    /// The change's position within its save: 1 for the first, and more for each that follows.
    /// 0 where the change was not read from a history.
    public var position: Int64 = 0

    /// Creates a change.
    public init(
        kind: ObjectChange.Kind, entity: Int, key: Int64, version: Int64?,
        before: [BeforeValue]? = nil, snapshot: Snapshot? = nil
    ) {
        self.kind = kind
        self.entity = entity
        self.key = key
        self.version = version
        self.before = before
        self.snapshot = snapshot
    }

    /// The approximate size in memory, in bytes.
    var bytes: Int {
        var bytes = MemoryLayout<HistoryChange>.stride + 64
        for value in snapshot?.values ?? [] {
            bytes += MemoryLayout<Value>.stride + value.bytesBeside
        }
        for it in before ?? [] {
            bytes += MemoryLayout<BeforeValue>.stride
            switch it {
            case .slot(_, let value): bytes += value.bytesBeside
            case .members(_, let added, let removed): bytes += 8 * (added.count + removed.count)
            }
        }
        return bytes
    }

    /// The object after the save; nil for a deletion, and where it is not known.
    public var snapshotAfter: Snapshot? { kind == .delete ? nil : snapshot }

    /// Returns an updated object with its previous values and version; nil where they are not
    /// known.
    package func snapshotBefore(in model: Model) -> Snapshot? {
        guard var snapshot, let before else { return nil }
        var isNewVersion = false
        for case .slot(let slot, let value) in before where snapshot.values.indices.contains(slot) {
            snapshot.values[slot] = value
            // A change of derived values alone does not raise the version.
            if !model.entities[snapshot.entity].slots[slot].isDerived { isNewVersion = true }
        }
        if isNewVersion { snapshot.version &-= 1 }
        return snapshot
    }
}

/// A position in the history: after a save, or between two changes of one.
public struct HistoryPosition: Sendable, Hashable {
    /// The number of the save.
    public var save: Int64
    /// The position of the save's last change before it; nil for a position after all of them.
    public var change: Int64?

    /// Creates a position.
    public init(after save: Int64, change: Int64? = nil) {
        self.save = save
        self.change = change
    }
}

/// Saves that were read from the history together.
public struct HistoryPiece: Sendable {
    /// Oldest first. The last may be cut (`HistoryTransaction.rest`).
    public var saves: [HistoryTransaction]
    /// Whether the reading ended at a limit, so that the history may have more.
    public var hasMore: Bool

    /// Creates a piece.
    public init(_ saves: [HistoryTransaction], hasMore: Bool) {
        self.saves = saves
        self.hasMore = hasMore
    }
}

/// What a save has changed of a to-many relationship of an object.
public struct MemberChange: Sendable {
    /// The number of the save.
    public var save: Int64
    /// The index of the relationship in `Model.relationships`; nil for the deletion of the object,
    /// whose members are named by their own changes where the other end is a to-one.
    public var relationship: Int?
    /// The keys of the members that it has added.
    public var added: [Int64]
    /// The keys of the members that it has removed.
    public var removed: [Int64]

    /// Creates a change.
    public init(save: Int64, relationship: Int?, added: [Int64] = [], removed: [Int64] = []) {
        self.save = save
        self.relationship = relationship
        self.added = added
        self.removed = removed
    }
}

/// A changed property and its previous value.
public enum BeforeValue: Sendable, Hashable {
    /// An attribute or a to-one relationship, by slot, with its previous value.
    case slot(Int, Value)
    /// A to-many relationship, by index in `Model.relationships`, with the keys of added and
    /// removed members.
    case members(relationship: Int, added: [Int64], removed: [Int64])
}
