import SteleMigration
import SteleModel
import StelePersistence

/// What the entities and properties of a destination model were in the source model, by a mapping
/// model that can be carried out in place: objects keep their keys, so each entity becomes at most
/// one entity, and a table takes the objects of at most one table.
struct MigrationMap {
    let source: SQLSchema
    let destination: SQLSchema
    /// For each entity of the destination the one that it was; nil for a new one.
    private let sources: [Entity?]
    /// For each entity of the source the one that it becomes; nil for a removed one.
    private let successors: [Entity?]
    /// For each entity of the destination the names of the source's properties, by the names of its
    /// own.
    private let names: [[String: String]]

    /// - Throws: `.incompatible` (134190) where the mapping is of other models or cannot be carried
    ///   out in place.
    init(
        from source: SQLSchema, to destination: SQLSchema, by mapping: MappingModel
    ) throws(StoreError) {
        var sources = [Entity?](repeating: nil, count: destination.model.entities.count)
        var successors = [Entity?](repeating: nil, count: source.model.entities.count)
        var names = [[String: String]](repeating: [:], count: sources.count)
        for it in mapping.entityMappings {
            guard let from = it.sourceEntityName, let to = it.destinationEntityName else {
                continue
            }
            guard let old = source.model.entity(named: from),
                let new = destination.model.entity(named: to)
            else {
                throw Self.refusal("the mapping \(it.name) is not one of these models")
            }
            guard it.sourceFilter == nil, it.entityMigrationPolicyClassName == nil else {
                throw Self.refusal("the mapping \(it.name) has a filter or a policy")
            }
            guard successors[old.index] == nil else {
                throw Self.refusal("\(old.name) becomes more than one entity")
            }
            guard sources[new.index] == nil else {
                throw Self.refusal("\(new.name) is made of more than one entity")
            }
            sources[new.index] = old
            successors[old.index] = new
            names[new.index] = try Self.names(of: it, old, new)
        }
        self.source = source
        self.destination = destination
        self.sources = sources
        self.successors = successors
        self.names = names
        for root in destination.model.entities where root.parent == nil {
            let roots = Set(
                destination.model.family(of: root).compactMap { sources[$0.index]?.root })
            guard roots.count > 1 else { continue }
            let joined = roots.sorted().map { source.model.entities[$0].name }
            throw Self.refusal(
                "the entities below \(joined.joined(separator: " and ")) have no common parent, "
                    + "and \(root.name) would become one")
        }
    }

    private static func refusal(_ reason: String) -> StoreError {
        .incompatible(code: 134190, "the store cannot be migrated in place: \(reason)")
    }

    private static func names(
        of it: SteleMigration.EntityMapping, _ old: Entity, _ new: Entity
    ) throws(StoreError) -> [String: String] {
        var names: [String: String] = [:]
        for mapping in it.attributeMappings + it.relationshipMappings {
            let place = "\(new.name).\(mapping.name)"
            switch mapping.value {
            case nil: continue
            case .source(let name), .destinations(_, let name): names[mapping.name] = name
            case .expression: throw refusal("\(place) has an expression")
            }
            guard let from = names[mapping.name] else { continue }
            switch (old.property(named: from), new.property(named: mapping.name)) {
            case (.attribute(let a)?, .attribute(let b)?):
                if a.type != b.type, NumericChange(from: a.type, to: b.type) == nil {
                    throw refusal("\(place) is of type \(b.type.name) and was \(a.type.name)")
                }
            case (.relationship(let a)?, .relationship(let b)?):
                if a.isToMany, !b.isToMany { throw refusal("\(place) is to-one and was to-many") }
            default: throw refusal("\(place) or \(old.name).\(from) does not exist")
            }
        }
        return names
    }

    // MARK: Entities

    /// Returns what an entity of the destination was; nil for a new one.
    func source(of entity: Entity) -> Entity? { sources[entity.index] }

    /// Returns what an entity of the source becomes; nil for a removed one.
    func successor(of entity: Entity) -> Entity? { successors[entity.index] }

    /// Returns the entities of a destination root's table that have a source.
    func rows(of root: Int) -> [(source: Entity, destination: Entity)] {
        destination.model.family(of: destination.model.entities[root]).compactMap { entity in
            sources[entity.index].map { ($0, entity) }
        }
    }

    /// Returns the root of the source whose table has the objects of a destination root.
    func sourceRoot(of root: Int) -> Int? { rows(of: root).first?.source.root }

    /// Whether objects that `old` and its subentities have are not `new` or a subentity afterwards.
    func loses(_ old: Int, becoming new: Int) -> Bool {
        source.model.family(of: source.model.entities[old]).contains { entity in
            let isKept = successors[entity.index].map {
                destination.model.entities[new].isKind($0.index)
            }
            return !entity.isAbstract && isKept != true
        }
    }

    /// Whether an entity or one of its subentities has another number afterwards.
    func renumbers(_ old: Int) -> Bool {
        source.model.family(of: source.model.entities[old]).contains { entity in
            successors[entity.index].map {
                destination.number(of: $0.index) != source.number(of: entity.index)
            } ?? false
        }
    }

    // MARK: Properties

    /// Returns what an attribute of an entity was. A derived attribute is the same one only with
    /// the same expression.
    func source(of attribute: Attribute, in entity: Entity) -> Attribute? {
        guard let old = sources[entity.index] else { return nil }
        guard let derivation = attribute.declaration.derivationExpression else {
            return names[entity.index][attribute.name].flatMap { old.attribute(named: $0) }
        }
        guard let found = old.attribute(named: attribute.name), found.type == attribute.type,
            found.declaration.derivationExpression == derivation
        else { return nil }
        return found
    }

    /// Returns what a relationship of an entity was.
    func source(of relationship: Relationship, in entity: Entity) -> Relationship? {
        guard let old = sources[entity.index], let name = names[entity.index][relationship.name]
        else { return nil }
        return old.relationship(named: name)
    }

    /// A relationship of the source that a relationship of the destination was, for some of its
    /// owners.
    struct Origin {
        let relationship: Relationship
        /// The entities of the source whose objects had it.
        var owners: [Entity]
        /// Whether all objects that had it have the successor.
        var isWhole: Bool
    }

    /// Returns what a relationship was. What it referred to must still be in the table that it
    /// refers to.
    func origins(of relationship: Relationship) -> [Origin] {
        var found: [Origin] = []
        let target = sourceRoot(of: destination.model.destination(of: relationship).root)
        let owner = destination.model.entities[relationship.owner]
        for entity in destination.model.family(of: owner) {
            guard let old = sources[entity.index],
                let it = source(of: relationship, in: entity),
                source.model.destination(of: it).root == target
            else { continue }
            if let place = found.firstIndex(where: { $0.relationship === it }) {
                found[place].owners.append(old)
            } else {
                found.append(Origin(relationship: it, owners: [old], isWhole: true))
            }
        }
        for index in found.indices {
            let owners = Set(found[index].owners.map(\.index))
            let all = source.model.family(
                of: source.model.entities[found[index].relationship.owner])
            found[index].isWhole = all.allSatisfy {
                $0.isAbstract || successors[$0.index] == nil || owners.contains($0.index)
            }
        }
        return found
    }
}
