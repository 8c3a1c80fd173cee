/// Checks of the names in constraints, indexes, configurations and fetch requests.

extension ModelCheck {
    func checkUniquenessConstraints(of entity: Entity) {
        for constraint in entity.declaration.uniquenessConstraints {
            let place = "\(entity.name), uniqueness constraint \(Self.inShort(constraint))"
            if constraint.isEmpty { findings.error(place, "it names no property") }
            if Set(constraint).count < constraint.count {
                findings.error(place, "it names a property twice")
            }
            for name in constraint { checkColumn(name, of: entity, place) }
        }
    }

    func checkIndexes(of entity: Entity) {
        var names = Set<String>()
        for index in entity.declaration.fetchIndexes {
            let place = "\(entity.name), index \(index.name)"
            if !names.insert(index.name.uppercased()).inserted {
                findings.error(place, "the entity has two indexes with this name")
            }
            if index.name.isEmpty { findings.error(place, "it has no name") }
            if index.elements.isEmpty {
                findings.note(place, "it has no elements, so it has no effect")
            }
            if let reason = index.reasonNotMade {
                findings.note(
                    place, "\(reason), and is not made; a store of Core Data that has it keeps it")
            }
            for element in index.elements {
                if let name = element.propertyName {
                    checkColumn(name, of: entity, place)
                } else if element.expression == nil {
                    findings.error(place, "one of its elements names no property")
                }
            }
        }
        for names in entity.declaration.compoundIndexes {
            let place = "\(entity.name), compound index \(Self.inShort(names))"
            for name in names { checkColumn(name, of: entity, place) }
        }
    }

    /// The first names of a list. Each error has them, and there may be as many errors as names.
    private static func inShort(_ names: [String]) -> String {
        let first = names.prefix(8).map { String($0.prefix(60)) }.joined(separator: ", ")
        return names.count > 8 ? first + ", …" : first
    }

    /// Reports a name that has no column: only attributes, to-one relationships and elements of
    /// composites have one.
    private func checkColumn(_ path: String, of entity: Entity, _ place: String) {
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        switch names.first.flatMap({ entity.property(named: $0) }) {
        case nil:
            let known = entity.slots.map(\.name)
            let near = Nearest.hint(to: path, among: known)
            findings.error(place, "\(entity.name) has no property \(path)", hint: near)
        case .fetchedProperty:
            findings.error(place, "\(path) is a fetched property, which stores do not keep")
        case .transientRelationship:
            findings.error(place, "\(path) is transient, so stores do not keep it")
        case .relationship(let it) where it.isToMany:
            findings.error(place, "\(path) is a to-many relationship, which has no column")
        case .relationship:
            if names.count > 1 {
                findings.error(place, "\(path) crosses a relationship to another row")
            }
        case .attribute(let it):
            if it.declaration.isTransient {
                findings.error(place, "\(path) is transient, so stores do not keep it")
            } else if names.count > 1, !isInComposite(names.dropFirst(), it.declaration) {
                findings.error(place, "\(entity.name) has no property \(path)")
            } else if let whole = entity.attribute(named: path), whole.isComposite {
                findings.error(
                    place, "\(path) is a composite attribute, which has no column",
                    hint: whole.elements.first.map { "name an attribute in it: \($0.name)" })
            }
        }
    }

    private func isInComposite(
        _ names: ArraySlice<String>, _ attribute: AttributeDescription
    ) -> Bool {
        guard let name = names.first else { return true }
        // No composite is nested more deeply unless it contains itself, which `checkComposites`
        // reports.
        guard names.count <= 32 else { return false }
        let composite = model.declaration.composites.first { $0.name == attribute.compositeName }
        guard let inner = composite?.attributes.first(where: { $0.name == name }) else {
            return false
        }
        return isInComposite(names.dropFirst(), inner)
    }

    func checkConfigurations() {
        var names = Set<String>()
        for configuration in model.declaration.configurations {
            let place = "configuration \(configuration.name)"
            if !names.insert(configuration.name).inserted {
                findings.error(place, "the model has two configurations with this name")
            }
            if configuration.entityNames.isEmpty {
                findings.note(place, "it has no members, so it has no effect")
            }
            for name in configuration.entityNames where model.entity(named: name) == nil {
                findings.error(place, "its member \(name) is not in the model")
            }
        }
    }

    func checkTemplates() {
        var names = Set<String>()
        for template in model.declaration.fetchRequestTemplates {
            let place = "fetch request \(template.name)"
            if !names.insert(template.name).inserted {
                findings.error(place, "the model has two fetch requests with this name")
            }
            if model.entity(named: template.entityName) == nil {
                findings.error(place, "its entity \(template.entityName) is not in the model")
            }
        }
    }
}
