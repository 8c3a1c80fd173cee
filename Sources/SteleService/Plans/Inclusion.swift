/// Which relationships and fetched properties an answer embeds: `include`'s paths, as a tree.

import SteleModel

/// The relationships to embed below one entity.
struct Inclusion: Sendable {
    /// One relationship or fetched property to embed, and what below it.
    struct Branch: Sendable {
        enum Kind: Sendable {
            case relationship(Relationship)
            case fetched(FetchedProperty)
        }

        let kind: Kind
        let below: Inclusion

        /// `Relationship.index` or `FetchedProperty.index`, which are never the same.
        var index: Int {
            switch kind {
            case .relationship(let it): it.index
            case .fetched(let it): it.index
            }
        }
    }

    let branches: [Branch]

    /// Nothing.
    static let none = Inclusion(branches: [])

    private init(branches: [Branch]) { self.branches = branches }

    var isEmpty: Bool { branches.isEmpty }

    /// The branch of that index, or nil.
    func branch(_ index: Int) -> Branch? { branches.first { $0.index == index } }

    /// The tree of those paths.
    /// - Throws: `Problem` that names a path which leads nowhere, with the nearest relationship.
    init(
        _ paths: [[String]], from entity: Entity, model: Model, visibility: Visibility
    ) throws {
        var order: [String] = []
        var rests: [String: [[String]]] = [:]
        for path in paths {
            guard let first = path.first else { continue }
            if rests[first] == nil { order.append(first) }
            rests[first, default: []].append(Array(path.dropFirst()))
        }
        branches = try order.map { name in
            let (kind, destination) = try Self.kind(name, of: entity, model, visibility)
            let below = (rests[name] ?? []).filter { !$0.isEmpty }
            return Branch(
                kind: kind,
                below: try Inclusion(
                    below, from: destination, model: model, visibility: visibility))
        }
    }

    private static func kind(
        _ name: String, of entity: Entity, _ model: Model, _ visibility: Visibility
    ) throws -> (Branch.Kind, Entity) {
        switch entity.property(named: name) {
        case .relationship(let it): return (.relationship(it), model.destination(of: it))
        case .fetchedProperty(let it):
            let property = try FetchedProperty(it, of: entity, model, visibility)
            return (.fetched(property), property.request.entity)
        case .attribute:
            throw Problem(
                .parameter,
                "include names \(name) of \(entity.name), which is an attribute: it is "
                    + "in the answer anyway")
        case nil:
            let names = entity.properties.compactMap { property -> String? in
                if case .attribute = property { nil } else { property.name }
            }
            throw Problem(
                .parameter, "include names \(name), which is no relationship of \(entity.name)",
                hint: Nearest.hint(to: name, among: names))
        }
    }

    /// All relationships in the tree, for what a change of them would change.
    var count: Int { branches.reduce(branches.count) { $0 + $1.below.count } }
}
