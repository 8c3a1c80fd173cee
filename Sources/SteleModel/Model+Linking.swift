/// Checks and links a declared model: entity order, inheritance, slots and inverses.

extension Model {
    /// Checks and links a declared model.
    ///
    /// - Throws: `ModelErrors` with every error found: duplicate names, a missing parent or
    ///   destination, a cycle of parents, an inverse that is missing or does not point back, and
    ///   what `ModelCheck` reports.
    public convenience init(_ declaration: ManagedObjectModel) throws(ModelErrors) {
        try self.init(declaration, of: nil)
    }

    /// Checks and links the declaration of a model, or of a part of one.
    convenience init(
        _ declaration: ManagedObjectModel, of source: Model?, _ configuration: String? = nil
    ) throws(ModelErrors) {
        var linker = ModelLinker(declaration)
        let (entities, relationships) = try linker.link()
        self.init(
            declaration: declaration, entities: entities, relationships: relationships,
            configuration: configuration, source: source)
        try ModelCheck.findings(in: self).throwErrors()
    }
}

/// Links a model in steps. Each step may add errors; the next one runs only if there are none.
struct ModelLinker {
    private let declarations: [EntityDescription]
    private let composites: CompositeLayout
    /// The most levels of inheritance: linking recurses once for each level.
    private static let depthLimit = 200
    private let findings = Findings()
    /// Indexes into `declarations` in Z_ENT order, and the parent and subtree of each entity in
    /// that order.
    private var order: [Int] = []
    private var parents: [Int?] = []
    private var subtrees: [Range<Int>] = []
    private var numbers: [String: Int] = [:]
    /// The numbers of slots and of to-many relationships of each entity, with inherited ones.
    private var counts: [(slots: Int, toManys: Int)] = []

    init(_ declaration: ManagedObjectModel) {
        declarations = declaration.entities
        composites = CompositeLayout(declaration.composites)
    }

    mutating func link() throws(ModelErrors) -> ([Entity], [Relationship]) {
        checkNames()
        try findings.throwErrors()
        sortIntoFamilies()
        try findings.throwErrors()
        let relationships = linkRelationships()
        try findings.throwErrors()
        return (makeEntities(relationships), relationships)
    }

    private mutating func checkNames() {
        var seen = Set<String>()
        for entity in declarations {
            if entity.name.isEmpty { findings.error("", "an entity has no name") }
            if !seen.insert(entity.name).inserted {
                findings.error(entity.name, "the model has two entities with this name")
            }
            var own = Set<String>()
            for property in entity.properties where !own.insert(property.name).inserted {
                findings.error(
                    "\(entity.name).\(property.name)",
                    "the entity has two properties with this name")
            }
        }
        for entity in declarations {
            for case .attribute(let it) in entity.properties where composites.isTooLarge(it) {
                findings.error(
                    "\(entity.name).\(it.name)",
                    "it contains more than \(CompositeLayout.limit) attributes",
                    hint: "split its composite")
            }
        }
        for entity in declarations {
            guard let parent = entity.parentName, !seen.contains(parent) else { continue }
            findings.error(entity.name, "its parent entity \(parent) is not in the model")
        }
    }

    /// Sorts entities depth first, roots and siblings by name ignoring case: the order of Core
    /// Data's Z_ENT.
    private mutating func sortIntoFamilies() {
        let sorted = declarations.indices.sorted {
            let (a, b) = (declarations[$0].name, declarations[$1].name)
            let (low, high) = (a.lowercased(), b.lowercased())
            return low == high ? a < b : low < high
        }
        let children = Dictionary(grouping: sorted) { declarations[$0].parentName ?? "" }
        for root in children[""] ?? [] { place(root, under: nil, depth: 0, children) }
        guard findings.errors.isEmpty else { return }
        for entity in declarations where numbers[entity.name] == nil {
            findings.error(
                entity.name, "its parent entities form a cycle", hint: "remove one of the parents")
        }
    }

    /// Adds an entity and its subentities.
    private mutating func place(
        _ index: Int, under parent: Int?, depth: Int, _ children: [String: [Int]]
    ) {
        let name = declarations[index].name
        guard depth < Self.depthLimit else {
            return findings.error(name, "it has more than \(Self.depthLimit) ancestors")
        }
        let number = order.count
        order.append(index)
        parents.append(parent)
        subtrees.append(number..<number)
        numbers[name] = number
        for child in children[name] ?? [] {
            place(child, under: number, depth: depth + 1, children)
        }
        subtrees[number] = number..<order.count
    }

    /// The numbers of slots and of to-many relationships that an entity inherits.
    private func inherited(_ number: Int) -> (slots: Int, toManys: Int) {
        parents[number].map { counts[$0] } ?? (0, 0)
    }

    private struct Place {
        var declaration: RelationshipDescription
        var owner: Int
        var slot: Int
        /// Its index in `Model.relationships`; nil for a transient one.
        var index: Int?
    }

    private mutating func linkRelationships() -> [Relationship] {
        var places: [Place] = []
        var byOwner: [Int: [String: Int]] = [:]
        var count = 0
        for number in order.indices {
            var (slot, toMany) = inherited(number)
            for property in declarations[order[number]].properties {
                switch property {
                case .attribute(let it): slot += composites.count(it)
                case .fetchedProperty: break
                case .relationship(let it):
                    byOwner[number, default: [:]][it.name] = places.count
                    places.append(
                        Place(
                            declaration: it, owner: number, slot: it.isToMany ? toMany : slot,
                            index: it.isTransient ? nil : count))
                    if it.isTransient { continue }
                    count += 1
                    if it.isToMany { toMany += 1 } else { slot += 1 }
                }
            }
            counts.append((slot, toMany))
        }
        return places.compactMap { place in
            guard let destination = numbers[place.declaration.destinationName] else {
                findings.error(
                    label(place),
                    "its destination \(place.declaration.destinationName) is not in the model")
                return nil
            }
            let inverse = inverse(of: place, destination: destination, places, byOwner)
            guard let index = place.index else { return nil }
            return Relationship(
                place.declaration, slot: place.slot, index: index, owner: place.owner,
                destination: destination, inverse: inverse?.index)
        }
    }

    private func label(_ place: Place) -> String {
        "\(declarations[order[place.owner]].name).\(place.declaration.name)"
    }

    /// The inverse; nil, with an error, if it does not exist or does not point back.
    private mutating func inverse(
        of place: Place, destination: Int, _ places: [Place], _ byOwner: [Int: [String: Int]]
    ) -> Place? {
        guard let name = place.declaration.inverseName else { return nil }
        let entity = place.declaration.inverseEntityName.flatMap { numbers[$0] } ?? destination
        var next: Int? = entity
        while let number = next {
            if let found = byOwner[number]?[name] {
                let back = places[found]
                guard back.declaration.inverseName == place.declaration.name,
                    let backTo = numbers[back.declaration.destinationName],
                    subtrees[backTo].contains(place.owner) || subtrees[place.owner].contains(backTo)
                else {
                    findings.error(
                        label(place), "its inverse \(label(back)) does not point back to it",
                        hint: "name \(place.declaration.name) as the inverse there, too")
                    return nil
                }
                return back
            }
            next = parents[number]
        }
        findings.error(
            label(place),
            "its inverse \(name) does not exist in \(declarations[order[entity]].name)")
        return nil
    }

    private func makeEntities(_ relationships: [Relationship]) -> [Entity] {
        var made: [Entity] = []
        let byOwner = Dictionary(grouping: relationships, by: \.owner)
        for number in order.indices {
            let declaration = declarations[order[number]]
            let parent = parents[number].map { made[$0] }
            var slot = inherited(number).slots
            var properties = parent?.properties ?? []
            for property in declaration.properties {
                switch property {
                case .attribute(let it):
                    properties.append(
                        .attribute(composites.attribute(it, slot: slot, owner: number)))
                    slot += composites.count(it)
                case .relationship(let it) where it.isTransient:
                    properties.append(.transientRelationship(it))
                case .relationship(let it):
                    if !it.isToMany { slot += 1 }
                    let linked = byOwner[number]?.first { $0.name == it.name }
                    if let linked { properties.append(.relationship(linked)) }
                case .fetchedProperty(let it):
                    properties.append(.fetchedProperty(it))
                }
            }
            made.append(
                Entity(
                    declaration: declaration, index: number, parent: parents[number],
                    root: parent?.root ?? number, subtree: subtrees[number],
                    properties: properties,
                    uniquenessConstraints: (parent?.uniquenessConstraints ?? [])
                        + declaration.uniquenessConstraints))
        }
        return made
    }
}
