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
    /// - Parameters:
    ///   - rules: the rules by which related objects are visible. A row looks different if one of
    ///     them becomes visible or hidden.
    ///   - paths: the paths to all related objects that rows show, and to which the rules lead.
    init(
        _ columns: [Expression], including whole: [[Relationship]], _ rules: [ShownRule],
        _ paths: Set<[Int]>, _ model: Model
    ) {
        isOfWholeObjects = !whole.isEmpty
        for column in columns {
            column.visitKeyPaths(alsoOfVariables: true) { names.formUnion(Self.names(in: $0)) }
        }
        for it in rules {
            it.rule.visitKeyPaths(alsoOfVariables: true) { names.formUnion(Self.names(in: $0)) }
        }
        for relationship in paths.joined().map({ model.relationships[$0] }) {
            names.insert(relationship.name)
            guard let inverse = model.inverse(of: relationship) else { continue }
            // An object with a to-one relationship to another is itself reported as changed.
            if relationship.isToMany || !inverse.isToMany { names.insert(inverse.name) }
        }
    }

    /// The names of a path's properties. That of an element of a composite attribute has two keys.
    private static func names(in path: [String]) -> [String] {
        path.indices.flatMap { start in
            (start..<path.count).map { path[start...$0].joined(separator: ".") }
        }
    }

    /// Whether a change of the property can change a row.
    func shows(_ name: String, isToMany: Bool) -> Bool {
        isOfWholeObjects && !isToMany || names.contains(name) || names.contains("_version")
    }
}
