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

/// All such objects of a save, in the order of their positions: after its changes, and ascending by
/// key, then by root entity.
struct SaveCrossings: Sendable {
    /// The number of the save.
    let save: Int64
    let all: [Crossing]
    /// The position of the last change.
    private let end: Int64
    private let entityCount: Int64

    /// - Parameter places: those of the save's changes.
    init(_ crossings: [Crossing], of save: Int64, _ places: SavePlaces, _ model: Model) {
        self.save = save
        all = crossings.sorted { ($0.id.key, $0.id.root) < ($1.id.key, $1.id.root) }
        end = places.end
        entityCount = Int64(model.entities.count)
    }

    /// Their memory.
    var bytes: Int { all.count * MemoryLayout<Crossing>.stride }

    /// A position that follows from the key alone.
    func position(of crossing: Crossing) -> Int64 {
        let (first, isBeyond) = crossing.id.key.multipliedReportingOverflow(by: entityCount)
        let (position, isBeyondToo) = first.addingReportingOverflow(
            end + Int64(crossing.id.root) + 1)
        return isBeyond || isBeyondToo ? .max : position
    }

    /// Those after a position.
    func after(_ position: Int64) -> ArraySlice<Crossing> {
        all[all.firstPlace { self.position(of: $0) > position }...]
    }
}
