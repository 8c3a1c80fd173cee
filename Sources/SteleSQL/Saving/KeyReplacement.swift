import SteleModel
import StelePersistence

/// Replaces the temporary keys of new objects in changes by their permanent keys.
struct KeyReplacement {
    let model: Model
    let permanent: PermanentKeys

    /// Returns a change with permanent keys only.
    /// - Throws: `.invalid` for a link to an object that the request does not insert.
    func replacing(_ change: ObjectChange) throws(StoreError) -> ObjectChange {
        if change.key >= 0, change.toManys.isEmpty, !change.values.contains(where: Self.isTemporary)
        {
            return change
        }
        var change = change
        let entity = model.entities[change.entity]
        if change.key < 0 { change.key = try key(change.key, root: entity.root) }
        // Checked first, because assigning to an element copies the array.
        if change.values.contains(where: Self.isTemporary) {
            for (slot, value) in change.values.enumerated() {
                guard case .key(let key) = value, key < 0,
                    case .relationship(let it) = entity.slots[slot]
                else { continue }
                change.values[slot] = .key(
                    try self.key(key, root: model.destination(of: it).root))
            }
        }
        for index in change.toManys.indices {
            let it = model.relationships[change.toManys[index].relationship]
            let root = model.destination(of: it).root
            try replace(&change.toManys[index].added, root)
            try replace(&change.toManys[index].removed, root)
            if var order = change.toManys[index].order {
                try replace(&order, root)
                change.toManys[index].order = order
            }
        }
        return change
    }

    private static func isTemporary(_ value: Value) -> Bool {
        if case .key(let key) = value { key < 0 } else { false }
    }

    private func replace(_ keys: inout [Int64], _ root: Int) throws(StoreError) {
        guard keys.contains(where: { $0 < 0 }) else { return }
        for index in keys.indices where keys[index] < 0 {
            keys[index] = try key(keys[index], root: root)
        }
    }

    private func key(_ key: Int64, root: Int) throws(StoreError) -> Int64 {
        guard let given = permanent[ObjectID(root: root, key: key)] else {
            throw .invalid("the request links an object that it does not insert")
        }
        return given
    }
}
