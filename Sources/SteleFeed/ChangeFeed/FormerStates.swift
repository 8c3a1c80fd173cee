/// Objects as they were before or after a save, for rules that are judged on them.

import SteleModel
import StelePersistence
import StelePredicates

/// Objects as they were before or after a save.
final class FormerStates {
    /// The objects that the save has not changed.
    private let others: StoreStates
    private let model: Model
    private let changes: SaveChanges?
    /// Whether they are those before the save.
    private let isBefore: Bool
    private var known: [ObjectID: Snapshot??] = [:]

    /// The most objects that are kept.
    private static let most = 20_000

    /// - Parameters:
    ///   - others: the objects as they were after the save, or are now.
    ///   - changes: those of the save; nil for objects as they are now.
    init(_ others: StoreStates, _ model: Model, _ changes: SaveChanges?, isBefore: Bool) {
        self.others = others
        self.model = model
        self.changes = changes
        self.isBefore = isBefore
    }

    /// The state of an object of the save; nil for any other object.
    /// - Throws: as reading the history.
    func noted(_ id: ObjectID) throws(StoreError) -> Snapshot?? {
        if let known = known[id] { return known }
        if known.count > Self.most { known = [:] }
        let state = try changes?.changes(of: id).map { isBefore ? $0.before(in: model) : $0.after }
        known[id] = .some(state)
        return state
    }

    /// The state of an object; nil where it does not exist.
    /// - Throws: as reading the history and the store.
    func state(of id: ObjectID) throws(StoreError) -> Snapshot? {
        if let known = try noted(id) { return known }
        return try others.snapshot(id)
    }

    /// The members of a to-many relationship.
    /// - Throws: as reading the history and the store.
    func members(
        of relationship: Relationship, owner: Int64
    ) throws(StoreError) -> [Snapshot] {
        // An ordered relationship's members stay in their order.
        var keys = try others.members(of: relationship, owner: owner)
        let root = model.destination(of: relationship).root
        try others.read(root, Set(keys))
        if let changes {
            let changed = try changes.index().members(of: relationship, owner: owner)
            if isBefore {
                keys.removeAll { changed.added.contains($0) || changed.removed.contains($0) }
                keys = keys.joining(changed.removed.sorted())
            }
            if let inverse = model.inverse(of: relationship), !inverse.isToMany {
                // The other end is in the members' own values.
                let candidates = keys + changed.byValue.subtracting(keys).sorted()
                keys = []
                for key in candidates {
                    let values = try state(of: ObjectID(root: root, key: key))?.values ?? []
                    if values.indices.contains(inverse.slot),
                        values[inverse.slot] == .key(owner)
                    {
                        keys.append(key)
                    }
                }
            }
        }
        var members: [Snapshot] = []
        for key in keys {
            if let state = try state(of: ObjectID(root: root, key: key)) { members.append(state) }
        }
        return members
    }
}

extension [Int64] {
    /// The keys with others, each before the first that is greater: the history keeps no orders, and
    /// most members are in the order in which they were made.
    /// - Parameter others: ascending.
    func joining(_ others: [Int64]) -> [Int64] {
        var rest = others[...]
        var joined: [Int64] = []
        joined.reserveCapacity(count + others.count)
        for key in self {
            let smaller = rest.prefix { $0 < key }
            joined += smaller
            rest = rest.dropFirst(smaller.count)
            joined.append(key)
        }
        return joined + rest
    }
}

/// The states during an evaluation, which cannot throw, and the first error of reading.
final class FormerView {
    let states: FormerStates
    let model: Model
    private(set) var error: StoreError?

    init(_ states: FormerStates, _ model: Model) {
        self.states = states
        self.model = model
    }

    func read<Result>(
        _ otherwise: Result, _ body: () throws(StoreError) -> Result
    ) -> Result {
        do throws(StoreError) { return try body() } catch {
            self.error = self.error ?? error
            return otherwise
        }
    }
}

/// An object as it was, with related objects as they were.
struct FormerObject: EvaluatedObject {
    private let view: FormerView
    private let snapshot: Snapshot
    private var model: Model { view.model }

    init(_ view: FormerView, _ snapshot: Snapshot) {
        self.view = view
        self.snapshot = snapshot
    }

    var entityIndex: Int { snapshot.entity }
    var key: Int64 { snapshot.key }
    var version: Int64 { snapshot.version }

    func value(of attribute: Attribute) -> Value {
        guard model.entities[attribute.owner].isKind(entityIndex),
            snapshot.values.indices.contains(attribute.slot)
        else { return .null }
        return snapshot.values[attribute.slot]
    }

    func toOne(_ relationship: Relationship) -> FormerObject? {
        guard model.entities[relationship.owner].isKind(entityIndex),
            snapshot.values.indices.contains(relationship.slot),
            case .key(let key) = snapshot.values[relationship.slot]
        else { return nil }
        let root = model.destination(of: relationship).root
        return view.read(nil) { () throws(StoreError) in
            try view.states.state(of: ObjectID(root: root, key: key)).map {
                FormerObject(view, $0)
            }
        }
    }

    func toMany(_ relationship: Relationship) -> [FormerObject] {
        guard model.entities[relationship.owner].isKind(entityIndex) else { return [] }
        return view.read([]) { () throws(StoreError) in
            try view.states.members(of: relationship, owner: key)
                .map { FormerObject(view, $0) }
        }
    }
}
