import SteleModel
import StelePersistence

/// An object that a save makes visible to a role or hides from it, and has neither made nor deleted.
struct Crossing: Sendable {
    let id: ObjectID
    /// The index of the concrete entity.
    let entity: Int
    /// Whether it is visible after the save.
    let isVisible: Bool
}

/// The order of such objects of a save: after its changes, ascending by key, then by root entity.
struct CrossingOrder {
    /// The position of the save's last change.
    private let end: Int64
    private let entityCount: Int64

    init(after places: SavePlaces, _ model: Model) {
        end = places.end
        entityCount = Int64(model.entities.count)
    }

    /// A position that follows from the identity alone.
    func position(of id: ObjectID) -> Int64 {
        let (first, isBeyond) = id.key.multipliedReportingOverflow(by: entityCount)
        let (position, isBeyondToo) = first.addingReportingOverflow(end + Int64(id.root) + 1)
        return isBeyond || isBeyondToo ? .max : position
    }

    /// Whether an object is after a position.
    func isAfter(_ position: Int64, _ id: ObjectID) -> Bool { self.position(of: id) > position }

    static func isAscending(_ one: ObjectID, _ other: ObjectID) -> Bool {
        (one.key, one.root) < (other.key, other.root)
    }
}
