import SteleModel

/// Divides a save request into those of the stores of a group.
struct GroupDivision {
    private let layout: GroupLayout
    private let assigned: [ObjectID: Int]
    private let externalPlace: Int
    private let hasShared: Bool
    private var model: Model { layout.model }

    /// - Parameter assigned: the stores of new objects that are not in their first one.
    init(_ layout: GroupLayout, assigned: [ObjectID: Int], group: StoreGroup) {
        self.layout = layout
        self.assigned = assigned
        externalPlace = group.model.hasExternalAttributes ? group.externalPlace : 0
        hasShared = layout.hasShared
    }

    /// Returns the parts, in the order of the stores.
    /// - Throws: `StoreError.invalid` for an object that is assigned to a store without its entity,
    ///   and for a link between objects of two stores.
    func divide(_ request: SaveRequest) throws(StoreError) -> [GroupPart] {
        try request.checkNames(in: model)
        var parts: [Int: SaveRequest] = [:]
        func add(_ place: Int, _ body: (inout SaveRequest) -> Void) {
            body(&parts[place, default: Self.empty(like: request)])
        }
        for change in request.changes {
            let id = ObjectID(root: model.entities[change.entity].root, key: change.key)
            let place = try place(of: id, change.entity)
            if hasShared { try checkLinks(of: change, at: place) }
            let own = try movingIn(change, to: place)
            add(place) { $0.changes.append(own) }
        }
        for id in request.reservations {
            let place = try place(of: id, id.root)
            add(place) { $0.reservations.append(id) }
        }
        for expectation in request.expectations {
            let place = try place(of: expectation)
            add(place) { $0.expectations.append(expectation) }
        }
        if parts.isEmpty { parts[0] = Self.empty(like: request) }
        var found = parts.sorted { $0.key < $1.key }.map {
            GroupPart(place: $0.key, request: $0.value)
        }
        // The first store commits last. So a save that is incomplete has no receipt.
        found[0].request.receipt = request.receipt
        return found
    }

    private static func empty(like request: SaveRequest) -> SaveRequest {
        var part = SaveRequest(readToken: request.readToken)
        part.author = request.author
        part.contextName = request.contextName
        part.isRecorded = request.isRecorded
        part.number = request.number
        return part
    }

    /// Returns the index of the store of an object, which may be new.
    private func place(of id: ObjectID, _ entity: Int) throws(StoreError) -> Int {
        let all = layout.places(of: entity)
        let name = model.entities[entity].name
        guard id.isTemporaryID else {
            guard let place = layout.place(of: id) else {
                throw .invalid("no store gives out the key of \(name) \(id.key)")
            }
            return place
        }
        guard let place = assigned[id] else { return all[0] }
        guard all.contains(place) else {
            throw .invalid("the store \(place + 1) does not have the entity \(name)")
        }
        return place
    }

    private func place(of expectation: Expectation) throws(StoreError) -> Int {
        func place(_ entity: Int, _ key: Int64) throws(StoreError) -> Int {
            try self.place(of: ObjectID(root: model.entities[entity].root, key: key), entity)
        }
        switch expectation {
        case .exists(let entity, let key): return try place(entity, key)
        case .members(let index, let owner, _):
            return try place(model.relationships[index].owner, owner)
        case .owners(let index, let member, _):
            return try place(model.relationships[index].destination, member)
        }
    }

    /// Checks that a change links objects of its own store alone.
    private func checkLinks(of change: ObjectChange, at place: Int) throws(StoreError) {
        let entity = model.entities[change.entity]
        for (slot, property) in entity.slots.enumerated() {
            guard case .relationship(let it) = property, change.values.indices.contains(slot),
                change.kind == .insert || change.changedSlots.contains(slot),
                case .key(let key) = change.values[slot]
            else { continue }
            try check(it, [key], of: change, at: place)
        }
        for toMany in change.toManys where change.kind != .delete {
            let it = model.relationships[toMany.relationship]
            try check(it, toMany.added, of: change, at: place)
        }
    }

    private func check(
        _ relationship: Relationship, _ keys: [Int64], of change: ObjectChange, at place: Int
    ) throws(StoreError) {
        let destination = model.destination(of: relationship)
        for key in keys {
            let id = ObjectID(root: destination.root, key: key)
            if try self.place(of: id, destination.index) == place { continue }
            let owner = ObjectID.name(model.entities[change.entity].name, change.key)
            throw .invalid(
                "\(relationship.name) of \(owner) leads to "
                    + "\(ObjectID.name(destination.name, key)), which is in another store: "
                    + "a relationship cannot lead from one store to another")
        }
    }

    /// Returns a change whose uploaded values are not in a file of another store.
    private func movingIn(
        _ change: ObjectChange, to place: Int
    ) throws(StoreError) -> ObjectChange {
        guard model.hasExternalAttributes, place != externalPlace else { return change }
        var change = change
        for slot in change.values.indices {
            guard case .external(let file) = change.values[slot],
                change.kind == .insert || change.changedSlots.contains(slot)
            else { continue }
            guard let bytes = file.bytes else {
                throw .failed("an uploaded value cannot be read: \(file.path)")
            }
            change.values[slot] = .data(bytes)
        }
        return change
    }
}
