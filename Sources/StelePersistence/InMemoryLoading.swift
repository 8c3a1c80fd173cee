import SteleModel

/// Makes the contents of an in-memory store from the objects of a file, and checks them.
///
/// A link that only one of its objects has is added to the other.
struct InMemoryLoading {
    private typealias Place = InMemoryContents.Place

    private let model: Model
    private var families: [[Int64: Snapshot]]
    private var members: [Place: [Int64]] = [:]
    /// `members` as sets, of relationships without a to-one inverse.
    private var known: [Place: Set<Int64>] = [:]
    private var nextKeys: [Int64]
    private var farDates: [ObjectID: [Int: Double]] = [:]

    init(model: Model) {
        self.model = model
        families = Array(repeating: [:], count: model.entities.count)
        nextKeys = Array(repeating: 1, count: model.entities.count)
    }

    /// Returns the contents.
    /// - Throws: `StoreError.incompatible` (134080) for objects that the model cannot have; the
    ///   text
    ///   names the object and the property.
    mutating func load(_ contents: StoreContents) throws(StoreError) -> InMemoryContents {
        for object in contents.objects { try add(object) }
        try checkToOnes()
        for object in contents.objects { try addMembers(of: object) }
        followToOnes()
        for object in contents.objects { arrangeMembers(of: object) }
        for (root, key) in contents.nextKeys where nextKeys.indices.contains(root) {
            guard key <= Self.keyLimit else { throw damage("the next key \(key) is too large") }
            nextKeys[root] = max(nextKeys[root], key)
        }
        let metadata = try contents.metadata.map { list throws(StoreError) in
            try StoreMetadata(propertyList: list)
        }
        return InMemoryContents(
            model: model, families: families, members: members, nextKeys: nextKeys,
            farDates: farDates,
            metadata: metadata ?? StoreMetadata(model: model, generation: InMemoryStore.draw()))
    }

    /// Objects have keys below it. It is the next key where all are given out.
    static let keyLimit: Int64 = 1 << 62

    private func damage(_ text: String) -> StoreError { .incompatible(code: 134080, text) }

    private func name(_ root: Int, _ key: Int64) -> String {
        ObjectID.name(model.entities[families[root][key]?.entity ?? root].name, key)
    }

    // MARK: Rows

    private mutating func add(_ object: StoredObject) throws(StoreError) {
        var row = object.snapshot
        guard model.entities.indices.contains(row.entity) else {
            throw damage("an object has an entity that the model does not have")
        }
        let entity = model.entities[row.entity]
        let name = "\(entity.name) \(row.key)"
        if entity.isAbstract { throw damage("\(name): the entity \(entity.name) is abstract") }
        guard row.key > 0, row.key < Self.keyLimit, row.version >= 0 else {
            throw damage("\(name): keys are from 1 to \(Self.keyLimit - 1), and versions from 0")
        }
        guard row.values.count == entity.slots.count, object.toManys.count == entity.toManys.count
        else { throw damage("\(name) does not have the properties of its entity") }
        for (slot, property) in entity.slots.enumerated() {
            guard case .attribute(let attribute) = property else { continue }
            if attribute.isTransient { row.values[slot] = .null }
            guard row.values[slot].isValue(of: attribute.type) else {
                throw damage("\(name): the value of \(attribute.name) is not of its type")
            }
            if case .date(let seconds) = row.values[slot], !Value.isDate(seconds) {
                let id = ObjectID(root: entity.root, key: row.key)
                farDates[id, default: [:]][slot] = seconds
                row.values[slot] = .null
            }
        }
        guard families[entity.root].updateValue(row, forKey: row.key) == nil else {
            throw damage("\(name) is there twice")
        }
        nextKeys[entity.root] = max(nextKeys[entity.root], row.key + 1)
    }

    /// Checks that to-one relationships lead to objects, and sets their to-one inverses. A
    /// reference that may dangle becomes null.
    private mutating func checkToOnes() throws(StoreError) {
        for root in families.indices {
            for (key, row) in families[root].sorted(by: { $0.key < $1.key }) {
                for (slot, property) in model.entities[row.entity].slots.enumerated() {
                    guard case .relationship(let it) = property, !row.values[slot].isNull else {
                        continue
                    }
                    guard case .key(let destination) = row.values[slot] else {
                        throw damage("\(name(root, key)): \(it.name) is not a reference")
                    }
                    if families[model.destination(of: it).root][destination] == nil,
                        model.mayDangle(it)
                    {
                        families[root][key]?.values[slot] = .null
                        continue
                    }
                    try check(it, of: (root, key), destination)
                    if let inverse = model.inverse(of: it), !inverse.isToMany {
                        try setToOne(inverse, of: destination, to: key)
                    }
                }
            }
        }
    }

    /// Checks that a relationship can have that destination.
    private func check(
        _ it: Relationship, of owner: (root: Int, key: Int64), _ key: Int64
    ) throws(StoreError) {
        let destination = model.destination(of: it)
        let owner = name(owner.root, owner.key)
        guard let row = families[destination.root][key] else {
            throw damage(
                "\(owner): \(it.name) refers to \(destination.name) \(key), which is missing")
        }
        guard destination.isKind(row.entity) else {
            throw damage(
                "\(owner): \(it.name) refers to \(name(destination.root, key)), which is no "
                    + destination.name)
        }
    }

    /// Sets a to-one relationship to what its inverse says.
    private mutating func setToOne(
        _ it: Relationship, of key: Int64, to destination: Int64
    ) throws(StoreError) {
        let root = model.entities[it.owner].root
        guard let value = families[root][key]?.values[it.slot] else { return }
        if value.isNull {
            families[root][key]?.values[it.slot] = .key(destination)
        } else if value != .key(destination) {
            let other = name(model.destination(of: it).root, destination)
            throw damage("\(name(root, key)): \(it.name) contradicts its inverse in \(other)")
        }
    }

    // MARK: Members

    private mutating func addMembers(of object: StoredObject) throws(StoreError) {
        let entity = model.entities[object.snapshot.entity]
        let owner = object.snapshot.key
        for (it, keys) in zip(entity.toManys, object.toManys) {
            for key in keys {
                try check(it, of: (entity.root, owner), key)
                guard let inverse = model.inverse(of: it) else {
                    try claim(key, for: owner, it)
                    link(it, owner, key)
                    continue
                }
                if inverse.isToMany {
                    link(it, owner, key)
                    link(inverse, key, owner)
                } else {
                    try setToOne(inverse, of: key, to: owner)
                }
            }
        }
    }

    /// The owners of the members of relationships without an inverse, in which each member has one
    /// owner.
    private var owners: [Place: Int64] = [:]

    private mutating func claim(
        _ key: Int64, for owner: Int64, _ it: Relationship
    ) throws(StoreError) {
        let place = Place(relationship: it.index, owner: key)
        if let other = owners.updateValue(owner, forKey: place), other != owner {
            let root = model.entities[it.owner].root
            let member = name(model.destination(of: it).root, key)
            throw damage(
                "\(member) is in \(it.name) of \(name(root, other)) and of \(name(root, owner))")
        }
    }

    private mutating func link(_ it: Relationship, _ owner: Int64, _ member: Int64) {
        let place = Place(relationship: it.index, owner: owner)
        if known[place, default: []].insert(member).inserted {
            members[place, default: []].append(member)
        }
    }

    /// Adds the members of relationships whose inverse is a to-one relationship.
    private mutating func followToOnes() {
        for family in families {
            for (key, row) in family.sorted(by: { $0.key < $1.key }) {
                for (slot, property) in model.entities[row.entity].slots.enumerated() {
                    guard case .relationship(let it) = property,
                        case .key(let owner) = row.values[slot],
                        let inverse = model.inverse(of: it), inverse.isToMany
                    else { continue }
                    let place = Place(relationship: inverse.index, owner: owner)
                    members[place, default: []].append(key)
                }
            }
        }
    }

    /// Puts the members of ordered relationships in the order of their owner; the others follow.
    private mutating func arrangeMembers(of object: StoredObject) {
        let entity = model.entities[object.snapshot.entity]
        for (it, keys) in zip(entity.toManys, object.toManys) where it.isOrdered && !keys.isEmpty {
            let place = Place(relationship: it.index, owner: object.snapshot.key)
            var named = Set<Int64>()
            let order = keys.filter { named.insert($0).inserted }
            members[place] = order + (members[place] ?? []).filter { !named.contains($0) }
        }
    }
}

extension InMemoryContents {
    /// The contents in the form of a file.
    func whole(_ identifier: String) -> StoreContents {
        let roots = model.entities.filter { $0.root == $0.index }.map(\.index)
        let next = roots.map { ($0, nextKeys[$0]) }
        return StoreContents(
            identifier: identifier, metadata: metadata.propertyList,
            nextKeys: Dictionary(next, uniquingKeysWith: { first, _ in first }), objects: objects)
    }

    /// The highest key given out in each family, by the index of the root entity.
    var highestKeys: [Int: Int64] {
        let roots = model.entities.filter { $0.root == $0.index }.map(\.index)
        return Dictionary(
            roots.map { ($0, nextKeys[$0] - 1) }, uniquingKeysWith: { first, _ in first })
    }

    /// All objects in the form of a file, by root entity and key. Dangling references, which read
    /// as null, are left out.
    private var objects: [StoredObject] {
        families.flatMap { family in
            family.sorted { $0.key < $1.key }.map { key, row in
                let entity = model.entities[row.entity]
                var row = row
                for case .relationship(let it) in entity.slots {
                    guard case .key(let destination) = row.values[it.slot] else { continue }
                    if !has(it, destination) { row.values[it.slot] = .null }
                }
                for (slot, seconds) in farDates[ObjectID(root: entity.root, key: key)] ?? [:] {
                    row.values[slot] = .date(seconds)
                }
                let toManys = entity.toManys.map { it in
                    members(of: it, owner: key).filter { has(it, $0) }
                }
                return StoredObject(snapshot: row, toManys: toManys)
            }
        }
    }

    private func has(_ relationship: Relationship, _ destination: Int64) -> Bool {
        families[model.destination(of: relationship).root][destination] != nil
    }
}

extension Value {
    /// Whether an attribute of that type can have the value in a store.
    fileprivate func isValue(of type: AttributeType) -> Bool {
        if isNull { return true }
        return switch type {
        case .integer16, .integer32, .integer64:
            if case .int(let it) = self { type.integerRange.contains(it) } else { false }
        case .double, .float: if case .double(let it) = self { it.isFinite } else { false }
        case .decimal: if case .decimal = self { true } else { false }
        case .boolean: if case .bool = self { true } else { false }
        case .date: if case .date(let it) = self { it.isFinite } else { false }
        case .string, .uri: if case .string = self { true } else { false }
        case .uuid: if case .uuid = self { true } else { false }
        case .binary, .transformable: if case .data = self { true } else { false }
        case .composite, .objectID, .undefined: false
        }
    }
}
