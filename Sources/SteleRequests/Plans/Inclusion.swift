/// What an answer embeds: the paths of `include` as a tree.

import SteleModel

/// What is embedded below one entity.
package struct Inclusion: Sendable {
    /// A relationship or fetched property to embed, with what is embedded below it.
    package struct Branch: Sendable {
        package enum Kind: Sendable {
            case relationship(Relationship)
            case fetched(FetchedProperty)
        }

        package let kind: Kind
        /// The entities whose objects have the property.
        package let owners: Range<Int>
        /// What is embedded in the destinations.
        package let below: Inclusion

        var name: String {
            switch kind {
            case .relationship(let it): it.name
            case .fetched(let it): it.name
            }
        }

        /// `Relationship.index` or `FetchedProperty.index`, which are never equal.
        package var index: Int {
            switch kind {
            case .relationship(let it): it.index
            case .fetched(let it): it.index
            }
        }
    }

    package let branches: [Branch]

    /// The empty tree.
    package static let none = Inclusion(branches: [])

    private init(branches: [Branch]) { self.branches = branches }

    /// The tree of one path of relationships.
    package init(_ path: some Sequence<Relationship>, _ model: Model) {
        self = path.reversed().reduce(.none) { below, relationship in
            Inclusion(branches: [
                Branch(
                    kind: .relationship(relationship),
                    owners: model.entities[relationship.owner].subtree, below: below)
            ])
        }
    }

    package var isEmpty: Bool { branches.isEmpty }

    package func branch(_ index: Int) -> Branch? { branches.first { $0.index == index } }

    /// Makes the tree of paths. A key may be a property of a subentity; other objects leave it out.
    /// - Throws: `Problem` for a path that leads nowhere, with the nearest relationship, or to
    ///   relationships of several subentities.
    /// - Parameter passed: the number of keys that lead to the entity.
    init(
        _ paths: [ListCall.IncludePath], passed: Int = 0, from entity: Entity, model: Model
    ) throws {
        var branches: [(name: String, sharing: [ListCall.IncludePath])] = []
        for path in paths where path.keys.count > passed {
            let name = path.keys[passed]
            if let known = branches.firstIndex(where: { $0.name == name }) {
                branches[known].sharing.append(path)
            } else {
                branches.append((name, [path]))
            }
        }
        self.branches = try branches.map { name, sharing in
            let (owner, kind, destination) = try Self.kind(name, of: entity, model) {
                sharing[0].problem($0, key: passed, hint: $1)
            }
            return Branch(
                kind: kind, owners: owner.subtree,
                below: try Inclusion(
                    sharing, passed: passed + 1, from: destination, model: model))
        }
    }

    private static func kind(
        _ name: String, of entity: Entity, _ model: Model,
        problem: (String, String?) -> Problem
    ) throws -> (owner: Entity, Branch.Kind, destination: Entity) {
        let owners = model.owners(of: name, below: entity)
        guard owners.count <= 1 else {
            throw problem(
                "include names \(name) of \(entity.name), and its subentities "
                    + "\(owners.map(\.name).joined(separator: ", ")) each have one of their own",
                "send a request for each of these subentities")
        }
        let owner = owners.first ?? entity
        switch owner.property(named: name) {
        case .relationship(let it): return (owner, .relationship(it), model.destination(of: it))
        case .fetchedProperty(let it):
            let property = try FetchedProperty(it, of: owner, model)
            return (owner, .fetched(property), property.request.entity)
        case .attribute:
            throw problem(
                "include names \(name) of \(owner.name), an attribute, which is in the answer "
                    + "anyway", nil)
        case .transientRelationship:
            throw problem(
                "include names \(name) of \(owner.name), which is transient: nothing keeps it", nil)
        case nil:
            func names(_ entity: Entity) -> [String] {
                entity.properties.compactMap { property -> String? in
                    if case .attribute = property { nil } else { property.name }
                }
            }
            let own = names(entity)
            throw problem(
                "include names \(name), which is not a relationship of \(entity.name)",
                Nearest.hint(to: name, among: own + model.family(of: entity).flatMap(names))
                    ?? (own.isEmpty
                        ? nil : "its relationships are \(own.joined(separator: ", "))"))
        }
    }
}

extension Model {
    /// The entity itself if it has a property with that name, otherwise the topmost of its
    /// subentities that have one.
    fileprivate func owners(of name: String, below entity: Entity) -> [Entity] {
        if entity.property(named: name) != nil { return [entity] }
        return family(of: entity).filter { below in
            below.property(named: name) != nil
                && below.parent.map { entities[$0].property(named: name) == nil } ?? true
        }
    }
}

extension ListCall.IncludePath {
    /// A problem with one key of the path, at its place.
    fileprivate func problem(_ detail: String, key: Int, hint: String?) -> Problem {
        let before = keys[..<key].reduce(0) { $0 + $1.unicodeScalars.count + 1 }
        return excerpt.problem(detail, at: before, near: keys[key], hint: hint)
    }
}
