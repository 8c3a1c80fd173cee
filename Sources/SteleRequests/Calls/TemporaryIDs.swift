/// What temporary ids have become.

import SteleGraph
import SteleModel
import StelePersistence

/// What the temporary ids of a family of contexts have become by its saves.
package struct TemporaryIDs: Sendable {
    /// The most that are remembered; the oldest are forgotten.
    package static let limit = 100_000

    private var permanent: [Int64: ObjectID] = [:]

    package init() {}

    /// Remembers what a save has made of new objects' ids.
    package mutating func note(_ keys: PermanentKeys) {
        keys.forEach { id, key in permanent[id.key] = ObjectID(root: id.root, key: key) }
        guard permanent.count > 2 * Self.limit, let newest = permanent.keys.min() else { return }
        permanent = permanent.filter { $0.key < newest + Int64(Self.limit) }
    }

    /// The key that an id of that family of entities has now: the same for one of the store, and for
    /// one that is not saved.
    package func current(_ key: Int64, root: Int) -> Int64 {
        guard key < 0, let id = permanent[key], id.root == root else { return key }
        return id.key
    }
}

extension Route {
    /// The same with permanent ids where temporary ones have become such.
    package func resolving(_ ids: TemporaryIDs, _ model: Model) -> Route {
        func now(_ key: Int64, _ entity: Entity) -> Int64 { ids.current(key, root: entity.root) }
        let found: Resource =
            switch resource {
            case .object(let entity, let key): .object(entity, key: now(key, entity))
            case .related(let entity, let key, let it):
                .related(entity, key: now(key, entity), it)
            case .binary(let entity, let key, let it): .binary(entity, key: now(key, entity), it)
            case .fetched(let entity, let key, let it): .fetched(entity, key: now(key, entity), it)
            case .relatedCount(let entity, let key, let it):
                .relatedCount(entity, key: now(key, entity), it)
            case .member(let entity, let key, let it, let member):
                .member(
                    entity, key: now(key, entity), it,
                    member: now(member, model.destination(of: it)))
            default: resource
            }
        return Route(method: method, resource: found, pattern: pattern, context: context)
    }
}
