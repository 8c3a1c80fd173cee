/// Predicates of a program that asks the same again and again, with other literals.

/// Checked predicates by the shape of their texts, over one model; any thread.
///
/// A text of a known shape is not parsed and checked again: only its literals are read, with the
/// same result. A store may keep what it makes of the shape, too (`FetchRequest.filled`).
public final class PredicateCache: Sendable {
    private let shapes: ShapeCache<Void>

    /// - Parameters:
    ///   - entries: the most shapes that are kept.
    ///   - bytes: the most memory that they take, about.
    public init(entries: Int = 4_096, bytes: Int = 16 << 20) {
        shapes = ShapeCache(entries: entries, bytes: bytes)
    }

    /// Gives a request the predicate that a text says (NSPredicate(format:)), checked.
    ///
    /// - Parameter check: one over the model and the request's entity, always with the same way of
    ///   reading dates. With variables or aliases nothing is kept.
    /// - Throws: `PredicateError` as parsing and checking does.
    public func set(
        _ text: String, on request: inout FetchRequest, by check: PredicateCheck
    ) throws(PredicateError) {
        var context = PredicateShape.Context()
        context.add(check.entity.index << 1 | (check.allowsRowAggregates ? 1 : 0))
        guard check.variables.isEmpty, check.aliases.isEmpty,
            let shape = PredicateShape(text, in: context)
        else {
            request.predicate = try check.check(Predicate(format: text))
            return
        }
        if let known = shapes.plan(of: shape) {
            request.filled = known.filled
            return
        }
        let parsed = try ParsedPredicate(shape)
        let checked = try check.check(parsed.predicate)
        guard let filled = check.prepared(parsed, checked: checked) else {
            request.predicate = checked
            return
        }
        shapes.keep((), filled, of: shape)
        request.filled = filled
    }
}
