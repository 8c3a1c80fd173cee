import SteleModel

/// The contents of an in-memory store: rows, links and history.
struct InMemoryContents: Sendable {
    /// A to-many relationship of one object.
    struct Place: Hashable, Sendable {
        var relationship: Int
        var owner: Int64
    }

    let model: Model
    /// The rows by key, for each root entity.
    private(set) var families: [[Int64: Snapshot]]
    /// The members of to-many relationships: of an ordered one in its order, else in the order of
    /// their addition. Those with a to-one inverse follow its columns.
    private(set) var members: [Place: [Int64]] = [:]
    private(set) var nextKeys: [Int64]
    /// The dates of a file that are read as null, because they are none (`Value.isDate`), by slot.
    /// They stay in the file until the attribute has another value.
    private(set) var farDates: [ObjectID: [Int: Double]] = [:]
    private(set) var history: [HistoryTransaction] = []
    private(set) var token: Int64 = 0
    private(set) var receipts: [ExactText: Receipt] = [:]
    /// The keys of `receipts`, oldest first.
    private var receiptKeys: ArraySlice<ExactText> = []
    var metadata: StoreMetadata
    var isClosed = false

    init(model: Model, metadata: StoreMetadata) {
        self.model = model
        self.metadata = metadata
        families = Array(repeating: [:], count: model.entities.count)
        nextKeys = Array(repeating: 1, count: model.entities.count)
    }

    /// Creates the contents of a file, which `InMemoryLoading` has checked.
    init(
        model: Model, families: [[Int64: Snapshot]], members: [Place: [Int64]], nextKeys: [Int64],
        farDates: [ObjectID: [Int: Double]] = [:], metadata: StoreMetadata
    ) {
        self.model = model
        self.metadata = metadata
        self.families = families
        self.members = members
        self.nextKeys = nextKeys
        self.farDates = farDates
    }

    func row(_ id: ObjectID) -> Snapshot? {
        families.indices.contains(id.root) ? families[id.root][id.key] : nil
    }

    /// Returns the members in the relationship's order, or by key.
    func members(of relationship: Relationship, owner: Int64) -> [Int64] {
        let found = members[Place(relationship: relationship.index, owner: owner)] ?? []
        return relationship.isOrdered ? found : found.sorted()
    }

    /// Returns the owners that refer to a member through a relationship without an inverse.
    func owners(of member: Int64, by relationship: Relationship) -> Set<Int64> {
        if relationship.isToMany {
            return Set(
                members.lazy.filter { place, keys in
                    place.relationship == relationship.index && keys.contains(member)
                }.map(\.key.owner))
        }
        let owner = model.entities[relationship.owner]
        return Set(
            families[owner.root].values.lazy.filter { row in
                owner.isKind(row.entity) && row.values[relationship.slot] == .key(member)
            }.map(\.key))
    }

    // MARK: Applying a save

    mutating func apply(_ save: InMemorySave.Outcome) {
        save.receipt.map { keep($0) }
        for id in save.deleted { remove(id) }
        for snapshot in save.rows { put(snapshot) }
        for change in save.links { apply(change) }
        for (place, added) in save.tails { arrangeTail(place, added) }
        for (place, order) in save.orders { arrange(place, order) }
        for (root, next) in save.nextKeys { nextKeys[root] = next }
        if let transaction = save.transaction {
            token = transaction.number
            history.append(transaction)
        }
    }

    /// Deletes up to `limit` of the oldest transactions before `number`.
    mutating func deleteHistory(before number: Int64, limit: Int) -> Int {
        let count = min(max(0, limit), history.firstPlace { $0.number >= number })
        history.removeFirst(count)
        return count
    }

    private mutating func keep(_ receipt: Receipt) {
        while !receipt.isPermanent, let oldest = receiptKeys.first,
            receipts.count >= Receipt.most || receipts[oldest]?.isGood(at: receipt.time) != true
        {
            receiptKeys.removeFirst()
            receipts[oldest] = nil
        }
        let key = ExactText(receipt.key)
        let isNew = receipts.updateValue(receipt, forKey: key) == nil
        if isNew, !receipt.isPermanent { receiptKeys.append(key) }
    }

    /// Joins all transactions after a token into one and returns it; nil where there are none.
    mutating func joinHistory(after start: Int64) -> HistoryTransaction? {
        let parts = history[history.firstPlace { $0.number > start }...]
        guard var whole = parts.first else { return nil }
        whole.changes = parts.flatMap(\.changes)
        history.removeLast(parts.count)
        history.append(whole)
        token = whole.number
        return whole
    }

    private mutating func put(_ new: Snapshot) {
        let entity = model.entities[new.entity]
        let old = families[entity.root].updateValue(new, forKey: new.key)
        let id = ObjectID(root: entity.root, key: new.key)
        farDates[id] = farDates[id]?.filter { new.values[$0.key].isNull }
        followToOnes(entity, key: new.key, from: old?.values, to: new.values)
    }

    /// Updates the to-many relationships whose inverse is a to-one column.
    private mutating func followToOnes(
        _ entity: Entity, key: Int64, from old: [Value]?, to new: [Value]?
    ) {
        for (slot, property) in entity.slots.enumerated() {
            guard case .relationship(let toOne) = property,
                let inverse = model.inverse(of: toOne), inverse.isToMany
            else { continue }
            let (before, after) = (old?[slot] ?? .null, new?[slot] ?? .null)
            if before == after { continue }
            if case .key(let owner) = before { cut(inverse.index, owner, key) }
            if case .key(let owner) = after { link(inverse.index, owner, key) }
        }
    }

    private mutating func remove(_ id: ObjectID) {
        guard let old = families[id.root].removeValue(forKey: id.key) else { return }
        farDates[id] = nil
        let entity = model.entities[old.entity]
        followToOnes(entity, key: id.key, from: old.values, to: nil)
        for toMany in entity.toManys {
            let place = Place(relationship: toMany.index, owner: id.key)
            let gone = members.removeValue(forKey: place) ?? []
            guard let inverse = model.inverse(of: toMany), inverse.isToMany else { continue }
            for member in gone { cut(inverse.index, member, id.key) }
        }
        for relationship in model.relationships
        where relationship.isToMany && relationship.inverse == nil
            && model.destination(of: relationship).root == id.root
        {
            takeFromOwners(relationship.index, id.key)
        }
    }

    private mutating func apply(_ link: InMemorySave.Link) {
        let relationship = model.relationships[link.relationship]
        if let inverse = model.inverse(of: relationship) {
            if !inverse.isToMany { return }
            if link.isNew {
                self.link(relationship.index, link.owner, link.member)
                self.link(inverse.index, link.member, link.owner)
            } else {
                cut(relationship.index, link.owner, link.member)
                cut(inverse.index, link.member, link.owner)
            }
        } else if link.isNew {
            takeFromOwners(relationship.index, link.member)
            self.link(relationship.index, link.owner, link.member)
        } else {
            cut(relationship.index, link.owner, link.member)
        }
    }

    /// Removes a member from its owners: in a to-many relationship without an inverse each member
    /// has one owner.
    private mutating func takeFromOwners(_ relationship: Int, _ member: Int64) {
        let owners = members.filter { place, keys in
            place.relationship == relationship && keys.contains(member)
        }
        for place in owners.keys { cut(relationship, place.owner, member) }
    }

    private mutating func link(_ relationship: Int, _ owner: Int64, _ member: Int64) {
        let place = Place(relationship: relationship, owner: owner)
        if members[place]?.contains(member) != true { members[place, default: []].append(member) }
    }

    private mutating func cut(_ relationship: Int, _ owner: Int64, _ member: Int64) {
        members[Place(relationship: relationship, owner: owner)]?.removeAll { $0 == member }
    }

    /// Moves the added members to the end, in the order of their addition.
    private mutating func arrangeTail(_ place: Place, _ added: [Int64]) {
        let tail = Set(added)
        arrange(place, (members[place] ?? []).filter { !tail.contains($0) } + added)
    }

    /// Puts the members in the given order; members that it does not name stay at the end.
    private mutating func arrange(_ place: Place, _ order: [Int64]) {
        let present = members[place] ?? []
        let (there, named) = (Set(present), Set(order))
        members[place] = order.filter(there.contains) + present.filter { !named.contains($0) }
    }
}
