/// Makes the indexes of large saves for a role.

import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates

/// Finds where the changes of a save are, and what a role's rules need of the save as a whole. On one
/// thread.
final class SaveIndexer {
    private let sight: Sight
    private let reader: any StoreReader
    private let indexes: SaveIndexes
    private let time: JudgingTime
    private var model: Model { sight.model }
    /// The root entities whose objects are visible or not by what other objects are like, with the
    /// query of the visible ones.
    private let farQueries: [(root: Entity, seen: ResultsQuery)]
    /// The to-many relationships that the rules lead through.
    private let followed: [Relationship]
    /// The names of the properties that the rules read.
    private let names: Set<String>
    private let referrers: FormerReferrers

    /// The changes for which the objects that lead to them are asked for at once. A rule may lead
    /// from each change to the same many objects.
    private static let changesAtOnce = 50_000

    /// - Parameters:
    ///   - reader: a view of everything. The caller closes it.
    ///   - indexes: those that are kept.
    ///   - members: what later saves have changed of relationships.
    ///   - time: what judging may take, without the making of an index.
    init(
        _ sight: Sight, _ reader: any StoreReader, _ indexes: SaveIndexes,
        _ members: MemberHistory, _ time: JudgingTime
    ) {
        self.sight = sight
        self.reader = reader
        self.indexes = indexes
        self.time = time
        let model = sight.model
        var names = Set<String>()
        for entity in model.entities {
            sight.rule(of: entity)?.visitKeyPaths(alsoOfVariables: true) { names.formUnion($0) }
        }
        self.names = names
        followed = model.relationships.filter { $0.isToMany && names.contains($0.name) }
        let farQueries: [(root: Entity, seen: ResultsQuery)] = model.storedEntities.compactMap {
            entity in
            guard entity.parent == nil, let rule = sight.rule(of: entity) else { return nil }
            var request = FetchRequest(entity: entity)
            request.predicate = rule
            request.isChecked = true
            let visible = ResultsQuery(request, model: model)
            return visible.isOfRowsAlone ? nil : (entity, visible)
        }
        self.farQueries = farQueries
        referrers = FormerReferrers(
            model, reader, members, through: names, to: Set(farQueries.map(\.root.index)))
    }

    /// Whether the objects of any family may become visible or hidden by changes of others.
    var hasFarRules: Bool { !farQueries.isEmpty }

    /// The root entities of the families whose objects may become visible or hidden by changes of
    /// others.
    var farRoots: [Int] { farQueries.map(\.root.index) }

    /// Whether the objects of a family may become visible or hidden by changes of others.
    func hasFarRules(root: Int) -> Bool { farQueries.contains { $0.root.index == root } }

    /// The places of a save's changes, of which all are given or read.
    /// - Throws: `StoreError`: `.overBudget` on a thread that others wait for, and where they are no
    ///   longer wanted.
    func places(
        of save: Int64, _ whole: [HistoryChange]?
    ) throws(StoreError) -> SavePlaces {
        if let whole {
            var rest = [whole]
            return try SavePlaces(model) { rest.popLast() }
        }
        return try indexes.places.value(save, demand: time.demandWanted) { () throws(StoreError) in
            try making { () throws(StoreError) in
                var rest = SaveRest(of: save, after: 0)
                return try SavePlaces(model) { () throws(StoreError) in
                    try self.next(&rest, values: false)
                }
            }
        }
    }

    /// The index of a save, of which all changes are given or read.
    /// - Throws: as `places`.
    func index(
        of save: Int64, _ whole: [HistoryChange]?, _ places: SavePlaces
    ) throws(StoreError) -> SaveIndex {
        if let whole {
            var rest = [whole]
            return try index(of: save, places) { rest.popLast() }
        }
        let key = SaveIndexes.Key(save: save, sight: sight)
        return try indexes.indexes.value(key, demand: time.demandWanted) {
            () throws(StoreError) in
            try making { () throws(StoreError) in
                var rest = SaveRest(of: save, after: 0)
                return try index(of: save, places) { () throws(StoreError) in
                    try self.next(&rest, values: true)
                }
            }
        }
    }

    /// - Parameter next: the next changes of the save; nil at its end.
    private func index(
        of save: Int64, _ places: SavePlaces, _ next: () throws(StoreError) -> [HistoryChange]?
    ) throws(StoreError) -> SaveIndex {
        var index = SaveIndex(model, places, following: followed)
        var outsiders: Set<ObjectID> = []
        if followed.isEmpty, farQueries.isEmpty { return index }
        var waiting = HistoryTransaction(
            number: save, timestamp: 0, author: nil, contextName: nil, changes: [])
        func findOutsiders() throws(StoreError) {
            for (root, query) in farQueries {
                for key in try query.keysAffected(by: waiting, reader) {
                    outsiders.insert(ObjectID(root: root.index, key: key))
                }
            }
            outsiders.formUnion(try referrers.of(waiting.changes, after: save))
            waiting.changes = []
        }
        while let changes = try next() {
            index.add(changes)
            guard hasFarRules else { continue }
            for change in changes { waiting.changes.append(change.withoutPresentValues) }
            if waiting.changes.count >= Self.changesAtOnce { try findOutsiders() }
        }
        try findOutsiders()
        index.sort(outsiders: outsiders)
        return index
    }

    /// Reads the next changes, on a thread for which that is not too long.
    private func next(
        _ rest: inout SaveRest, values: Bool
    ) throws(StoreError) -> [HistoryChange]? {
        try time.demandWanted()
        return try rest.next(reader, values: values)?.changes
    }

    /// Makes what is made once for all changes of a save.
    /// - Throws: `.overBudget` on a thread that others wait for; as the closure.
    private func making<Made>(_ make: () throws(StoreError) -> Made) throws(StoreError) -> Made {
        if time.isShared { throw .overBudget }
        return try time.leavingOut(make)
    }
}

extension HistoryChange {
    /// The change without the values of an object that exists, which the search for those that lead
    /// to it does not need.
    fileprivate var withoutPresentValues: HistoryChange {
        var change = self
        if kind != .delete { change.snapshot = nil }
        return change
    }
}
