/// An object's identity, and its values at one moment.

import SteleModel

/// An object's identity (NSManagedObjectID): the root of its entity's family, and the key in it.
@frozen
public struct ObjectID: Sendable, Hashable {
    /// The index of the root entity in `Model.entities`.
    public let root: Int
    /// Z_PK; negative for an object that is not saved yet.
    public let key: Int64

    @inlinable
    public init(root: Int, key: Int64) {
        self.root = root
        self.key = key
    }

    /// Both as one word: keys do not come near 2^48.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(key ^ Int64(root) << 48) }

    /// Whether the object is not saved yet (`isTemporaryID`).
    @inlinable
    public var isTemporary: Bool { key < 0 }
}

extension ObjectID {
    /// An object as sentences call it: `Player 42`, and `a new Player` while its key is one that
    /// nobody could look up.
    public static func name(_ entity: String, _ key: Int64) -> String {
        key > 0 ? "\(entity) \(key)" : "a new \(entity)"
    }
}

/// A saved object's values at one moment, with the version that they had.
@frozen
public struct Snapshot: Sendable, Hashable {
    /// The index of the concrete entity.
    public let entity: Int
    /// Z_PK.
    public let key: Int64
    /// Z_OPT: 1 after the first save, one more with each that changes the row's own columns.
    public var version: Int64
    /// One value a slot of the entity (`Entity.slots`): attributes and to-one relationships.
    public var values: [Value]

    @inlinable
    public init(entity: Int, key: Int64, version: Int64, values: [Value]) {
        self.entity = entity
        self.key = key
        self.version = version
        self.values = values
    }
}
