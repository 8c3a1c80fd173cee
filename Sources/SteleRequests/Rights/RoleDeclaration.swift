/// Roles as they are declared: texts, before a model is known.

import SteleModel
import StelePredicates

/// An error of a rights file, with its place.
package struct RightsError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// The rights of a role by entity and verb.
package struct RoleDeclaration: Sendable {
    /// A right as the file has it.
    package enum Right: Sendable {
        case none, all
        case rows(Predicate, text: String)

        /// The right as a text. A predicate is not one of the words.
        fileprivate var text: String {
            switch self {
            case .none: "false"
            case .all: "true"
            case .rows(_, let text): "\"\(text)\""
            }
        }
    }

    /// The name of the role.
    package let name: String
    /// By the name of the entity; `*` stands for all entities that are not named.
    private let rights: [String: [Rights.Verb: Right]]
    /// What of the service itself it may use.
    let service: Set<Rights.ServiceRoute>

    /// The name that stands for all other entities.
    static let others = "*"
    /// The variable with the user's name.
    static let user = "USER"

    package init(
        _ name: String, _ rights: [String: [Rights.Verb: Right]],
        service: Set<Rights.ServiceRoute> = []
    ) {
        self.name = name
        self.rights = rights
        self.service = service
    }

    /// The keys of the paths in all rules.
    var keys: Set<String> {
        var keys = Set<String>()
        for case .rows(let predicate, _) in rights.values.flatMap(\.values) {
            predicate.visit { if case .keyPath(_, let path) = $0 { keys.formUnion(path) } }
        }
        return keys
    }

    /// A text that is equal for equal rights only.
    var fingerprint: String {
        let lines = rights.sorted { $0.key < $1.key }.flatMap { entity, verbs in
            Rights.Verb.allCases.compactMap { verb in
                verbs[verb].map { "\(entity)\n\(verb)\n\($0.text)" }
            }
        }
        return Secret.hexadecimal(Secret.hash(lines.joined(separator: "\0").utf8).prefix(8))
    }

    /// Checks the names of the entities.
    package func check(_ model: Model) throws(RightsError) {
        for entity in rights.keys.sorted() where entity != Self.others {
            if model.entity(named: entity) != nil { continue }
            let hint = Nearest.hint(to: entity, among: model.entities.map(\.name))
            throw RightsError(
                "the role \(name): the model \(model.name) has no entity \(entity)"
                    + (hint.map { " (\($0))" } ?? ""))
        }
    }

    /// The right on the objects of an entity and its subentities. A subentity has the right of its
    /// nearest named parent unless it is named itself.
    func grant(
        _ verb: Rights.Verb, on entity: Entity, user: String?, model: Model
    ) throws(RightsError) -> Rights.Grant {
        // The concrete entities by where their right is declared.
        var groups: [(place: String, names: [String])] = []
        for index in entity.subtree where !model.entities[index].isAbstract {
            let place = place(of: model.entities[index], model)
            if let known = groups.firstIndex(where: { $0.place == place }) {
                groups[known].names.append(model.entities[index].name)
            } else {
                groups.append((place, [model.entities[index].name]))
            }
        }
        if groups.isEmpty { groups = [(place(of: entity, model), [])] }
        let parts = groups.map { (right(verb, at: $0.place, user), $0) }
        if parts.allSatisfy({ if case .none = $0.0 { true } else { false } }) { return .none }
        if parts.allSatisfy({ if case .all = $0.0 { true } else { false } }) { return .all }
        let conditions = parts.compactMap { right, group -> Predicate? in
            let isOfGroup = Predicate.comparison(
                Comparison(
                    .key("_entity"), .in,
                    .aggregate(group.names.map { .constant(.string($0)) })))
            switch right {
            case .none: return nil
            case .all: return isOfGroup
            case .rows(let predicate, _):
                return parts.count == 1 ? predicate : .and([isOfGroup, predicate])
            }
        }
        // A text, whatever it is: as a written value `{owner}` would be an expression, and `nil` null.
        let names = Names(
            model: model, entity: entity,
            variables: user.map { [(Self.user, .value(.string($0)))] } ?? [], storeIdentifiers: [])
        do {
            return .rows(
                try names.plain(conditions.count == 1 ? conditions[0] : .or(conditions)))
        } catch {
            let rules = parts.compactMap { right, _ -> String? in
                if case .rows(_, let text) = right { text } else { nil }
            }
            throw RightsError(
                "the role \(name): \(verb.rawValue) of \(entity.name): "
                    + "\(Self.located(error, in: rules))")
        }
    }

    /// An error with its position in the rule that it is in.
    private static func located(_ error: any Error, in rules: [String]) -> any Error {
        guard let mistake = error as? PredicateError,
            let rule = rules.first(where: { mistake.found(in: $0) != nil })
        else { return error }
        return mistake.located(in: rule)
    }

    private func right(_ verb: Rights.Verb, at place: String, _ user: String?) -> Right {
        let right = rights[place]?[verb] ?? .none
        // Without a user nothing is that user's.
        if case .rows(let predicate, _) = right, user == nil,
            predicate.freeVariables.contains(Self.user)
        {
            return .none
        }
        return right
    }

    /// The name under which the right of an entity is declared.
    private func place(of entity: Entity, _ model: Model) -> String {
        var next: Entity? = entity
        while let it = next {
            if rights[it.name] != nil { return it.name }
            next = it.parent.map { model.entities[$0] }
        }
        return Self.others
    }
}
