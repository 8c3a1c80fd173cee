/// Which elements of two models are the same.

import SteleModel

/// The entities and properties of two versions of a model in pairs: by renaming identifier,
/// otherwise by name.
struct ModelMatch {
    let source: Model
    let destination: Model
    /// For each entity of the destination the index of its source.
    private let sources: [Int?]
    /// For each entity of the source the indexes of the entities that it becomes.
    private let successors: [[Int]]

    init(from source: Model, to destination: Model) {
        self.source = source
        self.destination = destination
        // A store of a configuration has its entities alone.
        let kept = Set(source.storedEntities.map(\.index))
        let stored = Set(destination.storedEntities.map(\.index))
        sources = renamed(
            destination.entities.map(\.declaration), from: source.entities.map(\.declaration)
        ).enumerated().map { index, origin in
            origin.flatMap { stored.contains(index) && kept.contains($0) ? $0 : nil }
        }
        var successors = [[Int]](repeating: [], count: source.entities.count)
        for (index, origin) in sources.enumerated() {
            if let origin { successors[origin].append(index) }
        }
        self.successors = successors
    }

    /// The entity of the source that an entity of the destination was; nil for a new one.
    func source(of entity: Entity) -> Entity? { sources[entity.index].map { source.entities[$0] } }

    /// The entities of the destination that an entity of the source becomes: one, or none if it is
    /// removed. More than one is an error of the models.
    func successors(of entity: Entity) -> [Entity] {
        successors[entity.index].map { destination.entities[$0] }
    }

    /// The attributes of a destination entity, inherited ones too, each with the one that it was.
    func attributes(
        of entity: Entity, from origin: Entity
    ) -> [(destination: Attribute, source: Attribute?)] {
        Self.pairs(entity.attributes, origin.attributes)
    }

    /// The attributes of a composite attribute, each with the one that it was.
    func elements(
        of attribute: Attribute, from origin: Attribute
    ) -> [(destination: Attribute, source: Attribute?)] {
        Self.pairs(attribute.elements, origin.elements)
    }

    /// The relationships of a destination entity, inherited ones too, each with the one that it
    /// was.
    func relationships(
        of entity: Entity, from origin: Entity
    ) -> [(destination: Relationship, source: Relationship?)] {
        let old = origin.relationships
        let new = entity.relationships
        let found = renamed(new.map(\.declaration), from: old.map(\.declaration))
        return zip(new, found).map { ($0, $1.map { old[$0] }) }
    }

    private static func pairs(
        _ new: [Attribute], _ old: [Attribute]
    ) -> [(destination: Attribute, source: Attribute?)] {
        let found = renamed(new.map(\.declaration), from: old.map(\.declaration))
        return zip(new, found).map { ($0, $1.map { old[$0] }) }
    }
}

extension Entity {
    /// The attributes, inherited ones first.
    var attributes: [Attribute] {
        properties.compactMap { if case .attribute(let it) = $0 { it } else { nil } }
    }

    /// The relationships, inherited ones first.
    var relationships: [Relationship] {
        properties.compactMap { if case .relationship(let it) = $0 { it } else { nil } }
    }
}

/// A declaration that can name its predecessor in the previous version.
protocol Renamable {
    var name: String { get }
    var renamingIdentifier: String? { get }
}

extension EntityDescription: Renamable {}
extension AttributeDescription: Renamable {}
extension RelationshipDescription: Renamable {}

/// For each new element the index of the old one that it was; nil for an addition.
///
/// An element without a renaming identifier is the old one of its name, or the one that was
/// renamed from that name and is otherwise gone. An element with one is the old one that has the
/// same identifier, so that a model can skip versions, or that has the identifier as its name; if
/// neither is there, it is an addition, even where an old one has its name.
func renamed<Element: Renamable>(_ new: [Element], from old: [Element]) -> [Int?] {
    let byName = Dictionary(
        old.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    let byIdentifier = Dictionary(
        old.enumerated().compactMap { index, it in it.identifier.map { ($0, index) } },
        uniquingKeysWith: { first, _ in first })
    let names = Set(new.map(\.name))
    return new.map { element in
        let sameName = byName[element.name]
        guard let identifier = element.identifier else {
            if let sameName { return sameName }
            return byIdentifier[element.name].flatMap { names.contains(old[$0].name) ? nil : $0 }
        }
        if let sameName, old[sameName].identifier == identifier { return sameName }
        // Of two candidates the one is meant that the new version no longer has.
        let candidates = [byName[identifier], byIdentifier[identifier]].compactMap { $0 }
        return candidates.first { !names.contains(old[$0].name) } ?? candidates.first
    }
}

extension Renamable {
    /// The renaming identifier; nil if it is empty.
    fileprivate var identifier: String? {
        renamingIdentifier.flatMap { $0.isEmpty ? nil : $0 }
    }
}
