import SteleModel
import StelePersistence
import StelePredicates

/// Evaluates whether an object is a row, and its sort values, from its own values alone. It is used
/// for queries whose rows do not depend on other objects.
struct RowJudge {
    private let query: ResultsQuery
    private let predicate: PredicateEvaluator<LoneObject>?
    private let keys: [ExpressionEvaluator<LoneObject>]

    /// Creates the evaluators of a query.
    /// - Parameter limits: the limits of MATCHES; nil for the standard ones.
    /// - Throws: `PredicateError` if the request was not checked.
    init(_ query: ResultsQuery, matching limits: MatchLimits? = nil) throws(PredicateError) {
        self.query = query
        let (request, model) = (query.request, query.model)
        predicate = try request.predicate.map { condition throws(PredicateError) in
            try PredicateEvaluator(condition, entity: request.entity, model: model)
        }
        var keys: [ExpressionEvaluator<LoneObject>] = []
        for key in request.sortDescriptors {
            keys.append(
                try ExpressionEvaluator(key.expression, entity: request.entity, model: model))
        }
        self.keys = keys
        guard let limits else { return }
        predicate?.beginMatching(limits)
        for key in keys { key.beginMatching(limits) }
    }

    /// The object's row, or nil if the object does not match.
    /// - Throws: `PredicateError` if the predicate fails on the object.
    func row(of snapshot: Snapshot) throws(PredicateError) -> ResultRow? {
        let object = LoneObject(snapshot: snapshot, model: query.model)
        if let predicate, try !predicate.evaluate(object) { return nil }
        var position: [Value] = []
        for key in keys { position.append(try key.evaluate(object).value) }
        return ResultRow(key: snapshot.key, position: position)
    }
}

/// An object without related objects. Only the key of a to-one relationship's destination is known.
private struct LoneObject: EvaluatedObject {
    let entityIndex: Int
    let key: Int64
    let version: Int64
    private let values: [Value]
    private let model: Model

    init(snapshot: Snapshot, model: Model) {
        entityIndex = snapshot.entity
        key = snapshot.key
        version = snapshot.version
        values = snapshot.values
        self.model = model
    }

    private init(entity: Int, key: Int64, model: Model) {
        entityIndex = entity
        self.key = key
        version = 0
        values = []
        self.model = model
    }

    func value(of attribute: Attribute) -> Value {
        value(attribute.owner, attribute.slot)
    }

    func toOne(_ relationship: Relationship) -> LoneObject? {
        guard case .key(let key) = value(relationship.owner, relationship.slot) else { return nil }
        return LoneObject(entity: relationship.destination, key: key, model: model)
    }

    func toMany(_ relationship: Relationship) -> [LoneObject] { [] }

    private func value(_ owner: Int, _ slot: Int) -> Value {
        guard model.entities[owner].isKind(entityIndex), values.indices.contains(slot) else {
            return .null
        }
        return values[slot]
    }
}
