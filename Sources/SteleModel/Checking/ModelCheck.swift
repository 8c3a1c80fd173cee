/// Checks a linked model, beyond the errors that linking itself reports.
struct ModelCheck {
    let model: Model
    let findings = Findings()

    private init(_ model: Model) { self.model = model }

    /// All errors and notes: those of the model, then those of each entity and its properties.
    static func findings(in model: Model) -> Findings {
        let check = ModelCheck(model)
        check.checkEntityNames()
        check.checkComposites()
        check.checkConfigurations()
        check.checkTemplates()
        for entity in model.entities { check.check(entity) }
        return check.findings
    }

    private func check(_ entity: Entity) {
        checkPropertyNames(of: entity)
        checkColumns(of: entity)
        for property in entity.declaration.properties {
            let place = "\(entity.name).\(property.name)"
            switch property {
            case .attribute(let it):
                check(it, place)
                checkDerivation(of: it, entity, place)
            case .relationship(let it): check(it, of: entity, place)
            case .fetchedProperty(let it):
                if model.entity(named: it.request.entityName) == nil {
                    findings.error(
                        place, "it fetches \(it.request.entityName), which is not in the model")
                }
            }
        }
        checkUniquenessConstraints(of: entity)
        checkIndexes(of: entity)
    }
}

extension Model {
    /// Notes on probable oversights: a relationship without an inverse, a default outside its
    /// bounds, a configuration without members.
    public func notes() -> [ModelError] { ModelCheck.findings(in: self).notes }
}
