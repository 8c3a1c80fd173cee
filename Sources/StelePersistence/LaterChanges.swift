import SteleModel

/// Where the changes of each object are in the history of a store in memory.
struct LaterChanges {
    /// The number of the save before the first one.
    let start: Int64
    /// By object, the indexes of a save and of a change of it, in order.
    private var places: [ObjectID: [(save: Int, change: Int)]] = [:]

    /// The least key of the objects that were made, by root entity.
    private(set) var leastInserted: [Int: Int64] = [:]

    init(after save: Int64, _ contents: InMemoryContents) {
        start = save
        let entities = contents.model.entities
        for index in contents.history.indices[contents.history.firstPlace { $0.number > save }...] {
            for (place, change) in contents.history[index].changes.enumerated() {
                guard entities.indices.contains(change.entity) else { continue }
                let id = ObjectID(root: entities[change.entity].root, key: change.key)
                places[id, default: []].append((index, place))
                if change.kind == .insert {
                    leastInserted[id.root] = min(leastInserted[id.root] ?? id.key, id.key)
                }
            }
        }
    }

    /// The changes of an object by the saves after one, with the numbers of these.
    func changes(
        of id: ObjectID, after save: Int64, in contents: InMemoryContents
    ) -> [(save: Int64, change: HistoryChange)] {
        (places[id] ?? []).compactMap { place in
            let transaction = contents.history[place.save]
            if transaction.number <= save { return nil }
            return (transaction.number, transaction.changes[place.change])
        }
    }
}
