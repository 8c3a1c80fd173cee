// Routes below /contexts: those of the editing contexts themselves, and every data route.

import SteleModel

extension Routes {
    /// The route that the segments after `contexts` name.
    func editing(
        _ rest: ArraySlice<String>
    ) throws -> (Route.Resource, RoutePattern, context: String?) {
        guard let id = rest.first else { return (.contexts, .contexts, nil) }
        let below = rest.dropFirst()
        if id == "openapi.json", below.isEmpty { return (.openAPI, .contextsOpenAPI, nil) }
        let own = ([RoutePattern.context.rawValue] + below).joined(separator: "/")
        // A slash inside a segment was escaped, and separates nothing.
        if below.allSatisfy({ !$0.contains("/") }), let pattern = RoutePattern(rawValue: own) {
            return (.context, pattern, id)
        }
        let (resource, pattern) = try data(below)
        return (resource, pattern, id)
    }

    private func data(_ segments: ArraySlice<String>) throws -> (Route.Resource, RoutePattern) {
        let (first, rest) = (segments.first ?? "", segments.dropFirst())
        switch (first, rest.count) {
        case ("transactions", 0): return (.transactions, .transactions)
        case ("fetch", 1):
            return (.template(try templates.named(rest.first ?? "", basePath)), .template)
        case ("entities", 1...):
            return try data(entity(rest.first ?? ""), rest.dropFirst(), isEditing: true)
        default:
            guard Self.livesAtRoot(first) else { throw unknown(segments) }
            return try data(entity(first), rest, isEditing: true)
        }
    }

    private func unknown(_ segments: ArraySlice<String>) -> Problem {
        let own = RoutePattern.context.rawValue
        let path = own + "/" + segments.joined(separator: "/")
        let known =
            RoutePattern.allCases.map(\.rawValue).filter { $0.hasPrefix(own) }
            + model.entities.map { own + Self.path(ofEntity: $0.name, "") }
        return Problem(
            .route, "there is no route \(path)",
            hint: Nearest.name(to: path, among: known).map { "did you mean \(basePath)\($0)?" }
                ?? "a context has its own routes and every data route below it")
    }
}
