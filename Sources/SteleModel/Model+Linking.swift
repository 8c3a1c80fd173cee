/// Checks and links a declared model: entity order, inheritance, slots and inverses.

extension Model {
    /// Checks and links a declared model.
    ///
    /// - Throws: `ModelErrors` with every error found: duplicate names, a missing parent or
    ///   destination, a cycle of parents, an inverse that is missing or does not point back, and
    ///   what `ModelCheck` reports.
    public convenience init(_ declaration: ManagedObjectModel) throws(ModelErrors) {
        var linker = ModelLinker(declaration)
        let (entities, relationships) = try linker.link()
        self.init(
            declaration: declaration, entities: entities, relationships: relationships)
        let mistakes = ModelCheck.findings(in: self).errors
        guard mistakes.isEmpty else { throw ModelErrors(mistakes) }
    }
}

/// Links a model in steps. Each step may add errors; the next one runs only if there are none.
struct ModelLinker {
    private let declarations: [EntityDescription]
    private let composites: CompositeLayout
    /// The most levels of inheritance: linking recurses once for each level.
    private static let depthLimit = 200
    private var mistakes: [ModelError] = []
    /// Indexes into `declarations` in Z_ENT order, and the parent and subtree of each entity in
    /// that order.
    private var order: [Int] = []
    private var parents: [Int?] = []
    private var subtrees: [Range<Int>] = []
    private var numbers: [String: Int] = [:]

    init(_ declaration: ManagedObjectModel) {
        declarations = declaration.entities
        composites = CompositeLayout(declaration.composites)
    }

    mutating func link() throws(ModelErrors) -> ([Entity], [Relationship]) {
        checkNames()
        try stopAtMistakes()
        sortIntoFamilies()
        try stopAtMistakes()
        let relationships = linkRelationships()
        try stopAtMistakes()
        return (makeEntities(relationships), relationships)
    }

    private func stopAtMistakes() throws(ModelErrors) {
        if !mistakes.isEmpty { throw ModelErrors(mistakes) }
    }

    private mutating func checkNames() {
        var seen = Set<String>()
        for entity in declarations {
            if entity.name.isEmpty { mistakes.append(ModelError("", "an entity has no name")) }
            if !seen.insert(entity.name).inserted {
                mistakes.append(ModelError(entity.name, "the model has two entities of this name"))
            }
            var own = Set<String>()
            for property in entity.properties where !own.insert(property.name).inserted {
                mistakes.append(
                    ModelError(
                        "\(entity.name).\(property.name)",
                        "the entity has two properties of this name"))
            }
        }
        for entity in declarations {
            for case .attribute(let it) in entity.properties where composites.isTooLarge(it) {
                mistakes.append(
                    ModelError(
                        "\(entity.name).\(it.name)",
                        "it comes to more than \(CompositeLayout.limit) attributes",
                        hint: "split its composite"))
            }
        }
        for entity in declarations {
            guard let parent = entity.parentName, !seen.contains(parent) else { continue }
            mistakes.append(
                ModelError(entity.name, "its parent entity \(parent) is not in the model"))
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
        // Adds an entity and its subentities under `parent`.
        func place(
            _ index: Int, under parent: Int?, depth: Int, into linker: inout ModelLinker
        ) {
            let name = linker.declarations[index].name
            guard depth < ModelLinker.depthLimit else {
                linker.mistakes.append(
                    ModelError(
                        name, "it has more than \(ModelLinker.depthLimit) parents above it"))
                return
            }
            let number = linker.order.count
            linker.order.append(index)
            linker.parents.append(parent)
            linker.subtrees.append(number..<number)
            linker.numbers[name] = number
            for child in children[name] ?? [] {
                place(child, under: number, depth: depth + 1, into: &linker)
            }
            linker.subtrees[number] = number..<linker.order.count
        }
        for root in children[""] ?? [] { place(root, under: nil, depth: 0, into: &self) }
        guard mistakes.isEmpty else { return }
        for entity in declarations where numbers[entity.name] == nil {
            mistakes.append(
                ModelError(
                    entity.name, "it inherits from itself by way of its parent entities",
                    hint: "break the loop of parents"))
        }
    }

    /// The number of slots and to-many relationships that an entity inherits.
    private func inherited(_ number: Int) -> (slots: Int, toManys: Int) {
        var (slots, toManys) = (0, 0)
        var next = parents[number]
        while let parent = next {
            for property in declarations[order[parent]].properties {
                switch property {
                case .attribute(let it): slots += composites.count(it)
                case .relationship(let it) where it.isToMany: toManys += 1
                case .relationship: slots += 1
                case .fetchedProperty: break
                }
            }
            next = parents[parent]
        }
        return (slots, toManys)
    }

    private struct Place {
        var declaration: RelationshipDescription
        var owner: Int
        var slot: Int
    }

    private mutating func linkRelationships() -> [Relationship] {
        var places: [Place] = []
        var byOwner: [Int: [String: Int]] = [:]
        for number in order.indices {
            var (slot, toMany) = inherited(number)
            for property in declarations[order[number]].properties {
                switch property {
                case .attribute(let it): slot += composites.count(it)
                case .fetchedProperty: break
                case .relationship(let it):
                    byOwner[number, default: [:]][it.name] = places.count
                    places.append(
                        Place(declaration: it, owner: number, slot: it.isToMany ? toMany : slot))
                    if it.isToMany { toMany += 1 } else { slot += 1 }
                }
            }
        }
        return places.enumerated().compactMap { index, place in
            guard let destination = numbers[place.declaration.destinationName] else {
                mistakes.append(
                    ModelError(
                        label(place),
                        "its destination \(place.declaration.destinationName) is not in the model"))
                return nil
            }
            return Relationship(
                place.declaration, slot: place.slot, index: index, owner: place.owner,
                destination: destination,
                inverse: inverse(of: place, destination: destination, places, byOwner))
        }
    }

    private func label(_ place: Place) -> String {
        "\(declarations[order[place.owner]].name).\(place.declaration.name)"
    }

    /// The index of the inverse; nil, with an error, if it does not exist or does not point back.
    private mutating func inverse(
        of place: Place, destination: Int, _ places: [Place], _ byOwner: [Int: [String: Int]]
    ) -> Int? {
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
                    mistakes.append(
                        ModelError(
                            label(place), "its inverse \(label(back)) does not point back to it",
                            hint: "name \(place.declaration.name) as the inverse there, too"))
                    return nil
                }
                return found
            }
            next = parents[number]
        }
        mistakes.append(
            ModelError(
                label(place),
                "its inverse \(name) does not exist in \(declarations[order[entity]].name)"))
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
