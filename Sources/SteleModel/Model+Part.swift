/// Models with a part of another's entities or requests.

extension Model {
    /// The model of a configuration's entities alone, for a store that is opened without the stores
    /// of the others. It has the entities that `restricted(to:)` stores, without fetched properties
    /// and fetch request templates whose objects are of other entities. The store's file keeps the
    /// `whole` model.
    /// - Returns: nil if the model has no configuration of that name.
    /// - Throws: `ModelErrors` where a relationship leads to an entity outside.
    public func part(of configuration: String) throws(ModelErrors) -> Model? {
        guard let own = restricted(to: configuration) else { return nil }
        return try part(ofEntities: Set(own.storedEntities.map(\.name)), configuration)
    }

    /// The model with some of the entities alone, as `part(of:)`.
    /// - Parameter configuration: the configuration that has them; nil where none is named.
    /// - Throws: `ModelErrors` where a parent, a subentity or the destination of a relationship is
    ///   not among them, and for a name that no entity has.
    package func part(
        ofEntities names: Set<String>, _ configuration: String? = nil
    ) throws(ModelErrors) -> Model {
        if names == Set(entities.map(\.name)) { return self }
        try checkPart(names)
        var part = declaration
        part.entities.removeAll { !names.contains($0.name) }
        for index in part.entities.indices {
            part.entities[index].properties.removeAll { $0.leads(outside: names) }
        }
        part.fetchRequestTemplates.removeAll { !names.contains($0.entityName) }
        for index in part.configurations.indices {
            part.configurations[index].entityNames.removeAll { !names.contains($0) }
        }
        part.configurations.removeAll { $0.entityNames.isEmpty }
        return try Model(part, of: self, configuration)
    }

    /// The model without some fetched properties, given by entity and name, and fetch request
    /// templates.
    /// - Throws: `ModelErrors`, as `init`.
    package func without(
        fetchedProperties: (_ entity: String, _ name: String) -> Bool,
        templates: (_ name: String) -> Bool
    ) throws(ModelErrors) -> Model {
        var rest = declaration
        for index in rest.entities.indices {
            let entity = rest.entities[index].name
            rest.entities[index].properties.removeAll {
                guard case .fetchedProperty(let it) = $0 else { return false }
                return fetchedProperties(entity, it.name)
            }
        }
        rest.fetchRequestTemplates.removeAll { templates($0.name) }
        return try Model(rest, of: self)
    }

    /// The fetched properties of a part that it does not have, as `Entity.property`, because the
    /// objects that they fetch are of entities outside.
    package var omittedFetchedProperties: [String] {
        let names = Set(entities.map(\.name))
        return whole.declaration.entities.flatMap { entity in
            names.contains(entity.name)
                ? entity.properties.filter { $0.leads(outside: names) }
                    .map { "\(entity.name).\($0.name)" } : []
        }
    }

    private func checkPart(_ names: Set<String>) throws(ModelErrors) {
        var errors = names.filter { entity(named: $0) == nil }.sorted().map {
            ModelError($0, "the store has this entity, and the model \(name) does not")
        }
        for entity in entities where names.contains(entity.name) {
            let family = [entity.parent].compactMap { $0 } + entity.subtree
            for relative in family where !names.contains(entities[relative].name) {
                errors.append(
                    ModelError(
                        entity.name,
                        "the store does not have the entity \(entities[relative].name), whose "
                            + "objects are in the same table"))
            }
            for case .relationship(let it) in entity.declaration.properties
            where !names.contains(it.destinationName) {
                errors.append(
                    ModelError(
                        "\(entity.name).\(it.name)",
                        "the relationship leads to \(it.destinationName), which the store does "
                            + "not have, so that it cannot be used alone"))
            }
        }
        if !errors.isEmpty { throw ModelErrors(errors) }
    }
}

extension PropertyDescription {
    /// Whether it is a fetched property whose objects are of an entity that is not among these.
    fileprivate func leads(outside names: Set<String>) -> Bool {
        guard case .fetchedProperty(let it) = self else { return false }
        return !names.contains(it.request.entityName)
    }
}
