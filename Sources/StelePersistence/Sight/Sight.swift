import SteleModel
import StelePredicates

/// What a reader may see of a store: all objects of some entities, and of others those that match
/// a predicate. What it may not see does not exist for it: no fetch returns it, no count has it, and
/// a relationship that leads to it leads to nothing.
public final class Sight: Sendable {
    /// A name that is equal for equal sights only: it tells apart what is kept for several readers.
    public let name: String
    /// The model of the store.
    public let model: Model
    /// By the index of each entity, the condition for its objects and those of its subentities; nil
    /// where all are seen.
    private let rules: [Predicate?]
    /// By the index of each entity, the to-one relationships that may lead to what is not seen.
    private let guarded: [[(slot: Int, root: Int)]]
    /// Whether the evaluation of a rule may end with an error, such as a MATCHES whose pattern is a
    /// value.
    package let mayFail: Bool

    /// - Parameters:
    ///   - name: equal for equal sights only.
    ///   - model: the model of the store.
    ///   - rules: by the index of each entity, the condition for its objects and those of its
    ///     subentities, in the form that `PredicateCheck` returns for the entity; nil for all
    ///     objects.
    public init(name: String, model: Model, rules: [Predicate?]) {
        self.name = name
        self.model = model
        self.rules = rules
        mayFail = rules.contains { $0?.mayFail == true }
        guarded = model.entities.map { entity in
            entity.slots.enumerated().compactMap { slot, property in
                guard case .relationship(let it) = property,
                    rules[it.destination] != nil
                else { return nil }
                return (slot, model.entities[it.destination].root)
            }
        }
    }

    /// The condition for the objects of an entity and its subentities; nil where all are seen.
    public func rule(of entity: Entity) -> Predicate? { rules[entity.index] }

    /// Whether the objects of some entity are seen or not by what they and others are like.
    public var dependsOnObjects: Bool {
        rules.contains { rule in
            switch rule {
            case nil, .constant: false
            default: true
            }
        }
    }

    /// Returns a checked fetch of what is seen.
    public func woven(_ request: FetchRequest) -> FetchRequest {
        var weaver = SightWeaver(self)
        return weaver.woven(request)
    }

    /// Returns a checked expression, in which relationships lead to what is seen.
    public func woven(_ expression: Expression, of entity: Entity) -> Expression {
        var weaver = SightWeaver(self)
        return weaver.woven(expression, of: entity)
    }

    /// Returns the keys of a family's objects that are seen, among those that exist.
    /// - Parameters:
    ///   - keys: the keys of existing objects of the family.
    ///   - root: the index of the root entity.
    ///   - reader: the whole view of the store.
    /// - Throws: `StoreError`, as `StoreReader.fetchRows`, where there is a condition.
    public func seen(
        _ keys: some Collection<Int64>, root: Int, in reader: some StoreReader
    ) throws(StoreError) -> Set<Int64> {
        guard let rule = rules[root] else { return Set(keys) }
        return try Self.keys(keys, of: model.entities[root], matching: rule, in: reader)
    }

    /// Returns the keys of an entity's stored objects that match a checked predicate, among some.
    /// - Throws: `StoreError`, as `StoreReader.fetchRows`.
    public static func keys(
        _ keys: some Collection<Int64>, of entity: Entity, matching rule: Predicate,
        in reader: some StoreReader
    ) throws(StoreError) -> Set<Int64> {
        if keys.isEmpty { return [] }
        var request = FetchRequest(entity: entity)
        request.predicate = .and([.isOne(of: keys), rule])
        request.propertiesToFetch = [ExpressionDescription(name: "_id", expression: .key("_id"))]
        request.isChecked = true
        var found = Set<Int64>()
        for row in try reader.fetchRows(request) {
            switch row.first {
            case .int(let key), .key(let key): found.insert(key)
            default: break
            }
        }
        return found
    }

    /// Returns objects as they are seen: a to-one relationship that leads to what is not seen is
    /// null. The objects themselves are seen.
    /// - Throws: as `seen`.
    public func veiled(
        _ snapshots: [Snapshot], in reader: some StoreReader
    ) throws(StoreError) -> [Snapshot] {
        var wanted: [Int: Set<Int64>] = [:]
        for it in snapshots {
            for (slot, root) in guarded[it.entity] where it.values.indices.contains(slot) {
                if case .key(let key) = it.values[slot] { wanted[root, default: []].insert(key) }
            }
        }
        if wanted.isEmpty { return snapshots }
        var seen: [Int: Set<Int64>] = [:]
        for (root, keys) in wanted { seen[root] = try self.seen(keys, root: root, in: reader) }
        return snapshots.map { snapshot in
            var veiled = snapshot
            for (slot, root) in guarded[snapshot.entity]
            where snapshot.values.indices.contains(slot) {
                guard case .key(let key) = snapshot.values[slot], seen[root]?.contains(key) != true
                else { continue }
                veiled.values[slot] = .null
            }
            return veiled
        }
    }
}

/// Sights of one service with equal names are equal.
extension Sight: Hashable {
    public static func == (one: Sight, other: Sight) -> Bool { one.name == other.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
