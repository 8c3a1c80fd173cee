import SteleModel
import SteleSystem

/// Evaluates a checked predicate on objects in memory (`NSPredicate.evaluate(with:)`). It defines
/// the meaning of predicates for all stores.
///
/// Logic is two-valued: null equals null; any other comparison with null is false, except `!=`.
public struct PredicateEvaluator<Object: EvaluatedObject> {
    private let predicate: BoundPredicate
    private let evaluation: Evaluation<Object>

    /// Prepares a predicate for evaluation.
    ///
    /// - Parameters:
    ///   - predicate: a predicate that `PredicateCheck` has checked.
    ///   - entity: the entity of the objects.
    ///   - source: the index of the entity of `$FETCH_SOURCE`, for the predicate of a fetched
    ///     property; nil for another predicate.
    ///   - model: the model of the entity.
    ///   - now: the value of `now()` for all objects, in seconds since 2001-01-01T00:00:00Z; nil is
    ///     the current time.
    /// - Throws: `PredicateError` if the predicate is not checked and does not fit.
    public init(
        _ predicate: Predicate, entity: Entity, source: Int? = nil, model: Model,
        now: Double? = nil
    ) throws(PredicateError) {
        self.predicate = try Binder(model: model, entity: entity).bind(
            predicate, source.map { [(FetchSource.variable, $0)] } ?? [])
        evaluation = Evaluation(model: model, now: now ?? ReferenceDate.now)
    }

    /// Sets the limits of MATCHES for the next objects, whose time begins now. Without it they are
    /// the standard ones, for all objects together.
    package func beginMatching(_ limits: MatchLimits) { evaluation.beginMatching(limits) }

    /// Whether the predicate is true for an object.
    ///
    /// - Throws: `PredicateError` if MATCHES takes too long (`predicate.limit`) or a pattern is
    ///   invalid (`predicate.pattern`).
    public func evaluate(_ object: Object) throws(PredicateError) -> Bool {
        try evaluation.holds(predicate, Frame(object: object))
    }

    /// Whether the predicate is true for an object and a source object.
    ///
    /// - Throws: `PredicateError` as for an object alone.
    public func evaluate(_ object: Object, source: Object) throws(PredicateError) -> Bool {
        try evaluation.holds(predicate, Frame(object: object, variables: [source]))
    }

    /// Whether the predicate is true for a group of rows. Aggregates are computed over the group;
    /// other expressions are evaluated on its first row.
    ///
    /// - Throws: `PredicateError` as for one object.
    public func evaluate(group: [Object]) throws(PredicateError) -> Bool {
        try evaluation.holds(predicate, Frame(object: group.first, group: group))
    }
}

/// Evaluates a checked expression on objects in memory
/// (`NSExpression.expressionValue(with:context:)`).
public struct ExpressionEvaluator<Object: EvaluatedObject> {
    private let expression: BoundExpression
    private let evaluation: Evaluation<Object>

    /// Prepares an expression for evaluation.
    ///
    /// - Throws: `PredicateError` if the expression is not checked and does not fit.
    public init(
        _ expression: Expression, entity: Entity, model: Model, now: Double? = nil
    ) throws(PredicateError) {
        self.expression = try Binder(model: model, entity: entity).bind(expression, []).0
        evaluation = Evaluation(model: model, now: now ?? ReferenceDate.now)
    }

    /// Sets the limits of MATCHES, as for a predicate.
    package func beginMatching(_ limits: MatchLimits) { evaluation.beginMatching(limits) }

    /// The value for an object.
    ///
    /// - Throws: `PredicateError` for a TERNARY with MATCHES, as for a predicate.
    public func evaluate(_ object: Object) throws(PredicateError) -> Evaluated<Object> {
        try evaluation.value(expression, Frame(object: object))
    }

    /// The value for a group of rows, as for `PredicateEvaluator.evaluate(group:)`.
    ///
    /// - Throws: `PredicateError` as for one object.
    public func evaluate(group: [Object]) throws(PredicateError) -> Evaluated<Object> {
        try evaluation.value(expression, Frame(object: group.first, group: group))
    }
}

/// The input of an evaluation.
struct Frame<Object: EvaluatedObject> {
    var object: Object?
    var variables: [Object] = []
    var group: [Object] = []
}
