import SteleModel
import StelePersistence

/// The changes of one save by object, for uniqueness constraints that hold only at the end of the
/// save.
final class UniqueValues {
    private let model: Model
    private let operations: SaveOperations
    /// The index of each object's change, made when a constraint first fails.
    private var byObject: [ObjectID: Int]?
    /// The objects whose old values were removed before their own change.
    private var parked: Set<ObjectID> = []

    init(_ model: Model, _ operations: SaveOperations) {
        self.model = model
        self.operations = operations
    }

    private func place(of id: ObjectID) throws(StoreError) -> Int? {
        if let byObject { return byObject[id] }
        let made = try operations.placesByID()
        byObject = made
        return made[id]
    }

    func id(of change: ObjectChange) -> ObjectID {
        ObjectID(root: model.entities[change.entity].root, key: change.key)
    }

    /// Returns the save's change of an object as requested, with temporary keys; nil where there is
    /// none.
    func asked(_ id: ObjectID) throws(StoreError) -> ObjectChange? {
        try place(of: id).map { operations.asked($0) }
    }

    /// Returns the change of an object that may give up its values now, because its own update
    /// comes later; nil for any other object.
    func park(
        _ id: ObjectID, besides change: ObjectChange
    ) throws(StoreError) -> ObjectChange? {
        guard let place = try place(of: id), let own = try self.place(of: self.id(of: change)),
            place > own, operations.asked(place).kind == .update, parked.insert(id).inserted
        else { return nil }
        return try operations[place]
    }
}

extension SQLSaver {
    /// Runs a statement. Where it violates a uniqueness constraint whose values belong to an object
    /// that gives them up in the same save, removes them there and runs it again.
    /// - Throws: `.constraint` with the object that has the values.
    func guardUniqueness<T>(
        of change: ObjectChange, among places: UniqueValues, _ run: () throws(StoreError) -> T
    ) throws(StoreError) -> T {
        while true {
            do {
                return try run()
            } catch .constraint {
                guard let broken = try brokenConstraint(of: change) else {
                    let name = schema.model.entities[change.entity].name
                    if change.kind == .insert, try isTaken(change) {
                        throw .moved("\(name) \(change.key) already exists")
                    }
                    throw .refused(
                        "values that must be unique in the database, and not in the model, are "
                            + "not: an index or a trigger of another program asks for it")
                }
                let holder = ObjectID(
                    root: schema.model.entities[change.entity].root, key: broken.holder.key)
                if let other = try places.park(holder, besides: change),
                    try giveUp(broken.names, of: other)
                {
                    continue
                }
                throw .constraint(
                    try conflict(broken, of: change, holder: holder, among: places))
            }
        }
    }

    /// Whether another program has inserted a row of the object's key.
    private func isTaken(_ change: ObjectChange) throws(StoreError) -> Bool {
        // A failed statement may have ended the transaction of a server, which has no other indexes.
        if connection.dialect.isTyped { return true }
        let row = statements.text(
            "SELECT 1 FROM \(schema.table(of: change.entity).name) WHERE Z_PK = ?1")
        return try connection.integer(row, [.int(change.key)]) != nil
    }

    /// Returns the conflict with the requested keys, because keys given out by this save are lost.
    private func conflict(
        _ broken: Broken, of change: ObjectChange, holder: ObjectID, among places: UniqueValues
    ) throws(StoreError) -> ConstraintConflict {
        let (refused, other) = (try places.asked(places.id(of: change)), try places.asked(holder))
        // A row with a key below 1, which another program has written, is no object.
        let isObject = broken.holder.key > 0
        return ConstraintConflict(
            entity: change.entity, key: refused?.key ?? change.key, constraint: broken.names,
            values: broken.slots.map { (refused ?? change).values[$0] },
            holder: isObject
                ? ConstraintConflict.Holder(
                    entity: broken.holder.entity, key: other?.key ?? holder.key,
                    isNew: other?.kind == .insert) : nil)
    }

    private struct Broken {
        var names: [String]
        var slots: [Int]
        var holder: (key: Int64, entity: Int)
    }

    private func brokenConstraint(of change: ObjectChange) throws(StoreError) -> Broken? {
        let entity = schema.model.entities[change.entity]
        // The index of a subentity's constraint covers the rows of the whole table.
        let family = schema.model.family(of: schema.model.entities[entity.root])
        let constraints = entity.uniquenessConstraints + family.flatMap(\.uniquenessConstraints)
        for names in constraints {
            let slots = names.compactMap { slot($0, entity) }
            let values = slots.map { change.values[$0] }
            guard slots.count == names.count, !values.contains(.null),
                let holder = try holder(of: values, slots, besides: change)
            else { continue }
            return Broken(names: names, slots: slots, holder: holder)
        }
        return nil
    }

    private func slot(_ name: String, _ entity: Entity) -> Int? {
        switch entity.property(named: name) {
        case .attribute(let it): it.slot
        case .relationship(let it): it.isToMany ? nil : it.slot
        case .fetchedProperty, .transientRelationship, nil: nil
        }
    }

    private func holder(
        of values: [Value], _ slots: [Int], besides change: ObjectChange
    ) throws(StoreError) -> (key: Int64, entity: Int)? {
        let table = schema.table(of: change.entity)
        let columns = slots.compactMap { schema.column(of: $0, in: change.entity) }
        guard columns.count == slots.count else { return nil }
        let conditions = columns.enumerated().map { "\($0.element) = ?\($0.offset + 2)" }
        let sql = statements.text(
            "SELECT Z_PK, Z_ENT FROM \(table.name) WHERE Z_PK <> ?1 AND "
                + conditions.joined(separator: " AND "))
        let found = try connection.rows(sql, [.int(change.key)] + values, [.integer, .integer])
        guard let row = found.first, case .int(let key) = row[0] else { return nil }
        let root = schema.model.entities[change.entity].root
        // A row of another program may have any Z_ENT.
        if case .int(let number) = row[1], let entity = schema.entity(numbered: number),
            schema.model.entities[entity].root == root
        {
            return (key, entity)
        }
        return (key, root)
    }

    /// Sets the columns of a constraint to NULL where the object's own later change gives them
    /// other values. NULLs are distinct in a unique index.
    private func giveUp(
        _ names: [String], of change: ObjectChange
    ) throws(StoreError) -> Bool {
        let entity = schema.model.entities[change.entity]
        let columns = names.compactMap { slot($0, entity) }
            .filter { change.changedSlots.contains($0) }
            .compactMap { schema.column(of: $0, in: change.entity) }
        guard !columns.isEmpty, let before = change.before else { return false }
        let table = schema.table(of: change.entity)
        let assignments = columns.map { "\($0) = NULL" }.joined(separator: ", ")
        let sql = statements.text(
            "UPDATE \(table.name) SET \(assignments) WHERE Z_PK = ?1 "
                + "AND \(SQLSchema.version()) = ?2")
        return try connection.execute(sql, [.int(change.key), .int(before.version)]) == 1
    }
}
