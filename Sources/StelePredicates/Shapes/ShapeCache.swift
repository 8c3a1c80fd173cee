/// A thread-safe cache of plans by the shape of the text that they were made from.
public final class ShapeCache<Plan: Sendable>: Sendable {
    /// A plan for the predicates that one prepared predicate covers.
    private struct Variant: Sendable {
        let prepared: PreparedPredicate
        let plan: Plan
    }

    /// The most plans of one shape. They differ in literals that decide more than a value.
    private static var variants: Int { 8 }
    private let shapes: RecentCache<PredicateShape.Key, [Variant]>

    /// Creates an empty cache.
    /// - Parameters:
    ///   - entries: the maximum number of shapes.
    ///   - bytes: the approximate maximum size.
    public init(entries: Int = 4_096, bytes: Int = 16 << 20) {
        shapes = RecentCache(entries: entries, bytes: bytes)
    }

    /// The plan for a text, and its predicate; nil if there is none.
    public func plan(of shape: PredicateShape) -> (plan: Plan, filled: FilledPredicate)? {
        guard let variants = shapes.value(of: shape.key) else { return nil }
        for variant in variants {
            if let filled = variant.prepared.filled(by: shape) { return (variant.plan, filled) }
        }
        return nil
    }

    /// Adds the plan of a text.
    public func keep(_ plan: Plan, _ filled: FilledPredicate, of shape: PredicateShape) {
        var variants = shapes.value(of: shape.key) ?? []
        if variants.count >= Self.variants { variants.removeFirst() }
        variants.append(Variant(prepared: filled.prepared, plan: plan))
        // The tree of a predicate is about sixteen times as large as its text.
        let bytes = variants.count * (1_024 + 16 * shape.key.bytes.count)
        shapes.put(variants, for: shape.key, bytes: bytes)
    }

    /// The number of shapes.
    public var count: Int { shapes.count }
}
