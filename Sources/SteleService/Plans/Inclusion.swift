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
        _ paths: [ListCall.IncludePath], from entity: Entity, model: Model,
        visibility: Visibility
    ) throws {
        try self.init(paths, passed: 0, from: entity, model: model, visibility: visibility)
    }

    /// - Parameter passed: how many keys of the paths lead to the entity.
    private init(
        _ paths: [ListCall.IncludePath], passed: Int, from entity: Entity, model: Model,
        visibility: Visibility
    ) throws {
        var order: [String] = []
        var sharing: [String: [ListCall.IncludePath]] = [:]
        for path in paths where path.keys.count > passed {
            let name = path.keys[passed]
            if sharing[name] == nil { order.append(name) }
            sharing[name, default: []].append(path)
        }
        branches = try order.map { name in
            let sharing = sharing[name] ?? []
            let (kind, destination) = try Self.kind(name, of: entity, model, visibility) {
                sharing[0].problem($0, key: passed, hint: $1)
            }
            return Branch(
                kind: kind,
                below: try Inclusion(
                    sharing, passed: passed + 1, from: destination, model: model,
                    visibility: visibility))
        }
    }

    private static func kind(
        _ name: String, of entity: Entity, _ model: Model, _ visibility: Visibility,
        problem: (String, String?) -> Problem
    ) throws -> (Branch.Kind, Entity) {
        switch entity.property(named: name) {
        case .relationship(let it): return (.relationship(it), model.destination(of: it))
        case .fetchedProperty(let it):
            let property = try FetchedProperty(it, of: entity, model, visibility)
            return (.fetched(property), property.request.entity)
        case .attribute:
            throw problem(
                "include names \(name) of \(entity.name), which is an attribute: it is "
                    + "in the answer anyway", nil)
        case nil:
            let names = entity.properties.compactMap { property -> String? in
                if case .attribute = property { nil } else { property.name }
            }
            throw problem(
                "include names \(name), which is no relationship of \(entity.name)",
                Nearest.hint(to: name, among: names)
                    ?? (names.isEmpty
                        ? nil : "its relationships are \(names.joined(separator: ", "))"))
        }
    }

    /// All relationships in the tree, for what a change of them would change.
    var count: Int { branches.reduce(branches.count) { $0 + $1.below.count } }
}

extension ListCall.IncludePath {
    /// What is wrong with the key of that number, at its place.
    fileprivate func problem(_ detail: String, key: Int, hint: String?) -> Problem {
        let before = keys[..<key].reduce(0) { $0 + $1.unicodeScalars.count + 1 }
        return excerpt.problem(detail, at: before, near: keys[key], hint: hint)
    }
}
