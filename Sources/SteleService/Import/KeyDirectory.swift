/// From the values that name objects to their keys in the store.

import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

/// Finds names in the store, many with one query, and keeps some of them.
final class KeyDirectory {
    /// An object that has a name.
    struct Entry {
        /// Nil if several objects have the name.
        var key: Int64?
        /// Whether this import has inserted the object.
        var isNew: Bool
    }

    private let plan: ImportPlan
    private let store: any PersistentStore
    /// The objects by destination entity and name.
    private var known: [Int: [[Value]: Entry]] = [:]
    /// The objects whose names are not complete in the store before links are made.
    private var promised: [Int: [[Value]: Entry]] = [:]
    /// The entities whose names are all known, because no index finds them one by one.
    private var whole: Set<Int> = []
    /// The names of these entities that links use.
    private var used: [Int: Set<[Value]>] = [:]
    private var count = 0

    private static let mostKept = 500_000
    private static let namesPerQuery = 2_000

    init(_ plan: ImportPlan, _ store: any PersistentStore) {
        self.plan = plan
        self.store = store
    }

    /// The object with a name; nil if it is not known.
    func entry(_ name: [Value], of entity: Entity) -> Entry? {
        let promise = promised.isEmpty ? nil : promised[entity.index]?[name]
        guard var entry = known[entity.index]?[name] else { return promise }
        if let promise, promise.key != entry.key { entry.key = nil }
        return entry
    }

    /// The key of the object with a name; nil if it is not known.
    /// - Throws: `ImportError` if several objects have the name.
    func key(_ name: [Value], of entity: Entity) throws -> Int64? {
        guard let found = entry(name, of: entity) else { return nil }
        guard let key = found.key else { throw ambiguous(name, entity) }
        return key
    }

    func ambiguous(_ name: [Value], _ entity: Entity) -> ImportError {
        let shown = name.map(ImportKey.shown).joined(separator: ", ")
        return ImportError("more than one \(entity.name) is named \(shown)")
    }

    /// Records that links use names, so that no later object may have them.
    func use(_ names: [Int: Set<[Value]>]) {
        for (entity, names) in names where whole.contains(entity) {
            used[entity, default: []].formUnion(names)
        }
    }

    /// Whether a link uses the name that another object has.
    func isUsed(_ name: [Value], of entity: Entity) -> Bool {
        used[entity.index]?.contains(name) == true && entry(name, of: entity) != nil
    }

    /// Records the name of a new object. A name that another object has becomes ambiguous.
    /// - Parameter key: nil if several new objects have the name.
    func note(_ name: [Value], of entity: Int, key: Int64?) {
        guard whole.contains(entity) else { return }
        Self.add(Entry(key: key, isNew: true), name, to: &known[entity, default: [:]])
    }

    /// Records the name that an object has when its links are made.
    func promise(_ name: [Value], of entity: Int, key: Int64) {
        Self.add(Entry(key: key, isNew: true), name, to: &promised[entity, default: [:]])
    }

    private static func add(
        _ entry: Entry, _ name: [Value], to entries: inout [[Value]: Entry]
    ) {
        guard let old = entries[name] else { return entries[name] = entry }
        if old.key == entry.key { return }
        entries[name] = Entry(key: nil, isNew: old.isNew && entry.isNew)
    }

    /// Forgets the names of an entity's objects, some of which have changed.
    func forget(_ entity: Int) {
        known[entity] = nil
        whole.remove(entity)
    }

    /// Looks up the names that are not known yet.
    /// - Parameter isFirst: whether the import has not inserted any object.
    func load(
        _ names: [[Int: Set<[Value]>]], _ context: ManagedObjectContext, isFirst: Bool = false
    ) throws {
        if count > Self.mostKept {
            for entity in known.keys where !whole.contains(entity) { known[entity] = nil }
            count = 0
        }
        for (index, all) in names.joined() where !whole.contains(index) {
            let entity = plan.model.entities[index]
            guard let key = plan.key(of: entity) else { continue }
            guard plan.isIndexed(entity) else {
                let before = try isFirst ? nil : keysBefore(of: entity)
                try load(nil, key, of: entity, context) { before?.contains($0) == false }
                whole.insert(index)
                continue
            }
            let missing = all.filter { known[index]?[$0] == nil }
            var rest = Array(missing)[...]
            while !rest.isEmpty {
                try load(Array(rest.prefix(Self.namesPerQuery)), key, of: entity, context)
                rest = rest.dropFirst(Self.namesPerQuery)
            }
        }
    }

    /// The keys of the objects that were in the store before the import.
    private func keysBefore(of entity: Entity) throws -> Set<Int64> {
        let reader = try store.reader()
        defer { reader.close() }
        var request = FetchRequest(entity: entity)
        request.propertiesToFetch = [ExpressionDescription(name: "_id", expression: .key("_id"))]
        let cursor = try reader.cursor(try request.checked(in: plan.model))
        var keys: Set<Int64> = []
        while case .values(let rows) = try cursor.next(Self.namesPerQuery), !rows.isEmpty {
            keys.formUnion(rows.compactMap { RowKey.key(in: $0, at: 0) })
        }
        return keys
    }

    /// - Parameters:
    ///   - names: nil for the names of all objects.
    ///   - isNew: whether this import has inserted the object with a key.
    private func load(
        _ names: [[Value]]?, _ key: ImportKey, of entity: Entity, _ context: ManagedObjectContext,
        isNew: (Int64) -> Bool = { _ in false }
    ) throws {
        var request = FetchRequest(entity: entity)
        request.propertiesToFetch =
            [ExpressionDescription(name: "_id", expression: .key("_id"))]
            + key.leaves.map {
                ExpressionDescription(
                    name: $0.path.joined(separator: "."),
                    expression: .keyPath(.evaluatedObject, $0.path))
            }
        if let names {
            let conditions = key.leaves.indices.map { place in
                Predicate.comparison(
                    Comparison(
                        .keyPath(.evaluatedObject, key.leaves[place].path), .in,
                        .aggregate(Set(names.map { $0[place] }).map { .constant($0) })))
            }
            request.predicate = conditions.count == 1 ? conditions[0] : .and(conditions)
        }
        let cursor = try context.reader().cursor(try request.checked(in: plan.model))
        while case .values(let rows) = try cursor.next(Self.namesPerQuery), !rows.isEmpty {
            for row in rows {
                guard let found = RowKey.key(in: row, at: 0) else { continue }
                let name = Array(row.dropFirst())
                if name.contains(where: \.isNull) { continue }
                // A query for several names of several parts may find rows of an earlier query.
                Self.add(
                    Entry(key: found, isNew: isNew(found)), name,
                    to: &known[entity.index, default: [:]])
                count += 1
            }
        }
    }
}
