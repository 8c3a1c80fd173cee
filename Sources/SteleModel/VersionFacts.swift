/// What an entity's version hash covers.

/// The facts of an entity that its rows depend on, as bytes: two entities have the same version
/// hash if and only if their facts are equal.
///
/// Apple's algorithm is not published. Stele hashes the same facts: names, types, optional,
/// transient, external storage, preservation, counts, order, modifiers, the parent and uniqueness
/// constraints; not defaults, bounds, classes, user info, renaming identifiers or delete rules.
package struct VersionFacts: Hashable, Sendable {
    /// The facts, each with a zero byte at its end, so that different lists of facts differ.
    package private(set) var bytes: [UInt8] = []
    /// Whether derivations are as they are written, and not in the form of Core Data's compiler.
    private var isAsWritten = false
    /// Whether the names of composites are left out.
    private var isWithoutComposites = false

    /// Collects the facts of an entity's own declaration. Those of its parent are not among them.
    /// - Parameters:
    ///   - asWritten: whether derivations that mean the same differ if they are written differently,
    ///     as in the hashes of earlier versions of Stele.
    ///   - withoutComposites: whether the names of composites are left out.
    package init(
        _ entity: Entity, in model: Model, asWritten: Bool = false, withoutComposites: Bool = false
    ) {
        isAsWritten = asWritten
        isWithoutComposites = withoutComposites
        let composites = Dictionary(
            model.declaration.composites.map { ($0.name, $0) }, uniquingKeysWith: { a, _ in a })
        let it = entity.declaration
        let parent = entity.parent.map { model.entities[$0].name }
        add("entity", it.name, parent ?? "", "\(it.isAbstract)", it.versionHashModifier ?? "")
        for property in it.properties.sorted(by: { $0.name < $1.name }) {
            add(property, composites)
        }
        for constraint in it.uniquenessConstraints {
            add("unique")
            for name in constraint { add(name) }
        }
    }

    /// Returns what differs between the facts of an entity in two models, as `Entity.property`, or
    /// the entity's name for what is not a property's; nil where nothing does. The names of
    /// composites, which no archive has, may differ.
    package static func difference(
        of entity: Entity, in model: Model, from other: Entity, in otherModel: Model
    ) -> String? {
        func all(_ entity: Entity, _ model: Model) -> Self {
            Self(entity, in: model, withoutComposites: true)
        }
        if all(entity, model) == all(other, otherModel) { return nil }
        let own = facts(entity, in: model, withoutComposites: true)
        let others = facts(other, in: otherModel, withoutComposites: true)
        let names = Set(own.keys).union(others.keys).filter { own[$0] != others[$0] }
        return names.min().map { "\(entity.name).\($0)" } ?? entity.name
    }

    /// The facts of each property.
    private static func facts(
        _ entity: Entity, in model: Model, withoutComposites: Bool = false
    ) -> [String: Self] {
        let composites = Dictionary(
            model.declaration.composites.map { ($0.name, $0) }, uniquingKeysWith: { a, _ in a })
        var found: [String: Self] = [:]
        for property in entity.declaration.properties {
            var facts = Self()
            facts.isWithoutComposites = withoutComposites
            facts.add(property, composites)
            if !facts.bytes.isEmpty { found[property.name] = facts }
        }
        return found
    }

    private init() {}

    private mutating func add(
        _ property: PropertyDescription, _ composites: [String: CompositeDescription]
    ) {
        switch property {
        case .attribute(let it): add(it, composites)
        case .relationship(let it): add(it)
        case .fetchedProperty: break
        }
    }

    private mutating func add(_ parts: String...) {
        for part in parts {
            bytes += part.utf8
            bytes.append(0)
        }
    }

    private mutating func add(
        _ it: AttributeDescription, _ composites: [String: CompositeDescription]
    ) {
        add("attribute", it.name, "\(it.type.rawValue)", "\(it.isOptional)", "\(it.isTransient)")
        add("\(it.allowsExternalBinaryDataStorage)", "\(it.preservesValueInHistoryOnDeletion)")
        let derivation = it.derivationExpression.map {
            isAsWritten ? $0 : Derivation.plainText($0)
        }
        let name = isWithoutComposites ? nil : it.compositeName
        add(it.versionHashModifier ?? "", derivation ?? "", name ?? "")
        // A checked model has no recursive composites.
        guard let composite = it.compositeName.flatMap({ composites[$0] }) else { return }
        for attribute in composite.attributes.sorted(by: { $0.name < $1.name }) {
            add(attribute, composites)
        }
        add("end of composite")
    }

    private mutating func add(_ it: RelationshipDescription) {
        add("relationship", it.name, it.destinationName, it.inverseName ?? "")
        add("\(it.isOptional)", "\(it.isToMany)", "\(it.isOrdered)", "\(it.isTransient)")
        add("\(it.minimumCount)", "\(it.maximumCount)", it.versionHashModifier ?? "")
    }
}

extension VersionFacts {
    /// How many entities and properties differ between two models.
    package static func distance(_ model: Model, _ other: Model) -> Int {
        func facts(_ model: Model) -> [String: Self] {
            var all: [String: Self] = [:]
            for entity in model.entities {
                all[entity.name] = Self()
                for (name, facts) in Self.facts(entity, in: model) {
                    all["\(entity.name).\(name)"] = facts
                }
            }
            return all
        }
        let (own, others) = (facts(model), facts(other))
        return Set(own.keys).union(others.keys).count { own[$0] != others[$0] }
    }
}

extension Model {
    /// Whether all entities of another model are in this one, with the same facts.
    package func hasVersionFacts(of other: Model) -> Bool {
        other.entities.allSatisfy { entity in
            self.entity(named: entity.name).map {
                VersionFacts(entity, in: other) == VersionFacts($0, in: self)
            } ?? false
        }
    }
}
