/// A cache of checked predicates by the shape of their texts, for one model and any thread.
///
/// For a text of a known shape only the literals are parsed, with the same result as for the whole
/// text. A store may cache its statements by shape too (`FetchRequest.filled`).
public final class PredicateCache: Sendable {
    private let shapes: ShapeCache<Void>

    /// Creates an empty cache.
    /// - Parameters:
    ///   - entries: the maximum number of shapes.
    ///   - bytes: the approximate maximum size.
    public init(entries: Int = 4_096, bytes: Int = 16 << 20) {
        shapes = ShapeCache(entries: entries, bytes: bytes)
    }

    /// Sets the predicate of a request from its text (NSPredicate(format:)), checked.
    ///
    /// - Parameter check: a check for the model and the request's entity. All calls must use the
    ///   same date reader. With variables or aliases nothing is cached.
    /// - Throws: `PredicateError` as parsing and checking.
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
