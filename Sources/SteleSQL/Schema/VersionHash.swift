/// The hashes by which a store says which model it is of.

import Crypto
import FoundationEssentials
import SteleModel

/// An entity's version hash (`versionHash`): 32 bytes over all that counts for its rows.
///
/// Apple's bytes are not published, so these are Stele's own, over the same facts: names, types,
/// optional, transient, external storage, preservation, counts, order, modifiers, the parent, and
/// uniqueness; not defaults, bounds, classes, user info, renaming ids or delete rules.
struct VersionHash {
    private var hash = SHA256()
    private var composites: [String: CompositeDescription] = [:]

    /// The hash of one entity.
    static func of(_ entity: Entity, in model: Model) -> Data {
        var it = VersionHash()
        it.composites = Dictionary(
            model.declaration.composites.map { ($0.name, $0) }, uniquingKeysWith: { a, _ in a })
        it.add(entity.declaration, parent: entity.parent.map { model.entities[$0].name })
        return Data(it.hash.finalize())
    }

    /// Each part ends in a zero byte, so that no two lists of parts read alike.
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
        // A checked model's composites end.
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
