import SteleModel
import StelePersistence

/// The objects that led to those of a save by the properties of rules, and no longer do: later saves
/// have deleted them, or led them to others. What leads to them at present, a query finds.
struct FormerReferrers {
    private let model: Model
    private let reader: any StoreReader
    private let members: MemberHistory
    /// The relationships that rules lead through, with their inverses.
    private let steps: [(relationship: Relationship, inverse: Relationship)]
    private let names: Set<String>
    /// The root entities of the objects that are wanted.
    private let wanted: Set<Int>
    /// The root entities of the objects that others lead through.
    private let between: Set<Int>

    /// The most objects that are looked at for a save.
    private static let most = 10_000

    /// - Parameters:
    ///   - names: those of the properties that the rules read.
    ///   - wanted: the root entities of the objects that are wanted.
    init(
        _ model: Model, _ reader: any StoreReader, _ members: MemberHistory,
        through names: Set<String>, to wanted: Set<Int>
    ) {
        self.model = model
        self.reader = reader
        self.members = members
        self.names = names
        self.wanted = wanted
        steps = model.relationships.compactMap { relationship in
            guard names.contains(relationship.name) else { return nil }
            return model.inverse(of: relationship).map { (relationship, $0) }
        }
        between = Set(steps.map { model.destination(of: $0.relationship).root })
    }

    /// Those of a save, and some that lead to them at present.
    /// - Throws: as reading the history.
    func of(
        _ changes: [HistoryChange], after save: Int64
    ) throws(StoreError) -> Set<ObjectID> {
        if wanted.isEmpty || steps.isEmpty { return [] }
        if try reader.token <= save { return [] }
        var start: Set<ObjectID> = []
        for change in changes where isRead(change) {
            start.insert(ObjectID(root: model.entities[change.entity].root, key: change.key))
        }
        // Those that lead to the save's objects at present are looked at only where others lead through
        // them; those that did, with all that lead to them at present.
        var (present, former): (Set<ObjectID>, Set<ObjectID>) = (start, [])
        var next: (present: Set<ObjectID>, former: Set<ObjectID>) = (start, [])
        while present.count - start.count + former.count < Self.most {
            let these = next
            next = ([], [])
            for (relationship, inverse) in steps {
                let root = model.entities[relationship.owner].root
                let destination = model.destination(of: relationship).root
                func ids(_ keys: Set<Int64>) -> Set<ObjectID> {
                    Set(keys.map { ObjectID(root: root, key: $0) })
                }
                let presentKeys = Self.keys(these.present, of: destination)
                let formerKeys = Self.keys(these.former, of: destination)
                var reached = ids(
                    try formerReferrers(by: inverse, presentKeys.union(formerKeys), save))
                reached.formUnion(ids(try presentReferrers(by: inverse, formerKeys)))
                next.former.formUnion(reached.subtracting(former))
                former.formUnion(reached)
                guard between.contains(root) else { continue }
                let others = ids(try presentReferrers(by: inverse, presentKeys))
                next.present.formUnion(others.subtracting(present))
                present.formUnion(others)
            }
            if next.present.isEmpty, next.former.isEmpty { break }
        }
        return former.filter { wanted.contains($0.root) }
    }

    private static func keys(_ ids: Set<ObjectID>, of root: Int) -> Set<Int64> {
        Set(ids.lazy.filter { $0.root == root }.map(\.key))
    }

    /// Whether a change is of what the rules read; each update is of a version.
    private func isRead(_ change: HistoryChange) -> Bool {
        guard model.entities.indices.contains(change.entity) else { return false }
        guard change.kind == .update, !names.contains("_version"), let before = change.before
        else { return true }
        let entity = model.entities[change.entity]
        return before.contains { $0.name(in: entity, model).map(names.contains) ?? true }
    }

    /// The keys of the objects that led to others, and no longer do.
    /// - Parameter inverse: the inverse of the relationship by which they did.
    private func formerReferrers(
        by inverse: Relationship, _ keys: Set<Int64>, _ save: Int64
    ) throws(StoreError) -> Set<Int64> {
        var found: Set<Int64> = []
        if keys.isEmpty { return found }
        let root = model.entities[inverse.owner].root
        guard inverse.isToMany else {
            for (_, snapshot) in try reader.snapshots(root: root, keys: Array(keys), after: save) {
                guard model.entities[inverse.owner].isKind(snapshot.entity),
                    case .key(let key) = snapshot.values[inverse.slot]
                else { continue }
                found.insert(key)
            }
            return found
        }
        try members.read(root, keys, after: save)
        for key in keys {
            for change in try members.changes(of: ObjectID(root: root, key: key), after: save)
            where change.relationship == inverse.index { found.formUnion(change.removed) }
        }
        return found
    }

    /// The keys of the objects that lead to others at present.
    private func presentReferrers(
        by inverse: Relationship, _ keys: Set<Int64>
    ) throws(StoreError) -> Set<Int64> {
        var found: Set<Int64> = []
        if keys.isEmpty { return found }
        guard inverse.isToMany else {
            for snapshot in try reader.snapshots(
                root: model.entities[inverse.owner].root, keys: Array(keys))
            where model.entities[inverse.owner].isKind(snapshot.entity) {
                if case .key(let key) = snapshot.values[inverse.slot] { found.insert(key) }
            }
            return found
        }
        for (_, keys) in try reader.members(of: inverse, owners: Array(keys)) {
            found.formUnion(keys)
        }
        return found
    }
}
