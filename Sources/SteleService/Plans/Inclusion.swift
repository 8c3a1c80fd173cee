/// Which relationships an answer embeds: the paths of `include`, as a tree.

import SteleModel

/// The relationships to embed below one entity.
struct Inclusion: Sendable {
    /// One relationship to embed, and what below it.
    struct Branch: Sendable {
        let relationship: Relationship
        let below: Inclusion
    }

    let branches: [Branch]

    /// Nothing.
    static let none = Inclusion(branches: [])

    private init(branches: [Branch]) { self.branches = branches }

    var isEmpty: Bool { branches.isEmpty }

    /// The branch of a relationship, or nil.
    func branch(_ relationship: Int) -> Branch? {
        branches.first { $0.relationship.index == relationship }
    }

    /// The tree of those paths.
    /// - Throws: `Problem` that names a path which leads nowhere, with the nearest relationship.
    init(_ paths: [[String]], from entity: Entity, model: Model) throws {
        var order: [String] = []
        var rests: [String: [[String]]] = [:]
        for path in paths {
            guard let first = path.first else { continue }
            if rests[first] == nil { order.append(first) }
            rests[first, default: []].append(Array(path.dropFirst()))
        }
        branches = try order.map { name in
            let relationship = try Self.relationship(name, of: entity)
            let below = (rests[name] ?? []).filter { !$0.isEmpty }
            return Branch(
                relationship: relationship,
                below: try Inclusion(
                    below, from: model.destination(of: relationship), model: model))
        }
    }

    private static func relationship(_ name: String, of entity: Entity) throws -> Relationship {
        switch entity.property(named: name) {
        case .relationship(let it): return it
        case .fetchedProperty: throw Problem.notBuilt("including fetched properties")
        case .attribute:
            throw Problem(
                .parameter,
                "include names \(name) of \(entity.name), which is an attribute: it is "
                    + "in the answer anyway")
        case nil:
            let names = entity.properties.compactMap { property in
                if case .relationship(let it) = property { it.name } else { nil }
            }
            throw Problem(
                .parameter, "include names \(name), which is no relationship of \(entity.name)",
                hint: Nearest.hint(to: name, among: names))
        }
    }

    /// All relationships in the tree, for what a change of them would change.
    var count: Int { branches.reduce(branches.count) { $0 + $1.below.count } }
}
