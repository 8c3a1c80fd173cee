/// The ids of imported objects: those of the files, or new ones.

import SteleGraph
import SteleModel
import StelePersistence

/// Keeps the ids of records, or maps them to the keys of other objects.
struct ImportIdentities {
    /// A root entity in one of several stores, which give out keys of their own.
    struct Family: Hashable {
        let root: Int
        /// The index of the store in its group; 0 for a store that is not of a group.
        let place: Int
    }

    private let plan: ImportPlan
    /// The stores, if there are several.
    private let group: StoreGroup?
    /// The highest key that a store has given out.
    private var highest: [Family: Int64] = [:]
    /// The keys by root entity and `_id`, where they differ from it: if objects get new ids, and
    /// for records whose object was found by its key.
    private var mapped: [Int: [Int64: Int64]] = [:]
    /// The keys that the store has given to records without `_id`, by root entity, ascending. Such
    /// a key is no `_id` of the files.
    private var given: [Int: [ClosedRange<Int64>]] = [:]

    /// The most keys that are skipped at once to reach the id of a record.
    private static let widestGap: Int64 = 100_000_000

    init(_ plan: ImportPlan, _ store: any PersistentStore) {
        self.plan = plan
        group = store as? StoreGroup
    }

    /// The family of a key. A key that no store gives out is counted to the first store.
    func family(of key: Int64, root: Int) -> Family {
        Family(root: root, place: group?.place(of: ObjectID(root: root, key: key)) ?? 0)
    }

    /// The key in the store of a record's `_id`, which may not exist; nil if it is not known.
    func key(_ id: Int64, root: Int) -> Int64? {
        if let key = mapped[root]?[id] { return key }
        return plan.options.givesNewIDs || isGiven(id, root: root) ? nil : id
    }

    /// Records the key of the object that a record's `_id` names.
    mutating func note(_ id: Int64, root: Int, key: Int64) {
        if plan.options.givesNewIDs || key != id { mapped[root, default: [:]][id] = key }
    }

    /// Records the keys of the new objects of a part of the save whose records have no `_id`. The
    /// store gives them out one after the other, above all others.
    mutating func noteGiven(_ keys: ClosedRange<Int64>, root: Int) {
        highest[family(of: keys.upperBound, root: root)]? = keys.upperBound
        var ranges = given[root] ?? []
        if let last = ranges.last, last.upperBound + 1 == keys.lowerBound {
            ranges[ranges.count - 1] = last.lowerBound...keys.upperBound
        } else {
            ranges.append(keys)
        }
        given[root] = ranges
    }

    /// Whether the store has given a key to a record without `_id`.
    func isGiven(_ key: Int64, root: Int) -> Bool {
        guard let ranges = given[root] else { return false }
        let place = ranges.firstPlace { $0.upperBound >= key }
        return place < ranges.count && ranges[place].contains(key)
    }

    /// Whether an object with this key can be in the store.
    func mayExist(_ key: Int64, root: Int) -> Bool {
        key <= highest[family(of: key, root: root)] ?? .max
    }

    /// Makes the store give out all keys up to one, so that objects can have them.
    /// - Throws: `ImportError` for a key that is too far away.
    mutating func reserve(upTo key: Int64, root: Int, _ save: any PartedSave) throws {
        // The first key tells which the store has given out before.
        let family = family(of: key, root: root)
        let last = try highest[family] ?? firstKey(of: family, save)
        highest[family] = last
        guard key > last else { return }
        guard key - last <= Self.widestGap else {
            throw ImportError(
                "the _id \(key) is far beyond those of the store: --new-ids gives the objects of "
                    + "the files new ids")
        }
        var request = SaveRequest(readToken: 0)
        request.reservations = [ObjectID(root: root, key: key)]
        _ = try save.save(request)
        highest[family] = key
    }

    /// Makes the store give out a key.
    private func firstKey(of family: Family, _ save: any PartedSave) throws -> Int64 {
        var request = SaveRequest(readToken: 0)
        request.reservations = [ObjectID(root: family.root, key: -1)]
        if group != nil { request.assignedStores = [request.reservations[0]: family.place] }
        guard let key = try save.save(request).permanentKeys[request.reservations[0]] else {
            throw StoreError.failed("the store gives out no keys")
        }
        return key
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
