/// From the values that name objects to their keys in the store.

import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates

/// Finds names in the store, many with one query, and keeps some of them.
struct KeyDirectory {
    private let plan: ImportPlan
    /// The keys by destination entity and name; nil for a name that several objects have.
    private var known: [Int: [Value: Int64?]] = [:]
    private var count = 0

    private static let mostKept = 500_000
    private static let namesPerQuery = 2_000

    init(_ plan: ImportPlan) { self.plan = plan }

    /// The key of the object with a name; nil if it is not known.
    /// - Throws: `ImportError` if several objects have the name.
    func key(_ name: Value, of entity: Entity) throws -> Int64? {
        guard let found = known[entity.index]?[name] else { return nil }
        guard let key = found else { throw Self.ambiguous(name, entity) }
        return key
    }

    static func ambiguous(_ name: Value, _ entity: Entity) -> ImportError {
        ImportError("more than one \(entity.name) is named \(shown(name))")
    }

    /// Records the name of a new object. A name that another object has becomes ambiguous.
    mutating func note(_ name: Value, of entity: Int) {
        if known[entity]?[name] != nil { known[entity]?[name] = .some(nil) }
    }

    /// Looks up the names that are not known yet.
    mutating func load(_ names: [Int: Set<Value>], _ context: ManagedObjectContext) throws {
        if count > Self.mostKept {
            known = [:]
            count = 0
        }
        for (index, all) in names {
            let entity = plan.model.entities[index]
            guard let attribute = plan.key(of: entity) else { continue }
            let missing = all.filter { known[index]?[$0] == nil }
            var rest = Array(missing)[...]
            while !rest.isEmpty {
                try load(Array(rest.prefix(Self.namesPerQuery)), attribute, of: entity, context)
                rest = rest.dropFirst(Self.namesPerQuery)
            }
        }
    }

    private mutating func load(
        _ names: [Value], _ attribute: Attribute, of entity: Entity,
        _ context: ManagedObjectContext
    ) throws {
        var request = FetchRequest(entity: entity)
        request.predicate = .comparison(
            Comparison(
                .key(attribute.name), .in,
                .aggregate(names.map { .constant($0) })))
        request.isChecked = true
        for snapshot in try context.snapshots(request) {
            guard snapshot.values.indices.contains(attribute.slot) else { continue }
            let name = snapshot.values[attribute.slot]
            let isTwice = known[entity.index]?[name] != nil
            known[entity.index, default: [:]][name] = .some(isTwice ? nil : snapshot.key)
            count += 1
        }
    }

    static func shown(_ name: Value) -> String {
        switch name {
        case .string(let text): "\"\(text)\""
        case .int(let number), .key(let number): "\(number)"
        case .double(let number), .date(let number): "\(number)"
        case .decimal(let number): "\(number)"
        case .uuid(let uuid): "\(uuid)"
        case .bool(let truth): "\(truth)"
        case .null: "null"
        case .data, .external: "those bytes"
        }
    }
}
