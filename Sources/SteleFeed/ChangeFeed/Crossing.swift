import StelePersistence

/// An object that a save makes visible to a role or hides from it, and has neither made nor deleted.
struct Crossing: Sendable {
    let id: ObjectID
    /// The index of the concrete entity.
    let entity: Int
    /// Whether it is visible after the save.
    let isVisible: Bool

    /// In the order of their positions: by key, then by root entity.
    static func sorted(_ crossings: [Crossing]) -> [Crossing] {
        crossings.sorted { ($0.id.key, $0.id.root) < ($1.id.key, $1.id.root) }
    }
}
