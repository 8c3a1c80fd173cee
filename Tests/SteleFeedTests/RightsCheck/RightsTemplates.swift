// Templates and fetched properties for the check of rights.

import SteleModel
import StelePredicates
import TestSupport

@testable import SteleDifferential

/// A random model with templates, some of which have a variable, with fetched properties, delete
/// rules, bounds of counts, derived attributes and constraints on relationships: all by which hidden
/// objects take part in writes.
struct RightsTemplates {
    private var maker: PredicateMaker
    private var model: Model { maker.model }
    /// The variable of templates.
    static let variable = "LEAST"
    /// How the names of derived attributes begin, which count members that are not seen, too.
    static let sizes = "sizeOf"

    /// - Parameter nullifies: whether no object takes part in the deletion of another, so that those
    ///   that are not seen can be deleted.
    static func model(seed: UInt64, nullifies: Bool = false) throws -> Model {
        let plain = try SampleModel.make(seed: seed)
        var templates = RightsTemplates(
            maker: PredicateMaker(plain, SeededNumbers(seed: seed &+ 5)))
        return try SampleModel.make(seed: seed) { model in
            for place in 0..<3 {
                let entity = templates.entity()
                model.fetchRequestTemplates.append(templates.template("t\(place)", of: entity))
                let owner = templates.maker.numbers.below(model.entities.count)
                let property = FetchedPropertyDescription(
                    name: "f\(place)",
                    request: templates.fetch(from: templates.model.entities[owner]))
                model.entities[owner].properties.append(.fetchedProperty(property))
            }
            for index in model.entities.indices {
                templates.bind(&model.entities[index], nullifies)
            }
        }
    }

    /// Gives an entity rules by which others take part in its writes.
    private mutating func bind(_ entity: inout EntityDescription, _ nullifies: Bool) {
        for index in entity.properties.indices {
            guard case .relationship(var it) = entity.properties[index] else { continue }
            let rules: [DeleteRule] = [.nullify, .nullify, .nullify, .cascade, .cascade, .deny]
            let rule = rules[maker.numbers.below(rules.count)]
            it.deleteRule = nullifies ? .nullify : rule
            if it.isToMany, maker.numbers.one(in: 6) { it.maximumCount = 2 }
            entity.properties[index] = .relationship(it)
            if it.isToMany, maker.numbers.one(in: 4) {
                var count = AttributeDescription(name: "\(Self.sizes)\(it.name)", type: .integer64)
                count.derivationExpression = "\(it.name).@count"
                entity.properties.append(.attribute(count))
            }
            if !it.isToMany, entity.parentName == nil, maker.numbers.one(in: 3) {
                entity.uniquenessConstraints.append(["name", it.name])
            }
        }
    }

    private mutating func entity() -> Entity {
        model.entities[maker.numbers.below(model.entities.count)]
    }

    private mutating func number(of entity: Entity) -> String {
        maker.attribute(of: entity, .integer) ?? "_id"
    }

    private mutating func template(_ name: String, of entity: Entity) -> FetchRequestTemplate {
        var template = FetchRequestTemplate(name: name, entityName: entity.name)
        var text = condition(of: entity)
        if !maker.numbers.one(in: 3) {
            text = "(\(text)) OR \(number(of: entity)) >= $\(Self.variable)"
        }
        template.predicateFormat = text
        return template
    }

    private mutating func condition(of entity: Entity) -> String {
        let check = PredicateCheck(model: model, entity: entity)
        while true {
            let text = maker.predicate(of: entity)
            if let read = try? Predicate(format: text), (try? check.check(read)) != nil {
                return text
            }
        }
    }

    /// Objects that are compared with their source, or with what it leads to.
    private mutating func fetch(from source: Entity) -> FetchRequestTemplate {
        let entity = entity()
        var template = FetchRequestTemplate(name: "", entityName: entity.name)
        let toOnes = maker.relationships(source, isToMany: false)
        var path = number(of: source)
        if !toOnes.isEmpty, maker.numbers.one(in: 2) {
            let it = toOnes[maker.numbers.below(toOnes.count)]
            path = "\(it.name).\(number(of: model.destination(of: it)))"
        }
        let order = maker.order()
        template.predicateFormat = "\(number(of: entity)) \(order) $FETCH_SOURCE.\(path)"
        return template
    }
}
