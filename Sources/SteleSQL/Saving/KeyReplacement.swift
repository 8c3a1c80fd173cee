/// New objects' keys, put wherever a change names them by their negative ones.

import SteleModel
import StelePersistence

/// Puts permanent keys in the place of temporary ones.
struct KeyReplacement {
    let model: Model
    let permanent: [ObjectID: Int64]

    /// The change with permanent keys throughout.
    func replacing(_ change: ObjectChange) -> ObjectChange {
        var change = change
        let entity = model.entities[change.entity]
        change.key = key(change.key, root: entity.root)
        for (slot, value) in change.values.enumerated() {
            guard case .key(let key) = value, key < 0,
                case .relationship(let it) = entity.slots[slot]
            else { continue }
            change.values[slot] = .key(self.key(key, root: model.destination(of: it).root))
        }
        for index in change.toManys.indices {
            let it = model.relationships[change.toManys[index].relationship]
            let root = model.destination(of: it).root
            change.toManys[index].added = change.toManys[index].added.map { key($0, root: root) }
            change.toManys[index].removed = change.toManys[index].removed.map { key($0, root: root) }
            change.toManys[index].order = change.toManys[index].order?.map { key($0, root: root) }
        }
        return change
    }

    private func key(_ key: Int64, root: Int) -> Int64 {
        key < 0 ? permanent[ObjectID(root: root, key: key)] ?? key : key
    }
}
