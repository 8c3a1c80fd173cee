// Live queries: a list at its own address, or several at `/live`.

import SteleHTTP
import SteleModel
import StelePredicates

extension Reading {
    /// The action for a list: it is read, or followed if `Accept` asks for events.
    /// - Throws: as `LivePlan`.
    func answer(_ list: ListPlan) throws -> Plan.Action {
        guard call.format == .events else { return .list(list) }
        let plan = try LivePlan(list, call, names(list.request.entity), rights.sight)
        return .live([LivePart(plan: plan, prefix: "")])
    }

    /// The queries of `/live`. Each is an address as in a request of its own.
    /// - Throws: `Problem` and `PredicateError`, with the name of the query.
    func live(_ routes: Routes) throws -> [LivePart] {
        let queries = call.query.queries
        let entity = model.entities.first?.name ?? "Entity"
        let example = "/live?q.rows=/\(entity)%3Flimit%3D10"
        guard !queries.isEmpty else {
            throw Problem(
                .parameter, "/live takes q.NAME, an address percent-encoded as a whole",
                hint: "for example \(example)")
        }
        guard queries.count <= call.limits.liveQueriesPerStream else {
            throw Problem(
                .parameter,
                "\(queries.count) live queries are more than the "
                    + "\(call.limits.liveQueriesPerStream) that one stream can show",
                hint: "open a second stream")
        }
        return try queries.map { name, address in
            guard Self.isName(name) else {
                throw Problem(
                    .parameter,
                    "q.\(name.prefix(64)) has no usable name: names of events have 1 to 64 "
                        + "letters, digits, - and _", hint: "for example \(example)")
            }
            do { return try part(name, address, routes) } catch var problem as Problem {
                problem.detail = "q.\(name): \(problem.detail)"
                throw problem
            } catch var error as PredicateError {
                error.message = "q.\(name): \(error.message)"
                throw error
            }
        }
    }

    private static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
    }

    private func part(
        _ name: String, _ address: String, _ routes: Routes
    ) throws -> LivePart {
        let halves = address.split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let request = Request(
            method: Method.get.rawValue, path: String(halves.first ?? ""),
            query: halves.count > 1 ? String(halves[1]) : nil,
            // An address that is not a list is refused below.
            headers: HTTPHeaders([("Accept", "\(MediaType.events.rawValue), */*;q=0.1")]),
            body: [])
        let route = try routes.match(request)
        if case .live = route.resource {
            throw Problem(.parameter, "a query of /live cannot be /live itself")
        }
        let call = try Call(
            request, route: route, limits: self.call.limits,
            cacheGeneration: self.call.cacheGeneration,
            storeIdentifiers: self.call.storeIdentifiers)
        let plan = try Plan(call, model: model, routes: routes, pace: pace, rights: rights)
        guard case .live(let parts) = plan.action, let one = parts.first else {
            throw Problem(
                .parameter, "\(address.prefix(100)) is not a list, and only lists can be followed",
                hint: Self.list(insteadOf: route.resource))
        }
        return LivePart(plan: one.plan, prefix: name + ".")
    }

    /// The list to follow in place of a resource that is not a list.
    private static func list(insteadOf resource: Route.Resource) -> String? {
        switch resource {
        case .object(let it), .binary(let it, _), .relatedCount(let it, _), .member(let it, _, _):
            "for one object: /\(it.entity.name)?where=_id == \(it.key)"
        case .count(let entity): "for the number: /\(entity.name)?select=n:count()"
        default: nil
        }
    }
}
