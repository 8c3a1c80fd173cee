import SteleModel

/// An object's identity (NSManagedObjectID): the root entity of its inheritance tree, and its key.
@frozen
public struct ObjectID: Sendable, Hashable {
    /// The index of the root entity in `Model.entities`.
    public let root: Int
    /// Z_PK; negative for an object that is not saved.
    public let key: Int64

    /// Creates an identity.
    @inlinable
    public init(root: Int, key: Int64) {
        self.root = root
        self.key = key
    }

    /// Hashes both values as one word: keys stay far below 2^48.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(key ^ Int64(root) << 48) }

    /// Whether the object is not saved (`isTemporaryID`).
    @inlinable
    public var isTemporaryID: Bool { key < 0 }
}

extension ObjectID {
    /// Whether the object is not saved.
    @available(*, deprecated, renamed: "isTemporaryID")
    public var isTemporary: Bool { isTemporaryID }
}

extension ObjectID {
    /// Returns an object's name for messages: `Player 42`, or `a new Player` for a temporary key.
    package static func name(_ entity: String, _ key: Int64) -> String {
        key > 0 ? "\(entity) \(key)" : "a new \(entity)"
    }
}

/// The values of a saved object at one version.
@frozen
public struct Snapshot: Sendable, Hashable {
    /// The index of the concrete entity.
    public let entity: Int
    /// Z_PK.
    public let key: Int64
    /// Z_OPT: 1 after the first save; each change of the row's own columns adds 1, and after the
    /// largest number it is 1 again.
    public var version: Int64
    /// The values of attributes and to-one relationships, one per slot (`Entity.slots`).
    public var values: [Value]

    /// Creates a snapshot.
    @inlinable
    public init(entity: Int, key: Int64, version: Int64, values: [Value]) {
        self.entity = entity
        self.key = key
        self.version = version
        self.values = values
    }
}

extension Snapshot {
    /// Returns the version after another one: one more, and 1 after the largest number, which only
    /// another program can have stored.
    package static func version(after version: Int64) -> Int64 {
        version < .max ? version + 1 : 1
    }
}
