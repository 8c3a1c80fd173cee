/// The ids of imported objects: those of the files, or new ones.

import SteleGraph
import SteleModel
import StelePersistence

/// Keeps the ids of records, or maps them to new ones.
struct ImportIdentities {
    private let plan: ImportPlan
    /// The highest key that the store has given out, by root entity.
    private var highest: [Int: Int64] = [:]
    /// The new keys by root entity and `_id`, if objects get new ones.
    private var mapped: [Int: [Int64: Int64]] = [:]

    /// The most keys that are skipped at once to reach the id of a record.
    private static let widestGap: Int64 = 100_000_000
    private static let keysPerRequest: Int64 = 10_000

    init(_ plan: ImportPlan) { self.plan = plan }

    /// The key in the store of a record's `_id`, which may not exist; nil if it is not known.
    func key(_ id: Int64, root: Int) -> Int64? {
        plan.options.givesNewIDs ? mapped[root]?[id] : id
    }

    mutating func note(_ id: Int64, root: Int, key: Int64) {
        if plan.options.givesNewIDs { mapped[root, default: [:]][id] = key }
    }

    /// Whether an object with this key can be in the store.
    func mayExist(_ key: Int64, root: Int) -> Bool { key <= highest[root] ?? .max }

    /// Makes the store give out all keys up to one, so that objects can have them.
    /// - Throws: `ImportError` for a key that is too far away.
    mutating func reserve(upTo key: Int64, root: Int, _ save: any PartedSave) throws {
        // The first key tells which the store has given out before.
        var last = try highest[root] ?? reserve(1, root: root, save)
        highest[root] = last
        guard key > last else { return }
        guard key - last <= Self.widestGap else {
            throw ImportError(
                "the _id \(key) is far beyond those of the store: --new-ids gives the objects of "
                    + "the files new ids")
        }
        while last < key {
            last = try reserve(min(key - last, Self.keysPerRequest), root: root, save)
        }
        highest[root] = last
    }

    /// Makes the store give out some keys.
    /// - Returns: the last one.
    private func reserve(_ count: Int64, root: Int, _ save: any PartedSave) throws -> Int64 {
        var request = SaveRequest(readToken: 0)
        request.reservations = (1...count).map { ObjectID(root: root, key: -$0) }
        guard let last = try save.save(request).permanentKeys[request.reservations[Int(count) - 1]]
        else { throw StoreError.failed("the store gives out no keys") }
        return last
    }
}

extension SaveRequest {
    /// Gives new objects the keys of their records.
    mutating func keep(_ keys: [ObjectID: Int64], in model: Model) {
        if keys.isEmpty { return }
        func replace(_ key: inout Int64, _ root: Int) {
            if key < 0, let kept = keys[ObjectID(root: root, key: key)] { key = kept }
        }
        for index in changes.indices {
            let entity = model.entities[changes[index].entity]
            replace(&changes[index].key, entity.root)
            for (slot, property) in entity.slots.enumerated() {
                guard case .relationship(let it) = property,
                    changes[index].values.indices.contains(slot),
                    case .key(var key) = changes[index].values[slot], key < 0
                else { continue }
                replace(&key, model.destination(of: it).root)
                changes[index].values[slot] = .key(key)
            }
            for place in changes[index].toManys.indices {
                let it = model.relationships[changes[index].toManys[place].relationship]
                let root = model.destination(of: it).root
                func replaceAll(_ keys: inout [Int64]) {
                    for index in keys.indices { replace(&keys[index], root) }
                }
                replaceAll(&changes[index].toManys[place].added)
                if var order = changes[index].toManys[place].order {
                    replaceAll(&order)
                    changes[index].toManys[place].order = order
                }
            }
        }
    }
}
