/// Where the changes of a large save are, by object.

import SteleModel
import StelePersistence

/// The positions of a save's changes by object, and little else of them: 24 bytes for each change. A
/// save may change an object several times: an import does so once for each of its parts.
final class SavePlaces: Sendable {
    private struct Place {
        let root: Int32
        let isInsert: Bool
        let key: Int64
        let position: Int64
    }

    /// Ascending by root entity, key and position.
    private let places: [Place]
    /// The position of the last change.
    let end: Int64

    /// - Parameter next: the next changes of the save; nil at its end.
    /// - Throws: as the closure.
    init(
        _ model: Model, _ next: () throws(StoreError) -> [HistoryChange]?
    ) throws(StoreError) {
        var places: [Place] = []
        var end: Int64 = 0
        while let changes = try next() {
            for change in changes {
                // One that was not read from a history has no position.
                end = max(end + 1, change.position)
                guard model.entities.indices.contains(change.entity) else { continue }
                let root = Int32(model.entities[change.entity].root)
                places.append(
                    Place(
                        root: root, isInsert: change.kind == .insert, key: change.key,
                        position: end))
            }
        }
        places.sort { ($0.root, $0.key, $0.position) < ($1.root, $1.key, $1.position) }
        self.places = places
        self.end = end
    }

    /// Their memory.
    var bytes: Int { places.count * MemoryLayout<Place>.stride }

    /// The next objects of a family that the save has changed or deleted, and not made.
    /// - Parameter isAfter: whether an object comes after those that are known; it holds for all after
    ///   one for which it does.
    func former(
        root: Int, atMost most: Int, _ isAfter: (ObjectID) -> Bool
    ) -> [ObjectID] {
        var found: [ObjectID] = []
        var index = places.firstPlace { place in
            place.root > root
                || place.root == root && isAfter(ObjectID(root: root, key: place.key))
        }
        while index < places.count, places[index].root == root, found.count < most {
            let first = index
            while index < places.count, places[index].root == root,
                places[index].key == places[first].key
            {
                index += 1
            }
            if !places[first].isInsert {
                found.append(ObjectID(root: root, key: places[first].key))
            }
        }
        return found
    }

    /// The positions of an object's changes, ascending; empty for one that the save has not changed.
    func positions(of root: Int, _ key: Int64) -> [Int64] {
        let first = places.firstPlace { ($0.root, $0.key) >= (Int32(root), key) }
        var end = first
        while end < places.count, places[end].root == root, places[end].key == key { end += 1 }
        return places[first..<end].map(\.position)
    }
}
