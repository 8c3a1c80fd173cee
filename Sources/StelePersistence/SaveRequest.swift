/// What a save shall change, as values.

import SteleModel

/// The changes of one save (NSSaveChangesRequest).
public struct SaveRequest: Sendable {
    /// Who saves, for the history (`transactionAuthor`).
    public var author: String?
    /// What saves, for the history: a route's pattern, never an address. Each distinct text is
    /// kept for ever.
    public var contextName: String?
    /// At most one an object.
    public var changes: [ObjectChange] = []
    /// New objects that shall have permanent keys now, and are inserted by another request. Their
    /// keys are in the result, and never given out again.
    public var reservations: [ObjectID] = []
    /// What was read and must still hold.
    public var expectations: [Expectation] = []
    /// What is kept of the request that asks for this; also where nothing is to be changed.
    public var receipt: ReceiptRequest?
    /// The token of the view that all this was read from.
    public var readToken: Int64

    public init(readToken: Int64) { self.readToken = readToken }
}

/// The change of one object.
public struct ObjectChange: Sendable {
    /// NSPersistentHistoryChangeType.
    public enum Kind: Int, Sendable, Hashable {
        case insert = 0
        case update = 1
        case delete = 2
    }

    public var kind: Kind
    /// The index of the concrete entity.
    public var entity: Int
    /// Z_PK, or a negative number of the request's own for an object that is new. For an insert
    /// Z_PK is one that the store has given out: the object was deleted, or the key reserved.
    public var key: Int64
    /// The object as it was read; nil for an insert, unless it was in the store before: its version
    /// goes on from there.
    public var before: Snapshot?
    /// What shall be stored, a value a slot; a to-one may hold a new object's negative key.
    public var values: [Value]
    /// The slots of `values` that differ from `before`; for updates.
    public var changedSlots: [Int]
    /// Changed to-many relationships, on both sides of each link.
    public var toManys: [ToManyChange]

    public init(
        _ kind: Kind, entity: Int, key: Int64, before: Snapshot? = nil, values: [Value] = [],
        changedSlots: [Int] = [], toManys: [ToManyChange] = []
    ) {
        self.kind = kind
        self.entity = entity
        self.key = key
        self.before = before
        self.values = values
        self.changedSlots = changedSlots
        self.toManys = toManys
    }
}

/// What changed in one to-many relationship of one object.
public struct ToManyChange: Sendable {
    /// `Relationship.index`.
    public var relationship: Int
    public var added: [Int64]
    public var removed: [Int64]
    /// All members in their new order, for an ordered relationship whose order changed.
    public var order: [Int64]?

    public init(
        relationship: Int, added: [Int64] = [], removed: [Int64] = [], order: [Int64]? = nil
    ) {
        self.relationship = relationship
        self.added = added
        self.removed = removed
        self.order = order
    }
}

/// Something that a request was made from and that no version guards.
public enum Expectation: Sendable, Hashable {
    /// An object of that entity or a subentity exists.
    case exists(entity: Int, key: Int64)
    /// A to-many relationship has just these members.
    case members(relationship: Int, owner: Int64, keys: [Int64])
    /// A relationship without an inverse leads to that object from just these owners.
    case owners(relationship: Int, member: Int64, keys: [Int64])

    /// The refusal where it does not hold (`StoreError.moved`), with the model's names.
    public func failure(in model: Model) -> StoreError {
        switch self {
        case .exists(let entity, let key):
            let name = ObjectID.name(model.entities[entity].name, key)
            return .moved("\(name) is not there any more")
        case .members(let index, let owner, _):
            let relationship = model.relationships[index]
            let name = ObjectID.name(model.entities[relationship.owner].name, owner)
            return .moved("\(relationship.name) of \(name) has changed")
        case .owners(let index, let member, _):
            let relationship = model.relationships[index]
            let name = ObjectID.name(model.destination(of: relationship).name, member)
            return .moved("who has \(name) as \(relationship.name) has changed")
        }
    }
}
