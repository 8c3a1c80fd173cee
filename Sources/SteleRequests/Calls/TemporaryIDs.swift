/// The permanent ids of objects that had temporary ones.

import SteleGraph
import SteleModel
import StelePersistence

/// The permanent ids that saves have given to the objects of a family of contexts.
package struct TemporaryIDs: Sendable {
    /// The maximum number kept; the oldest are dropped.
    static let limit = 100_000

    private var permanent: [Int64: ObjectID] = [:]
    /// The number of saves that have given permanent ids.
    package private(set) var version = 0

    package init() {}

    /// Records the permanent ids of a save.
    package mutating func note(_ keys: PermanentKeys) {
        let before = permanent.count
        keys.forEach { id, key in permanent[id.key] = ObjectID(root: id.root, key: key) }
        if permanent.count != before { version += 1 }
        guard permanent.count > 2 * Self.limit, let newest = permanent.keys.min() else { return }
        permanent = permanent.filter { $0.key < newest + Int64(Self.limit) }
    }

    /// The key of a temporary id as text, such as `t1`, or the permanent key that a save has given
    /// its object; nil for any other text.
    func key(_ text: String, root: Int) -> Int64? {
        TemporaryID.key(text).map { current($0, root: root) }
    }

    /// The permanent key of a saved object with a temporary one; any other key is unchanged.
    package func current(_ key: Int64, root: Int) -> Int64 {
        guard key < 0, let id = permanent[key], id.root == root else { return key }
        return id.key
    }
}

extension Route {
    /// The same route with permanent ids where temporary ids have become such.
    package func resolving(_ ids: TemporaryIDs, _ model: Model) -> Route {
        func now(_ it: ObjectAddress) -> ObjectAddress {
            ObjectAddress(it.entity, key: ids.current(it.key, root: it.entity.root))
        }
        let found: Resource =
            switch resource {
            case .object(let object): .object(now(object))
            case .related(let owner, let it): .related(now(owner), it)
            case .binary(let owner, let it): .binary(now(owner), it)
            case .fetched(let owner, let it): .fetched(now(owner), it)
            case .relatedCount(let owner, let it): .relatedCount(now(owner), it)
            case .member(let owner, let it, let key):
                .member(
                    now(owner), it, key: ids.current(key, root: model.destination(of: it).root))
            default: resource
            }
        return Route(method: method, resource: found, pattern: pattern, context: context)
    }
}
