/// Checks of the names in constraints, indexes, configurations and fetch requests.

extension ModelCheck {
    func checkUniquenessConstraints(of entity: Entity) {
        for constraint in entity.declaration.uniquenessConstraints {
            let place = "\(entity.name), uniqueness constraint \(Self.inShort(constraint))"
            if constraint.isEmpty { findings.error(place, "it names no property") }
            if Set(constraint).count < constraint.count {
                findings.error(place, "it names a property twice")
            }
            for name in constraint {
                guard let fault = columnFault(name, of: entity) else { continue }
                findings.error(place, fault.text, hint: fault.hint)
            }
        }
    }

    /// Core Data reads all of these, and makes the indexes that it can. Apps' models have indexes of
    /// every kind: no answer depends on one.
    func checkIndexes(of entity: Entity) {
        var known: [String: FetchIndexDescription] = [:]
        for index in entity.declaration.fetchIndexes {
            let place = "\(entity.name), index \(index.name)"
            if let first = known[index.name.uppercased()] {
                findings.note(
                    place,
                    first.elements == index.elements
                        ? "it is declared twice, and made once"
                        : "the entity has two indexes with this name, of which one is made")
            } else {
                known[index.name.uppercased()] = index
            }
            if index.elements.isEmpty {
                findings.note(place, "it has no elements, so it has no effect")
            }
            if let reason = index.reasonNotMade {
                findings.note(
                    place, "\(reason), and is not made; a store of Core Data that has it keeps it")
            }
            for element in index.elements {
                if let name = element.propertyName {
                    checkElement(name, of: entity, place)
                } else if element.expression == nil {
                    findings.error(place, "one of its elements names no property")
                }
            }
        }
        for names in entity.declaration.compoundIndexes {
            let place = "\(entity.name), compound index \(Self.inShort(names))"
            for name in names { checkElement(name, of: entity, place) }
        }
    }

    private func checkElement(_ name: String, of entity: Entity, _ place: String) {
        guard !entity.isEntityElement(name), let fault = columnFault(name, of: entity) else {
            return
        }
        if fault.isUnknown { return findings.error(place, fault.text, hint: fault.hint) }
        findings.note(place, "\(fault.text), so the index is not made")
    }

    /// The first names of a list. Each error has them, and there may be as many errors as names.
    private static func inShort(_ names: [String]) -> String {
        let first = names.prefix(8).map { String($0.prefix(60)) }.joined(separator: ", ")
        return names.count > 8 ? first + ", …" : first
    }

    private struct ColumnFault {
        let text: String
        var hint: String?
        /// Whether there is no such property.
        var isUnknown = false
    }

    /// Why a name has no column; nil where it has one. Only attributes, to-one relationships and
    /// elements of composites have one.
    private func columnFault(_ path: String, of entity: Entity) -> ColumnFault? {
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let unknown = "\(entity.name) has no property \(path)"
        switch names.first.flatMap({ entity.property(named: $0) }) {
        case nil:
            let near = Nearest.hint(to: path, among: entity.slots.map(\.name))
            return ColumnFault(text: unknown, hint: near, isUnknown: true)
        case .fetchedProperty:
            return ColumnFault(text: "\(path) is a fetched property, which stores do not keep")
        case .transientRelationship:
            return ColumnFault(text: "\(path) is transient, so stores do not keep it")
        case .relationship(let it) where it.isToMany:
            return ColumnFault(text: "\(path) is a to-many relationship, which has no column")
        case .relationship:
            if names.count == 1 { return nil }
            return ColumnFault(text: "\(path) crosses a relationship to another row")
        case .attribute(let it):
            if it.declaration.isTransient {
                return ColumnFault(text: "\(path) is transient, so stores do not keep it")
            }
            if names.count > 1, !isInComposite(names.dropFirst(), it.declaration) {
                return ColumnFault(text: unknown, isUnknown: true)
            }
            guard let whole = entity.attribute(named: path), whole.isComposite else { return nil }
            return ColumnFault(
                text: "\(path) is a composite attribute, which has no column",
                hint: whole.elements.first.map { "name an attribute in it: \($0.name)" })
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
