import SteleModel
import StelePredicates

/// The names of the properties of related objects that a row shows. The names are not separated by
/// entity, so a row may be reported as updated unnecessarily.
///
/// Changes of other properties do not update a row. A save that moves one player changes the team's
/// list of players, but it does not update the rows of the other players of the team.
struct FarContent: Sendable {
    private var names: Set<String> = []
    /// Whether related objects are shown as a whole: all slots, and the to-many relationships on a
    /// path.
    private let isOfWholeObjects: Bool

    /// Collects the names.
    /// - Parameter paths: the paths to all related objects that rows show.
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
            // An object with a to-one relationship to another is itself reported as changed.
            if relationship.isToMany || !inverse.isToMany { names.insert(inverse.name) }
        }
    }

    /// Whether a change of the property can change a row.
    func shows(_ name: String, isToMany: Bool) -> Bool {
        isOfWholeObjects && !isToMany || names.contains(name) || names.contains("_version")
    }
}
