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
    /// The changed objects.
    public var changes: [HistoryChange]

    /// Creates a transaction.
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

/// A changed property and its previous value.
public enum BeforeValue: Sendable, Hashable {
    /// An attribute or a to-one relationship, by slot, with its previous value.
    case slot(Int, Value)
    /// A to-many relationship, by index in `Model.relationships`, with the keys of added and
    /// removed members.
    case members(relationship: Int, added: [Int64], removed: [Int64])
}
