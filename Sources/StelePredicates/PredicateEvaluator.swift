/// The reference meaning of predicates: what they say of objects in memory.

import SteleModel
import SteleSystem

/// Evaluates one checked predicate on many objects (`NSPredicate.evaluate(with:)`).
///
/// Two-valued: null equals null, and no other comparison with null holds but `!=`.
public struct PredicateEvaluator<Object: EvaluatedObject> {
    private let predicate: BoundPredicate
    private let evaluation: Evaluation<Object>

    /// - Parameters:
    ///   - predicate: as `PredicateCheck` gave it.
    ///   - entity: the entity whose objects it will see.
    ///   - now: what `now()` is, in seconds since 2001-01-01T00:00:00Z; nil is the time of this
    ///     call. It is the same for every object.
    /// - Throws: `PredicateError` where the predicate was not checked and does not fit.
    public init(
        _ predicate: Predicate, entity: Entity, model: Model, now: Double? = nil
    ) throws(PredicateError) {
        self.predicate = try Binder(model: model, entity: entity).bind(predicate)
        evaluation = Evaluation(model: model, now: now ?? ReferenceDate.now)
    }

    /// The same for a fetched property's predicate, with `$FETCH_SOURCE` of that entity's index.
    ///
    /// - Throws: `PredicateError` where the predicate was not checked and does not fit.
    public init(
        _ predicate: Predicate, entity: Entity, source: Int, model: Model, now: Double? = nil
    ) throws(PredicateError) {
        self.predicate = try Binder(model: model, entity: entity).bind(
            predicate, [(FetchSource.variable, source)])
        evaluation = Evaluation(model: model, now: now ?? ReferenceDate.now)
    }

    /// Whether it holds for the object.
    ///
    /// - Throws: `PredicateError` where MATCHES runs too long (`predicate.limit`), or meets a
    ///   pattern that is none (`predicate.pattern`).
    public func evaluate(_ object: Object) throws(PredicateError) -> Bool {
        try evaluation.holds(predicate, Frame(object: object))
    }

    /// Whether it holds for the object where `$FETCH_SOURCE` is `source`.
    ///
    /// - Throws: `PredicateError` as for an object alone.
    public func evaluate(_ object: Object, source: Object) throws(PredicateError) -> Bool {
        try evaluation.holds(predicate, Frame(object: object, variables: [source]))
    }

    /// Whether it holds for a group of rows: aggregates are over the group, everything else is of
    /// its first row.
    ///
    /// - Throws: `PredicateError` as for one object.
    public func evaluate(group: [Object]) throws(PredicateError) -> Bool {
        try evaluation.holds(predicate, Frame(object: group.first, group: group))
    }
}

/// Evaluates one checked expression on many objects (`NSExpression.expressionValue(with:)`).
public struct ExpressionEvaluator<Object: EvaluatedObject> {
    private let expression: BoundExpression
    private let evaluation: Evaluation<Object>

    /// - Throws: `PredicateError` where the expression was not checked and does not fit.
    public init(
        _ expression: Expression, entity: Entity, model: Model, now: Double? = nil
    ) throws(PredicateError) {
        self.expression = try Binder(model: model, entity: entity).bind(expression, []).0
        evaluation = Evaluation(model: model, now: now ?? ReferenceDate.now)
    }

    /// What it gives for the object.
    ///
    /// - Throws: `PredicateError` for a TERNARY with MATCHES, as for a predicate.
    public func evaluate(_ object: Object) throws(PredicateError) -> Evaluated<Object> {
        try evaluation.value(expression, Frame(object: object))
    }

    /// What it gives for a group of rows, as `PredicateEvaluator.evaluate(group:)` says.
    ///
    /// - Throws: `PredicateError` as for one object.
    public func evaluate(group: [Object]) throws(PredicateError) -> Evaluated<Object> {
        try evaluation.value(expression, Frame(object: group.first, group: group))
    }
}

/// What an expression is evaluated on.
struct Frame<Object: EvaluatedObject> {
    var object: Object?
    var variables: [Object] = []
    var group: [Object] = []
}
