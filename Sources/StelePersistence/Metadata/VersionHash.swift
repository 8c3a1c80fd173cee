import Crypto
import FoundationEssentials
import SteleModel

/// An entity's version hash (`versionHash`): 32 bytes over everything that its rows depend on.
///
/// Apple's algorithm is not published. Stele hashes the same facts: names, types, optional,
/// transient, external storage, preservation, counts, order, modifiers, the parent and uniqueness
/// constraints; not defaults, bounds, classes, user info, renaming identifiers or delete rules.
package struct VersionHash {
    private var hash = SHA256()
    private var composites: [String: CompositeDescription] = [:]

    /// Returns the hash of an entity.
    package static func of(_ entity: Entity, in model: Model) -> Data {
        var it = VersionHash()
        it.composites = Dictionary(
            model.declaration.composites.map { ($0.name, $0) }, uniquingKeysWith: { a, _ in a })
        it.add(entity.declaration, parent: entity.parent.map { model.entities[$0].name })
        return Data(it.hash.finalize())
    }

    /// Adds parts, each with a zero byte at its end, so that different lists of parts hash
    /// differently.
    private mutating func add(_ parts: String...) {
        for part in parts {
            hash.update(data: Array(part.utf8))
            hash.update(data: [UInt8(0)])
        }
    }

    private mutating func add(_ entity: EntityDescription, parent: String?) {
        add("entity", entity.name, parent ?? "", "\(entity.isAbstract)")
        add(entity.versionHashModifier ?? "")
        for property in entity.properties.sorted(by: { $0.name < $1.name }) {
            switch property {
            case .attribute(let it): add(it)
            case .relationship(let it): add(it)
            case .fetchedProperty: break
            }
        }
        for constraint in entity.uniquenessConstraints {
            add("unique")
            for name in constraint { add(name) }
        }
    }

    private mutating func add(_ it: AttributeDescription) {
        add("attribute", it.name, "\(it.type.rawValue)", "\(it.isOptional)", "\(it.isTransient)")
        add("\(it.allowsExternalBinaryDataStorage)", "\(it.preservesValueInHistoryOnDeletion)")
        add(it.versionHashModifier ?? "", it.derivationExpression ?? "", it.compositeName ?? "")
        // A checked model has no recursive composites.
        guard let composite = it.compositeName.flatMap({ composites[$0] }) else { return }
        for attribute in composite.attributes.sorted(by: { $0.name < $1.name }) { add(attribute) }
        add("end of composite")
    }

    private mutating func add(_ it: RelationshipDescription) {
        add("relationship", it.name, it.destinationName, it.inverseName ?? "")
        add("\(it.isOptional)", "\(it.isToMany)", "\(it.isOrdered)", "\(it.isTransient)")
        add("\(it.minimumCount)", "\(it.maximumCount)", it.versionHashModifier ?? "")
    }
}
