import SteleModel

/// Identifies a to-many relationship of one object, which need not be loaded.
struct ToManyID: Hashable, Comparable {
    /// `Relationship.index`.
    let relationship: Int
    /// The owner's key within its root entity.
    let owner: Int64

    init(relationship: Int, owner: Int64) {
        self.relationship = relationship
        self.owner = owner
    }

    init(_ relationship: Relationship, _ owner: Int64) {
        self.init(relationship: relationship.index, owner: owner)
    }

    /// Hashes both as one word, because keys are below 2^48.
    func hash(into hasher: inout Hasher) { hasher.combine(owner ^ Int64(relationship) << 48) }

    static func < (a: ToManyID, b: ToManyID) -> Bool {
        (a.relationship, a.owner) < (b.relationship, b.owner)
    }
}

/// The stored members of a to-many relationship, if they are known, and the changes to them.
///
/// A link can be added or removed from its other side without knowing the members. A fault then
/// holds only the changes. `add` and `remove` are called for links that are new or present
/// according to the side that makes the change. If that side is outdated, no member is listed
/// twice, and the removal remains when the members are read again.
struct ToManyState {
    /// The stored members, in order; nil for a fault.
    private(set) var stored: [Int64]?
    private var storedSet: Set<Int64> = []
    /// The members added and removed compared with the store.
    private(set) var added = OrderedKeys()
    private(set) var removed = OrderedKeys()
    /// An explicit order of all members; nil if they are in stored order followed by the added
    /// ones.
    private(set) var order: [Int64]?
    /// Whether the save requires the stored members to be those that were read.
    var isExpected = false
    /// Whether the stored members are read again for a child (`forgetReadMembers`).
    private(set) var isOld = false

    /// The state of a new object without members.
    static let empty = ToManyState(stored: [])
    static let fault = ToManyState()

    private init() {}
    init(stored: [Int64]) { fire(stored) }

    var isFault: Bool { stored == nil }

    /// Sets the stored members.
    mutating func fire(_ members: [Int64]) {
        stored = members
        if members.count > 8 { storedSet = Set(members) }
    }

    /// Replaces the stored members. Added members that are now stored and removed members that are
    /// not are no longer changes.
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

    /// A copy whose members are read again when a child asks for them.
    var aged: ToManyState {
        var copy = self
        copy.isOld = !isFault
        return copy
    }

    /// A copy with other keys.
    func renamed(_ name: (Int64) -> Int64) -> ToManyState {
        var copy = ToManyState.fault
        if let stored { copy.fire(stored.map(name)) }
        copy.added = OrderedKeys(added.map(name))
        copy.removed = OrderedKeys(removed.map(name))
        copy.order = order?.map(name)
        copy.isExpected = isExpected
        copy.isOld = isOld
        return copy
    }

    /// Removes the explicit order.
    mutating func dropOrder() { order = nil }

    /// Corrects the state of one link.
    /// - Parameters:
    ///   - isStored: whether the store has the link.
    ///   - isWanted: whether the context has the link.
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

    /// Restores the stored state of one link.
    mutating func takeBack(_ key: Int64) {
        let isThere = isStored(key) ?? false
        rebase(key, isStored: isThere, isWanted: isThere)
    }

    /// Removes an explicit order that does not differ from the store's.
    private mutating func dropOrderAsStored() {
        if newOrder == nil { order = nil }
    }

    /// Updates an explicit order to the current members, with new ones at the end.
    private mutating func arrangeWhatIsThere() {
        if let order { self.order = unarranged.arranged(as: order) }
    }

    /// Whether the key is a stored member; nil for a fault.
    func isStored(_ key: Int64) -> Bool? {
        guard let stored else { return nil }
        return stored.count > 8 ? storedSet.contains(key) : stored.contains(key)
    }

    /// Whether the key is a current member. For a fault the result is only correct for changed
    /// members.
    func contains(_ key: Int64) -> Bool {
        added.contains(key) || isStored(key) == true && !removed.contains(key)
    }

    mutating func add(_ key: Int64) {
        if !removed.remove(key) {
            if isStored(key) == true { return }
            added.append(key)
        }
        order?.append(key)
    }

    mutating func remove(_ key: Int64) {
        if !added.remove(key) { removed.append(key) }
        order?.removeAll { $0 == key }
    }

    /// Begins to keep an explicit order if the members are known. A member that is removed and
    /// added again is then at the end.
    mutating func keepOrder() {
        if order == nil && stored != nil { order = unarranged }
    }

    /// Sets the explicit order, which must contain exactly the current members.
    mutating func arrange(_ keys: [Int64]) { order = keys }

    /// Moves a member to an index, clamped to the end.
    /// - Returns: the old index, or nil for a fault or a key that is not a member.
    mutating func move(_ key: Int64, to index: Int) -> Int? {
        keepOrder()
        guard let found = order?.firstIndex(of: key) else { return nil }
        if found == index { return found }
        order?.remove(at: found)
        if let count = order?.count { order?.insert(key, at: min(index, count)) }
        return found
    }

    /// The stored members without the removed ones, followed by the added ones.
    private var unarranged: [Int64] {
        let kept = stored ?? []
        if added.isEmpty && removed.isEmpty { return kept }
        return (removed.isEmpty ? kept : kept.filter { !removed.contains($0) }) + added
    }

    /// The current members, in order; for an unordered relationship sorted by key, with new objects
    /// last.
    func members(ordered: Bool) -> [Int64] {
        if ordered { return order ?? unarranged }
        return added.isEmpty ? unarranged : unarranged.sorted(by: Self.precedes)
    }

    /// The number of current members; only correct if the members are known.
    var count: Int {
        (stored?.count ?? 0) + added.count - removed.count { isStored($0) != false }
    }

    private static func precedes(_ a: Int64, _ b: Int64) -> Bool {
        if a < 0 || b < 0 { return a >= 0 ? true : b >= 0 ? false : a > b }
        return a < b
    }

    /// The explicit order if it must be stored, because adding one member at the end and removing
    /// others does not result in it.
    var newOrder: [Int64]? {
        guard let order, added.count > 1 || order != unarranged else { return nil }
        return order
    }

    var hasChanges: Bool { !added.isEmpty || !removed.isEmpty || newOrder != nil }
}

extension [Int64] {
    /// The same keys in the given order, followed by those that it does not contain.
    func arranged(as order: [Int64]) -> [Int64] {
        let (present, named) = (Set(self), Set(order))
        return order.filter(present.contains) + filter { !named.contains($0) }
    }
}
