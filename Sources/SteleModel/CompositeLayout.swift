/// The slots of composite attributes: one for each attribute inside them, at any depth. A composite
/// type that is missing or contains itself has no slots; the check of the model reports it.
struct CompositeLayout {
    /// The most attributes that a composite attribute may contain, at any depth.
    static let limit = 1_000

    private let types: [String: CompositeDescription]
    /// How many slots each type takes; 0 if it has no layout.
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

    /// How many slots an attribute takes: 1 unless it is composite.
    func count(_ attribute: AttributeDescription) -> Int {
        let count = size(attribute)
        return count > Self.limit ? 0 : count
    }

    /// Whether a composite attribute contains more than `limit` attributes.
    func isTooLarge(_ attribute: AttributeDescription) -> Bool {
        size(attribute) > Self.limit
    }

    private func size(_ attribute: AttributeDescription) -> Int {
        guard attribute.type == .composite else { return 1 }
        return attribute.compositeName.flatMap { counts[$0] } ?? 0
    }

    /// The linked attribute, whose slots begin at `slot`.
    /// - Parameter path: the names of the enclosing composites, each followed by a dot.
    func attribute(
        _ declaration: AttributeDescription, path: String = "", slot: Int, owner: Int
    ) -> Attribute {
        var elements: [Attribute] = []
        if count(declaration) > 0, declaration.type == .composite,
            let type = declaration.compositeName.flatMap({ types[$0] })
        {
            var next = slot
            for var inner in type.attributes {
                // If no store keeps the composite, no store keeps its parts.
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
