import SteleModel
import StelePersistence
import StelePredicates

/// The context of the evaluated objects, and the first error of reading during an evaluation.
final class PendingView {
    let context: ManagedObjectContext
    private(set) var error: (any Error)?

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Reads, and keeps an error for `check`, because a predicate's evaluation cannot throw it.
    func read<Result>(_ otherwise: Result, _ body: () throws -> Result) -> Result {
        do { return try body() } catch {
            self.error = self.error ?? error
            return otherwise
        }
    }

    /// Checks the number of objects to evaluate.
    /// - Throws: `ContextError.tooManyObjects` if the count exceeds the context's
    ///   `evaluationLimit`.
    func checkCount(_ count: Int) throws {
        guard let limit = context.evaluationLimit, count > limit else { return }
        throw ContextError.tooManyObjects(limit: limit)
    }

    /// Throws and forgets the kept error.
    /// - Throws: the first error of reading since the last call.
    func check() throws {
        if let error {
            self.error = nil
            throw error
        }
    }
}

/// A managed object with its unsaved changes, for the evaluation of predicates and expressions.
struct PendingObject: EvaluatedObject {
    let view: PendingView
    let object: ManagedObject

    var entityIndex: Int { object.entity.index }
    var key: Int64 { object.objectID.key }
    var version: Int64 { object.version }

    func value(of attribute: Attribute) -> Value {
        let owner = view.context.model.entities[attribute.owner]
        return owner.isKind(object.entity.index) ? object.value(attribute) : .null
    }

    func toOne(_ relationship: Relationship) -> PendingObject? {
        guard has(relationship) else { return nil }
        return view.read(nil) {
            try view.context.relationships.toOne(relationship, of: object)
                .map { PendingObject(view: view, object: $0) }
        }
    }

    func toMany(_ relationship: Relationship) -> [PendingObject] {
        guard has(relationship) else { return [] }
        return view.read([]) {
            try view.context.relationships.members(relationship, of: object)
                .map { PendingObject(view: view, object: $0) }
        }
    }

    private func has(_ relationship: Relationship) -> Bool {
        view.context.model.entities[relationship.owner].isKind(object.entity.index)
    }
}
