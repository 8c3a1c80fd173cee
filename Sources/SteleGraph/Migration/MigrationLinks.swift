import SteleMigration
import SteleModel
import StelePersistence

extension MigrationRun {
    /// Sets the relationships of a step that are set after all objects are made, or their order,
    /// which needs all links.
    func link(_ step: MigrationStep, order: Bool = false) throws {
        let later = order ? step.ordered : step.later
        let single = order ? [] : Set(later.filter(isSingle).map(\.relationship.index))
        if later.isEmpty { return }
        try eachBatch(of: step) { rows in
            var links = MigrationLinks(plan.destination)
            let loaded = try members(of: later, rows)
            for row in rows.rows {
                let object = MigrationSource(rows: rows, snapshot: row)
                for owner in step.associations.targets(of: row.key) {
                    for recipe in later {
                        if recipe.relationship.isToMany {
                            let members = try members(recipe, object, loaded, step)
                            if members.isEmpty { continue }
                            if order {
                                links.setOrder(recipe.relationship, of: owner, to: members)
                            } else {
                                links.add(members, to: recipe.relationship, of: owner)
                                guard single.contains(recipe.relationship.index) else { continue }
                                for member in members {
                                    singleLinks.add(member.key, to: recipe.relationship, of: owner)
                                }
                            }
                        } else if case .key(let key) = try toOne(recipe, object, step) {
                            let found =
                                recipe.setsInverse
                                ? try destinations(recipe, object, step).first : nil
                            links.setToOne(recipe.relationship, of: owner, to: key, found)
                            if single.contains(recipe.relationship.index) {
                                singleLinks.add(key, to: recipe.relationship, of: owner)
                            }
                        }
                    }
                }
            }
            let changes = try links.changes(destination.reader)
            if !changes.isEmpty { try save(changes, of: step) }
        }
    }

    /// Whether an object may be linked once by a relationship that led to it from several objects: its
    /// row keeps one of them.
    private func isSingle(_ recipe: RelationshipRecipe) -> Bool {
        guard let direct = recipe.direct else { return false }
        let it = recipe.relationship
        if plan.destination.inverse(of: it).map(\.isToMany) ?? !it.isToMany { return false }
        return plan.source.inverse(of: direct).map(\.isToMany) ?? !direct.isToMany
    }

    /// Reads the members of the direct to-many relationships for a batch, by relationship, as keys.
    /// Only the keys are needed if the members have no subentities.
    private func members(
        of recipes: [RelationshipRecipe], _ rows: MigrationRows
    ) throws -> [Int: [Int64: [Int64]]] {
        var found: [Int: [Int64: [Int64]]] = [:]
        for case let it? in recipes.map(\.direct)
        where it.isToMany && plan.source.destination(of: it).isAlone {
            found[it.index] = try source.members(of: it, owners: rows.rows.map(\.key))
        }
        return found
    }

    private func members(
        _ recipe: RelationshipRecipe, _ object: MigrationSource,
        _ loaded: [Int: [Int64: [Int64]]], _ step: MigrationStep
    ) throws -> [MigrationAssociations.Target] {
        guard let direct = recipe.direct, let keys = loaded[direct.index] else {
            return try destinations(recipe, object, step)
        }
        return (keys[object.key] ?? []).flatMap { targets(of: recipe, (direct.destination, $0)) }
    }
}

/// The objects that relationships link which allow one link for each object.
struct SingleLinks {
    private var owners: [Int: [Int64: MigrationAssociations.Target]] = [:]
    private var several: [Int: Set<Int64>] = [:]

    mutating func add(_ key: Int64, to it: Relationship, of owner: MigrationAssociations.Target) {
        if let known = owners[it.index, default: [:]].updateValue(owner, forKey: key),
            known != owner
        {
            several[it.index, default: []].insert(key)
        }
    }

    /// Checks that no object has several links of one relationship.
    /// - Throws: `MigrationError` (134110).
    func check(_ model: Model) throws(MigrationError) {
        guard let (index, keys) = several.min(by: { $0.key < $1.key }) else { return }
        let it = model.relationships[index]
        throw .severalLinks("\(model.entities[it.owner].name).\(it.name)", count: keys.count)
    }
}

extension Entity {
    /// Whether the entity is a family of its own.
    var isAlone: Bool { parent == nil && !hasSubentities }
}

/// The links of a batch, as changes of both their objects.
struct MigrationLinks {
    /// What changes in one object.
    private struct Change {
        var entity: Int
        var slots: [Int: Value] = [:]
        var toManys: [Int: ToManyChange] = [:]

        mutating func add(_ keys: [Int64], _ it: Relationship) {
            toManys[it.index, default: ToManyChange(relationship: it.index)].added += keys
        }
    }

    private let model: Model
    private var all: [ObjectID: Change] = [:]
    /// The objects in the order of their first change.
    private var order: [ObjectID] = []

    init(_ model: Model) { self.model = model }

    private mutating func change(
        _ target: MigrationAssociations.Target, _ body: (inout Change) -> Void
    ) {
        let id = ObjectID(root: model.entities[target.entity].root, key: target.key)
        if all[id] == nil {
            all[id] = Change(entity: target.entity)
            order.append(id)
        }
        body(&all[id, default: Change(entity: target.entity)])
    }

    /// Sets a to-one relationship.
    /// - Parameter destination: the object with the key, to set the inverse; nil to leave it.
    mutating func setToOne(
        _ it: Relationship, of owner: MigrationAssociations.Target, to key: Int64,
        _ destination: MigrationAssociations.Target?
    ) {
        change(owner) { $0.slots[it.slot] = .key(key) }
        if let inverse = model.toOneInverse(of: it), let destination {
            change(destination) { $0.slots[inverse.slot] = .key(owner.key) }
        }
    }

    /// Adds members to a to-many relationship.
    mutating func add(
        _ members: [MigrationAssociations.Target], to it: Relationship,
        of owner: MigrationAssociations.Target
    ) {
        let inverse = model.inverse(of: it)
        if inverse?.isToMany != false {
            change(owner) { $0.add(members.map(\.key), it) }
        }
        guard let inverse else { return }
        for member in members {
            change(member) { change in
                if inverse.isToMany {
                    change.add([owner.key], inverse)
                } else {
                    change.slots[inverse.slot] = .key(owner.key)
                }
            }
        }
    }

    /// Sets the order of a to-many relationship that has the members already.
    mutating func setOrder(
        _ it: Relationship, of owner: MigrationAssociations.Target,
        to members: [MigrationAssociations.Target]
    ) {
        let order = members.map(\.key)
        change(owner) { change in
            change.toManys[it.index, default: ToManyChange(relationship: it.index)].order = order
        }
    }

    /// Returns the changes. A slot that has its value already is left out.
    /// - Parameter reader: reads the objects whose slots change.
    func changes(_ reader: some StoreReader) throws(StoreError) -> [ObjectChange] {
        var rows: [ObjectID: Snapshot] = [:]
        let withSlots = order.filter { all[$0]?.slots.isEmpty == false }
        for (root, ids) in Dictionary(grouping: withSlots, by: \.root) {
            for row in try reader.snapshots(root: root, keys: ids.map(\.key)) {
                rows[ObjectID(root: root, key: row.key)] = row
            }
        }
        var changes: [ObjectChange] = []
        for id in order {
            guard let its = all[id] else { continue }
            let empty = [Value](repeating: .null, count: model.entities[its.entity].slots.count)
            let before =
                rows[id] ?? Snapshot(entity: its.entity, key: id.key, version: 0, values: empty)
            var change = ObjectChange(
                .update, entity: its.entity, key: id.key, before: before, values: before.values)
            for (slot, value) in its.slots where before.values[slot] != value {
                change.values[slot] = value
                change.changedSlots.append(slot)
            }
            change.changedSlots.sort()
            change.toManys = its.toManys.values.sorted { $0.relationship < $1.relationship }
            // Both ends of a link add it to a relationship that is its own inverse.
            for place in change.toManys.indices {
                let it = model.relationships[change.toManys[place].relationship]
                guard it.inverse == it.index else { continue }
                var known: Set<Int64> = []
                change.toManys[place].added.removeAll { !known.insert($0).inserted }
            }
            if !change.changedSlots.isEmpty || !change.toManys.isEmpty { changes.append(change) }
        }
        return changes
    }
}
