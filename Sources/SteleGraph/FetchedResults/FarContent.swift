/// What rows show of objects on the far side of relationships.

import SteleModel
import StelePredicates

/// The properties of other objects of which a row shows something, by name: one name for all
/// entities, so rather too many than too few.
///
/// What else is changed of them costs nothing: a save that moves one player leaves alone the rows
/// of all others of the team, whose list of players it changes.
struct FarContent: Sendable {
    private var names: Set<String> = []
    /// Whether objects are given whole: all that has a slot, and no to-many that no path leads
    /// over.
    private let isOfWholeObjects: Bool

    /// - Parameter paths: all that rows show of other objects is at an end of these.
    init(
        _ columns: [Expression], including whole: [[Relationship]], _ paths: Set<[Int]>,
        _ model: Model
    ) {
        isOfWholeObjects = !whole.isEmpty
        for column in columns {
            column.visitKeyPaths(alsoOfVariables: true) { path in
                for start in path.indices {
                    for end in start..<path.count {
                        names.insert(path[start...end].joined(separator: "."))
                    }
                }
            }
        }
        for relationship in paths.joined().map({ model.relationships[$0] }) {
            names.insert(relationship.name)
            guard let inverse = model.inverse(of: relationship) else { continue }
            // An object that leads to another by a to-one is reported as changed itself.
            if relationship.isToMany || !inverse.isToMany { names.insert(inverse.name) }
        }
    }

    /// Whether a changed property of such an object can show.
    func shows(_ name: String, isToMany: Bool) -> Bool {
        isOfWholeObjects && !isToMany || names.contains(name) || names.contains("_version")
    }
}
