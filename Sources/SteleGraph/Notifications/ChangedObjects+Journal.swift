import SteleModel
import StelePersistence

extension ChangedObjects {
    /// The objects changed by the entries of a journal, without duplicates.
    init(_ entries: some Sequence<JournalEntry>, in loader: ObjectLoader) {
        var seen: Set<ObjectIdentifier> = []
        var new: Set<ObjectIdentifier> = []
        var (all, made, gone): ([ManagedObject], [ManagedObject], [ManagedObject]) = ([], [], [])
        func add(_ object: ManagedObject?) {
            if let object, seen.insert(ObjectIdentifier(object)).inserted { all.append(object) }
        }
        for entry in entries {
            switch entry {
            case .inserted(let object), .restored(let object):
                add(object)
                if new.insert(ObjectIdentifier(object)).inserted { made.append(object) }
            case .deleted(let object):
                add(object)
                gone.append(object)
            default: for object in entry.objects(in: loader) { add(object) }
            }
        }
        inserted = made.filter { !$0.isDeleted }
        deleted = gone.filter { $0.isDeleted && !new.contains(ObjectIdentifier($0)) }
        updated = all.filter { !$0.isDeleted && !new.contains(ObjectIdentifier($0)) }
    }
}

extension JournalEntry {
    /// The registered objects that the entry concerns; for a link, both sides.
    fileprivate func objects(in loader: ObjectLoader) -> [ManagedObject] {
        switch self {
        case .inserted(let object), .restored(let object), .deleted(let object): return [object]
        case .slot(let object, let slot, let old):
            guard case .relationship(let relationship) = object.entity.slots[slot] else {
                return [object]
            }
            var found = [object]
            for case .key(let key) in [old, object.value(slot)] {
                if let other = loader.known(relationship, key) { found.append(other) }
            }
            return found
        case .cut(_, let relationship, let key):
            return loader.known(relationship, key).map { [$0] } ?? []
        case .member(let relationship, let owner, let member, _):
            let place = ToManyID(relationship, owner)
            return [
                loader.registry[loader.model.ownerID(place)], loader.known(relationship, member),
            ]
            .compactMap { $0 }
        case .position(let relationship, let owner, _, _), .order(let relationship, let owner, _):
            let place = ToManyID(relationship, owner)
            return loader.registry[loader.model.ownerID(place)].map { [$0] } ?? []
        }
    }
}
