/// From the values that name objects to their keys in the store.

import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

/// Finds names in the store, many with one query, and keeps some of them.
struct KeyDirectory {
    /// An object that has a name.
    struct Entry {
        /// Nil if several objects have the name.
        var key: Int64?
        /// Whether this import has inserted the object.
        var isNew: Bool
    }

    private let plan: ImportPlan
    /// The objects by destination entity and name.
    private var known: [Int: [[Value]: Entry]] = [:]
    /// The entities whose names are all known, because no index finds them one by one.
    private var whole: Set<Int> = []
    private var count = 0

    private static let mostKept = 500_000
    private static let namesPerQuery = 2_000

    init(_ plan: ImportPlan) { self.plan = plan }

    /// The object with a name; nil if it is not known.
    func entry(_ name: [Value], of entity: Entity) -> Entry? { known[entity.index]?[name] }

    /// The key of the object with a name; nil if it is not known.
    /// - Throws: `ImportError` if several objects have the name.
    func key(_ name: [Value], of entity: Entity) throws -> Int64? {
        guard let found = known[entity.index]?[name] else { return nil }
        guard let key = found.key else { throw ambiguous(name, entity) }
        return key
    }

    func ambiguous(_ name: [Value], _ entity: Entity) -> ImportError {
        let shown = name.map(ImportKey.shown).joined(separator: ", ")
        return ImportError("more than one \(entity.name) is named \(shown)")
    }

    /// Whether names of objects of an entity are known, so that those of new objects are noted.
    func hasNames(of entity: Int) -> Bool { known[entity] != nil || whole.contains(entity) }

    /// Records the name of a new object. A name that another object has becomes ambiguous.
    mutating func note(_ name: [Value], of entity: Int, key: Int64) {
        if known[entity]?[name] != nil {
            known[entity]?[name]?.key = nil
        } else if whole.contains(entity) {
            known[entity, default: [:]][name] = Entry(key: key, isNew: true)
        }
    }

    /// Looks up the names that are not known yet.
    mutating func load(_ names: [Int: Set<[Value]>], _ context: ManagedObjectContext) throws {
        if count > Self.mostKept {
            for entity in known.keys where !whole.contains(entity) { known[entity] = nil }
            count = 0
        }
        for (index, all) in names where !whole.contains(index) {
            let entity = plan.model.entities[index]
            guard let key = plan.key(of: entity) else { continue }
            guard plan.isIndexed(entity) else {
                whole.insert(index)
                try load(nil, key, of: entity, context)
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

    /// - Parameter names: nil for the names of all objects.
    private mutating func load(
        _ names: [[Value]]?, _ key: ImportKey, of entity: Entity, _ context: ManagedObjectContext
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
                let old = known[entity.index]?[name]
                let isTwice = old.map { $0.key != found } ?? false
                known[entity.index, default: [:]][name] = Entry(
                    key: isTwice ? nil : found, isNew: old?.isNew ?? false)
                count += 1
            }
        }
    }
}
