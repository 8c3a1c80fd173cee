/// What a context knows and has changed of one to-many relationship of one object.

import OrderedCollections
import SteleModel

/// A to-many relationship of one object, whether or not that object is loaded.
struct ToManyID: Hashable, Comparable {
    /// `Relationship.index`.
    let relationship: Int
    /// The owner's key within the root of the relationship's owner.
    let owner: Int64

    init(relationship: Int, owner: Int64) {
        self.relationship = relationship
        self.owner = owner
    }

    init(_ relationship: Relationship, _ owner: Int64) {
        self.init(relationship: relationship.index, owner: owner)
    }

    /// Both as one word: keys do not come near 2^48.
    func hash(into hasher: inout Hasher) { hasher.combine(owner ^ Int64(relationship) << 48) }

    static func < (a: ToManyID, b: ToManyID) -> Bool {
        (a.relationship, a.owner) < (b.relationship, b.owner)
    }
}

/// The members of one to-many: those in the store, once they are known, and what has changed.
///
/// A link can be made or cut from its other side without knowing the members: a fault then holds
/// nothing but the difference. `add` and `remove` are called for links that are new, or there, by
/// what the side that makes the change knows. Where that is older than what is known here, no
/// member is there twice, and the removal stands when the members are read again.
struct ToManyState {
    /// The members in the store, in its order; nil for a fault.
    private(set) var stored: [Int64]?
    private var storedSet: Set<Int64> = []
    /// The members that were added and removed, against the store.
    private(set) var added: OrderedSet<Int64> = []
    private(set) var removed: OrderedSet<Int64> = []
    /// All members in an order that was asked for; nil where they stand as stored, with those
    /// added at the end.
    private(set) var order: [Int64]?
    /// Whether the save depends on the store having just the members that were read.
    var isExpected = false
    /// Whether the members in the store are read again for a child (`forgetReadMembers`).
    private(set) var isOld = false

    /// A new object's: it has no members yet.
    static let empty = ToManyState(stored: [])
    static let fault = ToManyState()

    private init() {}
    init(stored: [Int64]) { fire(stored) }

    var isFault: Bool { stored == nil }

    /// Takes what the store has.
    mutating func fire(_ members: [Int64]) {
        stored = members
        if members.count > 8 { storedSet = Set(members) }
    }

    /// Takes what the store has now in the place of what was known of it. Members that were to be
    /// added and are there are no change any more, nor are removed ones that are gone.
    mutating func refire(_ members: [Int64]) {
        dropOrderAsStored()
        fire(members)
        if members.count <= 8 { storedSet = [] }
        isOld = false
        if added.isEmpty && removed.isEmpty && order == nil { return }
        let present = Set(members)
        added.removeAll { present.contains($0) }
        removed.removeAll { !present.contains($0) }
        arrangeWhatIsThere()
    }

    /// The same, whose members are to be read again when a child asks for them. A fault's are
    /// anyway.
    var aged: ToManyState {
        var copy = self
        copy.isOld = !isFault
        return copy
    }

    /// The same with other keys.
    func renamed(_ name: (Int64) -> Int64) -> ToManyState {
        var copy = ToManyState.fault
        if let stored { copy.fire(stored.map(name)) }
        copy.added = OrderedSet(added.map(name))
        copy.removed = OrderedSet(removed.map(name))
        copy.order = order?.map(name)
        copy.isExpected = isExpected
        copy.isOld = isOld
        return copy
    }

    /// Forgets an order that was asked for.
    mutating func dropOrder() { order = nil }

    /// One link's standing in the store is other than it was taken for.
    /// - Parameters:
    ///   - isStored: whether the store has it.
    ///   - isWanted: whether the context has it.
    mutating func rebase(_ key: Int64, isStored: Bool, isWanted: Bool) {
        dropOrderAsStored()
        added.remove(key)
        removed.remove(key)
        if isWanted && !isStored { added.append(key) }
        if isStored && !isWanted { removed.append(key) }
        if var members = stored, members.contains(key) != isStored {
            if isStored { members.append(key) } else { members.removeAll { $0 == key } }
            fire(members)
            if members.count <= 8 { storedSet = [] }
        }
        arrangeWhatIsThere()
    }

    /// A link is as it is stored, whatever was asked for.
    mutating func takeBack(_ key: Int64) {
        let isThere = isStored(key) ?? false
        rebase(key, isStored: isThere, isWanted: isThere)
    }

    /// An order that is no change follows the store's.
    private mutating func dropOrderAsStored() {
        if newOrder == nil { order = nil }
    }

    /// Leaves in an order of its own just the members, new ones at the end.
    private mutating func arrangeWhatIsThere() {
        if let order { self.order = unarranged.arranged(as: order) }
    }

    /// Whether the key is a member in the store; nil for a fault.
    func isStored(_ key: Int64) -> Bool? {
        guard let stored else { return nil }
        return stored.count > 8 ? storedSet.contains(key) : stored.contains(key)
    }

    /// Whether the key is a member now; only told rightly where the members are known.
    func contains(_ key: Int64) -> Bool {
        added.contains(key) || isStored(key) == true && !removed.contains(key)
    }

    mutating func add(_ key: Int64) {
        if removed.remove(key) == nil {
            if isStored(key) == true { return }
            added.append(key)
        }
        order?.append(key)
    }

    mutating func remove(_ key: Int64) {
        if added.remove(key) == nil { removed.append(key) }
        order?.removeAll { $0 == key }
    }

    /// Begins to keep an order of its own, where the members are known: a member that is removed
    /// and added again stands at the end.
    mutating func keepOrder() {
        if order == nil && stored != nil { order = unarranged }
    }

    /// Sets all members' order; they must be the members.
    mutating func arrange(_ keys: [Int64]) { order = keys }

    /// Puts a member elsewhere in the order; at the end where there are not so many.
    /// - Returns: where it stood, or nil for one that is none, or of a fault.
    mutating func move(_ key: Int64, to index: Int) -> Int? {
        keepOrder()
        guard let found = order?.firstIndex(of: key) else { return nil }
        if found == index { return found }
        order?.remove(at: found)
        if let count = order?.count { order?.insert(key, at: min(index, count)) }
        return found
    }

    /// The members as they are stored, less those that went, and those that came at the end.
    private var unarranged: [Int64] {
        let kept = stored ?? []
        if added.isEmpty && removed.isEmpty { return kept }
        return (removed.isEmpty ? kept : kept.filter { !removed.contains($0) }) + added
    }

    /// The members now, in order; for a relationship without order by key, new objects last.
    func members(ordered: Bool) -> [Int64] {
        if ordered { return order ?? unarranged }
        return added.isEmpty ? unarranged : unarranged.sorted(by: Self.precedes)
    }

    /// How many members there are now; only told rightly where they are known.
    var count: Int {
        (stored?.count ?? 0) + added.count - removed.count { isStored($0) != false }
    }

    private static func precedes(_ a: Int64, _ b: Int64) -> Bool {
        if a < 0 || b < 0 { return a >= 0 ? true : b >= 0 ? false : a > b }
        return a < b
    }

    /// The order to be stored, where one came at the end and some went does not lead to it.
    var newOrder: [Int64]? {
        guard let order, added.count > 1 || order != unarranged else { return nil }
        return order
    }

    var hasChanges: Bool { !added.isEmpty || !removed.isEmpty || newOrder != nil }
}

extension [Int64] {
    /// The same keys, as they stand among others; those that are not there at the end.
    func arranged(as order: [Int64]) -> [Int64] {
        let (present, named) = (Set(self), Set(order))
        return order.filter(present.contains) + filter { !named.contains($0) }
    }
}
