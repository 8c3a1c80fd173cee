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

    /// Collects the facts of an entity's own declaration. Those of its parent are not among them.
    package init(_ entity: Entity, in model: Model) {
        let composites = Dictionary(
            model.declaration.composites.map { ($0.name, $0) }, uniquingKeysWith: { a, _ in a })
        let it = entity.declaration
        let parent = entity.parent.map { model.entities[$0].name }
        add("entity", it.name, parent ?? "", "\(it.isAbstract)", it.versionHashModifier ?? "")
        for property in it.properties.sorted(by: { $0.name < $1.name }) {
            switch property {
            case .attribute(let it): add(it, composites)
            case .relationship(let it): add(it)
            case .fetchedProperty: break
            }
        }
        for constraint in it.uniquenessConstraints {
            add("unique")
            for name in constraint { add(name) }
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
        add(it.versionHashModifier ?? "", it.derivationExpression ?? "", it.compositeName ?? "")
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
