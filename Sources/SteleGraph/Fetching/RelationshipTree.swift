import SteleModel

/// Paths of relationships as a tree, in which paths that begin with the same steps share them. To
/// follow all paths backwards, each of its steps is followed once.
struct RelationshipTree: Sendable {
    /// A step across a relationship.
    struct Step: Sendable {
        /// `Relationship.index`.
        let relationship: Int
        /// The index of the step before it; nil for the first step of a path.
        let before: Int?
    }

    /// The steps. Each comes after the step before it.
    private(set) var steps: [Step] = []

    init(_ paths: Set<[Int]>) {
        struct Place: Hashable {
            let before: Int?
            let relationship: Int
        }
        var known: [Place: Int] = [:]
        for path in paths {
            var before: Int?
            for relationship in path {
                let place = Place(before: before, relationship: relationship)
                if let index = known[place] {
                    before = index
                    continue
                }
                known[place] = steps.count
                before = steps.count
                steps.append(Step(relationship: relationship, before: place.before))
            }
        }
    }
}
