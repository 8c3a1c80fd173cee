/// What a reader may see: woven into every plan at one place.

import SteleModel
import StelePredicates

/// The rights of who asks. There are none yet, so all is visible.
struct Visibility: Sendable {
    /// Everything, for everyone.
    static let everything = Visibility()

    /// What a predicate on an entity becomes under these rights; nil is all objects.
    func restrict(_ predicate: Predicate?, of entity: Entity) -> Predicate? { predicate }

    /// Who this is, for entity tags: two readers never share an answer by mistake.
    var name: String { "" }
}
