/// Saves as the history keeps them and the change feed tells them.

import SteleModel

/// One save (NSPersistentHistoryTransaction).
public struct HistoryTransaction: Sendable {
    /// Its place in the history; only grows.
    public var number: Int64
    /// Seconds since 2001-01-01T00:00:00Z.
    public var timestamp: Double
    public var author: String?
    public var contextName: String?
    public var changes: [HistoryChange]

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

    /// About the memory that it takes, in bytes.
    public var bytes: Int { changes.reduce(200) { $0 + $1.bytes } }
}

/// One object's part in a save (NSPersistentHistoryChange).
public struct HistoryChange: Sendable {
    public var kind: ObjectChange.Kind
    /// The index of the concrete entity.
    public var entity: Int
    public var key: Int64
    /// Z_OPT after the save, or for a delete before it; nil where it is not known.
    public var version: Int64?
    /// What an update changed and what it was before; nil where it is not known.
    public var before: [BeforeValue]?
    /// The object after the save, or for a delete as it was; nil where not known or not asked for.
    public var snapshot: Snapshot?

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

    /// About the memory that it takes, in bytes.
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

    /// An update's object with the values and the version that it had before; nil where they are not
    /// known.
    public func snapshotBefore(in model: Model) -> Snapshot? {
        guard var snapshot, let before else { return nil }
        var isNewVersion = false
        for case .slot(let slot, let value) in before where snapshot.values.indices.contains(slot) {
            snapshot.values[slot] = value
            // A derived value changes without a version.
            if !model.entities[snapshot.entity].slots[slot].isDerived { isNewVersion = true }
        }
        if isNewVersion { snapshot.version &-= 1 }
        return snapshot
    }
}

/// A changed property and what it was before.
public enum BeforeValue: Sendable, Hashable {
    /// An attribute or a to-one relationship, by slot, with its old value.
    case slot(Int, Value)
    /// A to-many relationship, by index in `Model.relationships`, with who came and who went.
    case members(relationship: Int, added: [Int64], removed: [Int64])
}
