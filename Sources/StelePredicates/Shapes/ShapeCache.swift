/// What is known of requests by their shape.

/// Plans by the shape of the text that they were made of; any thread.
public final class ShapeCache<Plan: Sendable>: Sendable {
    /// A plan with the literals that it is for.
    private struct Variant: Sendable {
        let prepared: PreparedPredicate
        let plan: Plan
    }

    /// The most plans of one shape: they differ in literals that decide more than a value.
    private static var variants: Int { 8 }
    private let shapes: RecentCache<PredicateShape.Key, [Variant]>

    /// - Parameters:
    ///   - entries: the most shapes.
    ///   - bytes: the most memory for them, about.
    public init(entries: Int = 4_096, bytes: Int = 16 << 20) {
        shapes = RecentCache(entries: entries, bytes: bytes)
    }

    /// The plan of a text that has the shape of one before, and its predicate; nil where there is
    /// none.
    public func plan(of shape: PredicateShape) -> (plan: Plan, filled: FilledPredicate)? {
        guard let variants = shapes.value(of: shape.key) else { return nil }
        for variant in variants {
            if let filled = variant.prepared.filled(by: shape) { return (variant.plan, filled) }
        }
        return nil
    }

    /// Keeps the plan of a text for others of its shape.
    public func keep(_ plan: Plan, _ filled: FilledPredicate, of shape: PredicateShape) {
        var variants = shapes.value(of: shape.key) ?? []
        if variants.count >= Self.variants { variants.removeFirst() }
        variants.append(Variant(prepared: filled.prepared, plan: plan))
        // A tree is some sixteen times as large as its text.
        let bytes = variants.count * (1_024 + 16 * shape.key.bytes.count)
        shapes.put(variants, for: shape.key, bytes: bytes)
    }

    /// How many shapes there are.
    public var count: Int { shapes.count }
}
