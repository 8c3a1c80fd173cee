import SteleModel

/// The changes of one save, as values (NSSaveChangesRequest).
public struct SaveRequest: Sendable {
    /// The author of the save, for the history (`NSManagedObjectContext.transactionAuthor`).
    public var author: String?
    /// The name of the saving context, for the history (`NSManagedObjectContext.name`): a route's
    /// pattern, not an address, because the store keeps each distinct text permanently.
    public var contextName: String?
    /// The changes, at most one per object.
    public var changes: [ObjectChange] = []
    /// Whether the history has the save. A migration leaves it out: it makes a new store, whose
    /// readers start over.
    public var isRecorded = true
    /// New objects that get permanent keys now and are inserted by a later request
    /// (`obtainPermanentIDs`). Their keys are in the result and are never given out again. A
    /// positive key reserves itself and all below it, for a migration that keeps keys.
    public var reservations: [ObjectID] = []
    /// Conditions on the store that must still hold.
    public var expectations: [Expectation] = []
    /// The receipt to store with the save, also where the save changes nothing.
    public var receipt: ReceiptRequest?
    /// The stores of new objects by temporary identity, as their indexes in a `StoreGroup`
    /// (`NSManagedObjectContext.assign(_:to:)`). An object that is not in it goes to the first store
    /// that has its entity.
    public var assignedStores: [ObjectID: Int] = [:]
    /// The least number that the save's transaction may have, for a store of a `StoreGroup`.
    package var number: Int64 = 0
    /// The number up to which a store of a `StoreGroup` has all saves that concern it. Its later
    /// saves, and a generation that begins, come after it; 0 for none.
    package var complete: Int64 = 0
    /// The token of the view that the request was made from.
    public var readToken: Int64

    /// Creates a request without changes.
    public init(readToken: Int64) { self.readToken = readToken }

    /// Checks that the model has the entities and relationships that the request names by their
    /// indexes.
    /// - Throws: `StoreError.invalid`.
    package func checkNames(in model: Model) throws(StoreError) {
        let (entities, relationships) = (model.entities.indices, model.relationships.indices)
        guard changes.allSatisfy({ entities.contains($0.entity) }),
            reservations.allSatisfy({ entities.contains($0.root) }),
            expectations.allSatisfy({ $0.entity.map(entities.contains) ?? true })
        else { throw .invalid("the request names an entity that the model does not have") }
        guard expectations.allSatisfy({ $0.relationship.map(relationships.contains) ?? true }),
            changes.allSatisfy({ change in
                change.toManys.allSatisfy { relationships.contains($0.relationship) }
            })
        else { throw .invalid("the request names a relationship that the model does not have") }
    }
}

/// The change of one object.
public struct ObjectChange: Sendable {
    /// The kind of change (NSPersistentHistoryChangeType), with Core Data's raw values.
    public enum Kind: Int, Sendable, Hashable {
        /// A new object.
        case insert = 0
        /// An existing object with changed values or relationships.
        case update = 1
        /// A deleted object.
        case delete = 2
    }

    /// The kind of change.
    public var kind: Kind
    /// The index of the concrete entity.
    public var entity: Int
    /// Z_PK, or for a new object a temporary negative number of the request. An insert with a
    /// positive key uses one that the store has given out: of a deleted object, or reserved.
    public var key: Int64
    /// The object as it was read; nil for an insert. For an insert of a deleted object, the object
    /// before its deletion: its version continues from there.
    public var before: Snapshot?
    /// The values to store, one per slot; a to-one relationship may hold a new object's negative
    /// key.
    public var values: [Value]
    /// The slots of an update whose values differ from `before`.
    public var changedSlots: [Int]
    /// The changed to-many relationships. Both ends of each link have their change.
    public var toManys: [ToManyChange]

    /// Creates a change. Zeros among the values lose their sign.
    public init(
        _ kind: Kind, entity: Int, key: Int64, before: Snapshot? = nil, values: [Value] = [],
        changedSlots: [Int] = [], toManys: [ToManyChange] = []
    ) {
        self.kind = kind
        self.entity = entity
        self.key = key
        self.before = before
        self.values = values
        // Most saves have no such zero, and share the array with the object.
        if values.contains(where: { $0.unsignedZero != nil }) {
            self.values = values.map { $0.unsignedZero ?? $0 }
        }
        self.changedSlots = changedSlots
        self.toManys = toManys
    }
}

/// The change of one to-many relationship of one object.
public struct ToManyChange: Sendable {
    /// `Relationship.index`.
    public var relationship: Int
    /// The keys of the added members.
    public var added: [Int64]
    /// The keys of the removed members.
    public var removed: [Int64]
    /// The keys of all members in their new order, for an ordered relationship whose order changed.
    public var order: [Int64]?

    /// Creates a change.
    public init(
        relationship: Int, added: [Int64] = [], removed: [Int64] = [], order: [Int64]? = nil
    ) {
        self.relationship = relationship
        self.added = added
        self.removed = removed
        self.order = order
    }
}

/// A condition that a request relies on and that no object's version covers.
public enum Expectation: Sendable, Hashable {
    /// An object of this entity or a subentity exists.
    case exists(entity: Int, key: Int64)
    /// A to-many relationship has exactly these members.
    case members(relationship: Int, owner: Int64, keys: [Int64])
    /// Exactly these owners refer to the object through a relationship without an inverse.
    case owners(relationship: Int, member: Int64, keys: [Int64])

    fileprivate var entity: Int? {
        if case .exists(let entity, _) = self { entity } else { nil }
    }

    fileprivate var relationship: Int? {
        switch self {
        case .exists: nil
        case .members(let relationship, _, _), .owners(let relationship, _, _): relationship
        }
    }

    /// The error for a condition that does not hold (`StoreError.moved`), with the model's names.
    public func failure(in model: Model) -> StoreError {
        switch self {
        case .exists(let entity, let key):
            let name = ObjectID.name(model.entities[entity].name, key)
            return .moved("\(name) no longer exists")
        case .members(let index, let owner, _):
            let relationship = model.relationships[index]
            let name = ObjectID.name(model.entities[relationship.owner].name, owner)
            return .moved("\(relationship.name) of \(name) has changed")
        case .owners(let index, let member, _):
            let relationship = model.relationships[index]
            let name = ObjectID.name(model.destination(of: relationship).name, member)
            return .moved("the objects with \(name) as \(relationship.name) have changed")
        }
    }
}
