/// Ids of objects that are not saved yet: t1, t2, …, in the editing context that has made them.

import SteleJSON
import SteleModel
import StelePersistence

/// How ids are written: those of the store as numbers, temporary ones with a t before the number.
enum TemporaryID {
    /// The key that a text such as `t1` names; nil for every other text.
    static func key(_ text: some StringProtocol) -> Int64? {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "t"), let first = digits.first, first != 0x30,
            digits.count < 19, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(String(decoding: digits, as: UTF8.self))
        else { return nil }
        return -number
    }

    /// A key as clients know it.
    static func text(_ key: Int64) -> String { key < 0 ? "t\(key.magnitude)" : String(key) }
}

/// What the temporary ids of a family of contexts have become by its saves.
struct TemporaryIDs: Sendable {
    /// The most that are remembered; the oldest are forgotten.
    static let limit = 100_000

    private var permanent: [Int64: ObjectID] = [:]

    /// Remembers what a save has made of new objects' ids.
    mutating func note(_ keys: PermanentKeys) {
        keys.forEach { id, key in permanent[id.key] = ObjectID(root: id.root, key: key) }
        guard permanent.count > 2 * Self.limit, let newest = permanent.keys.min() else { return }
        permanent = permanent.filter { $0.key < newest + Int64(Self.limit) }
    }

    /// The key that an id of that family of entities has now: the same for one of the store, and for
    /// one that is not saved.
    func current(_ key: Int64, root: Int) -> Int64 {
        guard key < 0, let id = permanent[key], id.root == root else { return key }
        return id.key
    }
}

extension ByteWriter {
    /// Appends an id: a number, or of an object that is not saved yet its temporary id as text.
    mutating func key(_ key: Int64) {
        if key >= 0 { return integer(key) }
        byte(UInt8(ascii: "\""))
        self.key(unquoted: key)
        byte(UInt8(ascii: "\""))
    }

    /// The same as it stands in addresses and in CSV.
    mutating func key(unquoted key: Int64) {
        if key < 0 { byte(UInt8(ascii: "t")) }
        integer(key < 0 ? 0 &- key : key)
    }
}

extension Route {
    /// The same with permanent ids where temporary ones have become such.
    func resolving(_ ids: TemporaryIDs, _ model: Model) -> Route {
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
