import SteleModel
import StelePersistence

/// The ids of a file's objects. Keys are unique in a family of entities and ids in the whole file,
/// so the families take turns: with three families the keys 1, 2, … of the second are the ids
/// 2, 5, ….
struct XMLIdentifiers {
    /// The key of the metadata for the next key of each family, by the name of its root entity. A
    /// file that Core Data wrote has none; its ids are keys.
    static let metadataKey = "SteleNextKeys"

    /// The metadata key for the root entities of the families in their order, because a change to
    /// entities of other stores changes no version hash of this one. Files of earlier versions have
    /// none; their families are those of the whole model.
    static let familiesKey = "SteleFamilies"

    /// The names of the root entities of the families, in their order.
    let families: [String]
    /// The place of each family by its root entity.
    private let places: [Int: Int64]
    /// Whether the ids are those of Stele.
    var isOwn = true

    /// The ids of a new file: its families are those that the store has.
    init(_ model: Model) {
        let roots = model.storedEntities.filter { $0.parent == nil }
        self.init(families: roots.map(\.name).sorted(), model)
    }

    /// The ids of a file.
    /// - Parameter families: the names of the root entities; nil for a file without them.
    init(families: [String]?, _ model: Model) {
        self.families =
            families ?? model.whole.entities.filter { $0.parent == nil }.map(\.name).sorted()
        var places: [Int: Int64] = [:]
        for (place, name) in self.families.enumerated() {
            if let own = model.entity(named: name) { places[own.index] = Int64(place) + 1 }
        }
        self.places = places
    }

    private var count: Int64 { Int64(families.count) }

    /// Returns an object's id.
    /// - Throws: `StoreError.noKeys` for a key that is too large.
    func id(_ key: Int64, root: Int) throws(StoreError) -> Int64 {
        let (start, overflows) = (key - 1).multipliedReportingOverflow(by: count)
        let (id, isTooLarge) = start.addingReportingOverflow(places[root] ?? 0)
        if overflows || isTooLarge {
            throw .noKeys(
                "the key \(key) is too large for XML: stele export, and stele import with --new-ids "
                    + "into a new store, give new keys")
        }
        return id
    }

    /// Returns an object's key; nil for an id that no object of the family has.
    func key(_ id: Int64, root: Int) -> Int64? {
        if !isOwn { return id > 0 ? id : nil }
        guard let place = places[root], id > 0, (id - place) % count == 0 else { return nil }
        return (id - place) / count + 1
    }
}
