/// What is looked at once a model is linked, beyond names.

/// Finds mistakes in a linked model that linking itself does not meet.
struct ModelCheck {
    private let model: Model

    init(_ model: Model) { self.model = model }

    /// All mistakes, in the order of entities and properties.
    func mistakes() -> [ModelError] {
        model.entities.flatMap { shadowed(in: $0) }
    }

    /// A property that an entity declares although it inherits one of that name.
    private func shadowed(in entity: Entity) -> [ModelError] {
        guard let parent = entity.parent.map({ model.entities[$0] }) else { return [] }
        return entity.declaration.properties.compactMap { own in
            guard parent.property(named: own.name) != nil else { return nil }
            return ModelError(
                "\(entity.name).\(own.name)",
                "\(parent.name) has a property of this name already, and \(entity.name) inherits it"
            )
        }
    }
}
