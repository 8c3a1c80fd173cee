/// What the sender of a request may do.

import SteleHTTP
import SteleModel
import StelePersistence
import StelePredicates
import SteleSystem

/// The rights of a role, for one user.
package final class Rights: Sendable {
    /// What is done with objects.
    package enum Verb: String, CaseIterable, Sendable {
        case read, create, update, delete
    }

    /// The objects of an entity with which a verb may be done.
    package enum Grant: Sendable {
        case none, all
        /// Those that match a predicate, which is checked for the entity.
        case rows(Predicate)
    }

    /// A route of the service itself that a role may be given.
    package enum ServiceRoute: String, Sendable, CaseIterable {
        case metrics = "/metrics"
        case backup = "/backup"
    }

    /// The name of the token; empty where requests need none.
    package let name: String
    /// The name of the role; nil for all rights.
    package let role: String?
    /// What is visible; nil for everything.
    package let sight: Sight?
    /// Differs for roles, users and rules that differ; nil for all rights.
    package let mark: String?
    /// The entities by their index; empty for all rights.
    private let entities: [Entity]
    /// The keys of the paths in all rules of the role.
    private let keys: Set<String>
    /// By verb and by the index of the entity.
    private let grants: [Verb: [Grant]]
    /// Whether the evaluation of a rule may end with an error.
    private let mayFail: Bool
    private let service: Set<ServiceRoute>
    /// Whether the file that gave them still holds; nil for rights that no file gave.
    private let validity: Validity?
    /// When they end, in seconds since 2001; infinite where only the file ends them.
    private let end: Double

    /// All rights.
    /// - Parameter name: the name of the token; empty where requests need none.
    package init(ofAll name: String = "", _ validity: Validity? = nil) {
        self.name = name
        role = nil
        sight = nil
        mark = nil
        entities = []
        keys = []
        grants = [:]
        mayFail = false
        service = []
        self.validity = validity
        end = .infinity
    }

    /// The same rights with an end.
    /// - Parameter end: in seconds since 2001.
    init(_ rights: Rights, until end: Double) {
        name = rights.name
        role = rights.role
        sight = rights.sight
        mark = rights.mark
        entities = rights.entities
        keys = rights.keys
        grants = rights.grants
        mayFail = rights.mayFail
        service = rights.service
        validity = rights.validity
        self.end = end
    }

    /// The rights of a role.
    /// - Parameters:
    ///   - name: the name of the token.
    ///   - user: the value of `$USER`; nil for none, and then no object matches a predicate that
    ///     has it.
    /// - Throws: `RightsError` for an entity that the model does not have, and for a predicate that
    ///   does not fit it.
    package init(
        _ role: RoleDeclaration, name: String, user: String?, model: Model,
        _ validity: Validity? = nil
    ) throws(RightsError) {
        self.name = name
        self.role = role.name
        self.validity = validity
        end = .infinity
        keys = Self.keys(role.keys, of: model)
        service = role.service
        var grants: [Verb: [Grant]] = [:]
        for verb in Verb.allCases {
            var all: [Grant] = []
            for entity in model.entities {
                all.append(try role.grant(verb, on: entity, user: user, model: model))
            }
            grants[verb] = all
        }
        self.grants = grants
        mayFail = grants.values.joined().contains {
            if case .rows(let rule) = $0 { rule.traits.mayFail } else { false }
        }
        let rules = grants[.read, default: []].map { grant -> Predicate? in
            switch grant {
            case .none: .constant(false)
            case .all: nil
            case .rows(let predicate): predicate
            }
        }
        // The user's name is part of the rules, by its bytes: texts that are equal to Swift may be
        // of two users.
        let part = user.map { "=" + Secret.hexadecimal($0.utf8) } ?? ""
        let mark = "\(role.name)\n\(role.fingerprint)\n\(part)"
        self.mark = mark
        entities = model.entities
        // Where all is seen nothing is woven, and gets are answered from the row cache.
        sight =
            rules.allSatisfy { $0 == nil } ? nil : Sight(name: mark, model: model, rules: rules)
    }

    /// The name of requests without a token, where a role is theirs.
    static let anonymous = "anonymous"

    /// The rights of a health check, and of the page's files, without a token. They have no data.
    static let withoutToken = Rights()

    /// Whether the sender has no token of a service that has tokens: a health check then tells
    /// nothing of the store.
    package var lacksToken: Bool { self === Self.withoutToken || name == Self.anonymous }

    /// The name under which a sender's requests count: that of the token, else the address.
    package func client(of request: Request) -> String {
        name.isEmpty || name == Self.anonymous ? request.clientNetwork : "token \(name)"
    }

    /// Whether they may end before the process does.
    package var canEnd: Bool { validity != nil }

    /// Whether they have not ended.
    package var isValid: Bool {
        validity?.isOver != true && (end == .infinity || ReferenceDate.now < end)
    }

    /// The keys, and those from which derived attributes among them are computed.
    private static func keys(_ keys: Set<String>, of model: Model) -> Set<String> {
        var all = keys
        for entity in model.entities {
            for case .attribute(let it) in entity.properties where keys.contains(it.name) {
                switch (try? Derivation(it, of: entity, in: model))?.source {
                case .count(let relationship), .sum(let relationship, _):
                    all.insert(relationship.name)
                case .value(let path, _, _): all.formUnion(path.map(\.name))
                case .now, nil: break
                }
            }
        }
        return all
    }

    /// Whether a rule of the role has a key with that name, or is computed from it.
    package func uses(_ key: String) -> Bool { keys.contains(key) }

    /// Whether everything may be done: with all objects, and with the service itself.
    package var isAll: Bool { role == nil }

    /// Whether a route of the service itself may be used.
    package func gives(_ route: ServiceRoute) -> Bool { isAll || service.contains(route) }

    /// The objects of an entity with which a verb may be done, those of its subentities among them.
    package func grant(_ verb: Verb, on entity: Entity) -> Grant {
        isAll ? .all : grants[verb]?[entity.index] ?? .none
    }

    /// An error of what was planned as the sender is told it: nothing of a rule that fails.
    package func told(_ error: any Error) -> any Error {
        mayFail ? RuleFailure(error) ?? error : error
    }

    /// Checks that a verb may be done with some objects of an entity.
    /// - Throws: `Problem`, 403.
    package func check(_ verb: Verb, _ entity: Entity) throws(Problem) {
        if case .none = grant(verb, on: entity) { throw refusal(verb, entity) }
    }

    /// Checks that a route may be used. The objects themselves are judged when they are read or
    /// changed.
    /// - Throws: `Problem`, 403.
    func check(_ route: Route, _ model: Model) throws(Problem) {
        if isAll { return }
        // A context may be of a token that had more rights when it was made.
        if route.context != nil { try checkAll("use editing contexts") }
        switch route.resource {
        case .metrics: try check(.metrics, "read the metrics")
        case .backup: try check(.backup, "make a backup")
        case .metadata: try checkAll("\(route.isRead ? "read" : "change") the metadata")
        case .changes where route.method == .delete: try checkAll("delete the history")
        case .contexts, .context: try checkAll("use editing contexts")
        case .tickets where name == Self.anonymous: throw Access.withoutToken
        case .index, .page, .rights, .health, .readiness, .model, .modelVersions, .modelVersion,
            .modelChanges, .changes, .live, .tickets, .errorCodes, .openAPI,
            .templates, .transactions, .options:
            break
        case .list(let entity):
            let verb: Verb =
                switch route.method {
                case .post: .create
                case .patch: .update
                case .delete: .delete
                default: .read
                }
            try check(verb, entity)
        case .count(let entity), .query(let entity): try check(.read, entity)
        case .template(let template): try check(.read, template.entity)
        case .object(let object):
            let verb: Verb =
                route.isRead ? .read : route.method == .delete ? .delete : .update
            try check(verb, object.entity)
        case .related(let owner, let it), .relatedCount(let owner, let it),
            .member(let owner, let it, _):
            try check(route.isRead ? .read : .update, owner.entity)
            try check(.read, model.destination(of: it))
        case .binary(let owner, _): try check(route.isRead ? .read : .update, owner.entity)
        case .fetched(let owner, _): try check(.read, owner.entity)
        }
    }

    /// Checks a verb for stored objects that are seen or at the other end of a link.
    /// - Parameters:
    ///   - keys: the objects by the index of their concrete entity.
    ///   - reader: a view of everything.
    /// - Throws: `Problem`, 403; `StoreError`.
    package func check(
        _ verb: Verb, _ keys: [Int: [Int64]], in reader: any StoreReader
    ) throws {
        if isAll { return }
        // An object that the request names is known to be visible; a hidden one is at the other end of
        // a link. It must not change the error for visible ones, and the error for it names its root
        // entity alone.
        var hiddenRoot: Int?
        for (index, all) in keys.sorted(by: { $0.key < $1.key }) {
            let entity = entities[index]
            let seen = try sight?.seen(all, root: entity.root, in: reader) ?? Set(all)
            if seen.count < Set(all).count { hiddenRoot = min(hiddenRoot ?? .max, entity.root) }
            if seen.isEmpty { continue }
            let shown = seen.sorted()
            switch grant(verb, on: entity) {
            case .all: break
            case .none: throw refusal(verb, entity, key: shown.first)
            case .rows(let rule):
                let fitting = try Sight.keys(shown, of: entity, matching: rule, in: reader)
                if let other = shown.first(where: { !fitting.contains($0) }) {
                    throw refusal(verb, entity, key: other)
                }
            }
        }
        if let hiddenRoot { throw refusal(verb, entities[hiddenRoot]) }
    }

    /// Checks that a route of the service itself may be used.
    /// - Parameter what: what is asked for.
    /// - Throws: `Problem`, 403.
    private func check(_ route: ServiceRoute, _ what: String) throws(Problem) {
        if gives(route) { return }
        try checkAll(what, hint: "a role gives it by \"\(route.rawValue)\": true")
    }

    /// Checks that the service itself may be used, or all of its data at once.
    /// - Parameter what: what is asked for, such as `a backup`.
    /// - Throws: `Problem`, 403.
    package func checkAll(
        _ what: String, hint: String = "only a token with the role all gives it"
    ) throws(Problem) {
        guard let role else { return }
        throw Problem(
            .right, "the role \(role) does not give the right to \(what)", hint: hint)
    }

    /// The error for a verb that may not be done with an entity, or with an object that is seen.
    /// - Parameter isNow: whether the object as it would be is refused.
    package func refusal(
        _ verb: Verb, _ entity: Entity, key: Int64? = nil, isNow: Bool = false
    ) -> Problem {
        let object = key.map { " \(TemporaryID.text($0))" } ?? ""
        return Problem(
            .right,
            "the role \(role ?? RightsFile.all) does not give the right to \(verb.rawValue) "
                + "\(entity.name)\(object)" + (isNow ? " so that it has these values" : ""),
            hint: lacksToken ? "send Authorization: Bearer TOKEN with a token that gives it" : nil)
    }
}
