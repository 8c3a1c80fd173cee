/// `GET /rights`: what the sender of the request may do.

import SteleJSON
import SteleModel
import SteleRequests

/// The rights of a sender as JSON. A rule is not told, only that there is one.
enum RightsPage {
    /// - Parameter isReadOnly: whether the store refuses every write.
    static func json(_ rights: Rights, _ model: Model, isReadOnly: Bool) -> JSONValue {
        .object([
            ("token", rights.name.isEmpty ? .null : .string(rights.name)),
            ("role", rights.role.map { .string($0) } ?? .null),
            (
                "entities",
                .object(model.entities.map { ($0.name, entity($0, rights, isReadOnly)) })
            ),
            (
                "service",
                .object(
                    Rights.ServiceRoute.allCases.map { ($0.rawValue, .bool(rights.gives($0))) })
            ),
        ])
    }

    private static func entity(
        _ entity: Entity, _ rights: Rights, _ isReadOnly: Bool
    ) -> JSONValue {
        .object(
            Rights.Verb.allCases.map { verb in
                if isReadOnly, verb != .read { return (verb.rawValue, false) }
                return switch rights.grant(verb, on: entity) {
                case .none: (verb.rawValue, false)
                case .all: (verb.rawValue, true)
                case .rows: (verb.rawValue, "some")
                }
            })
    }
}
