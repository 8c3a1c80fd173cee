/// How composite attributes become slots: one for each attribute at the end of a path through them.

/// The composite types of a model, for who lays out slots. A type that is missing, or contains
/// itself, has no slots: the check of the model names that mistake.
struct CompositeLayout {
    /// The most attributes that one composite attribute may come to, all its composites together.
    static let limit = 1_000

    private let types: [String: CompositeDescription]
    /// How many slots each type takes; 0 for one that cannot be laid out.
    private var counts: [String: Int] = [:]

    init(_ composites: [CompositeDescription]) {
        types = Dictionary(composites.map { ($0.name, $0) }, uniquingKeysWith: { a, _ in a })
        for name in types.keys {
            var open = Set<String>()
            _ = measure(name, &open)
        }
    }

    private mutating func measure(_ name: String, _ open: inout Set<String>) -> Int? {
        if let known = counts[name] { return known }
        guard let type = types[name], open.insert(name).inserted else { return nil }
        var sum = 0
        for attribute in type.attributes {
            guard attribute.type == .composite else {
                sum += 1
                continue
            }
            guard let inner = attribute.compositeName, let count = measure(inner, &open) else {
                counts[name] = 0
                return nil
            }
            sum = min(sum + count, Self.limit + 1)
        }
        open.remove(name)
        counts[name] = sum
        return sum
    }

    /// How many slots an attribute takes: 1, but for a composite.
    func count(_ attribute: AttributeDescription) -> Int {
        guard attribute.type == .composite else { return 1 }
        let count = attribute.compositeName.flatMap { counts[$0] } ?? 0
        return count > Self.limit ? 0 : count
    }

    /// Whether it comes to more attributes than there may be.
    func isTooLarge(_ attribute: AttributeDescription) -> Bool {
        attribute.type == .composite
            && (attribute.compositeName.flatMap { counts[$0] } ?? 0) > Self.limit
    }

    /// The checked attribute, whose slots begin at `slot`.
    /// - Parameter path: the names of the composites around it, each with a dot behind it.
    func attribute(
        _ declaration: AttributeDescription, path: String = "", slot: Int, owner: Int
    ) -> Attribute {
        var elements: [Attribute] = []
        if count(declaration) > 0, declaration.type == .composite,
            let type = declaration.compositeName.flatMap({ types[$0] })
        {
            var next = slot
            for var inner in type.attributes {
                // What no store keeps of the whole, it keeps of no part.
                if declaration.isTransient { inner.isTransient = true }
                elements.append(
                    attribute(
                        inner, path: "\(path)\(declaration.name).", slot: next, owner: owner))
                next += count(inner)
            }
        }
        return Attribute(
            declaration, name: path + declaration.name, slot: slot, owner: owner,
            elements: elements)
    }
}
