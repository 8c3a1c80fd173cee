// Routes below /contexts: what is asked of an editing context, and every data route once more.

import SteleModel

extension Routes {
    /// What the segments after `contexts` name.
    package func editing(
        _ rest: ArraySlice<String>
    ) throws -> (Route.Resource, RoutePattern, context: String?) {
        guard let id = rest.first else { return (.contexts, .contexts, nil) }
        let below = rest.dropFirst()
        if let part = try part(below) { return (.context(part), part.pattern, id) }
        let (resource, pattern) = try data(below)
        return (resource, pattern, id)
    }

    private func part(_ segments: ArraySlice<String>) throws -> ContextPart? {
        guard let first = segments.first else { return .state }
        if first == "undo-group" {
            let last = segments.dropFirst()
            if last.isEmpty { return .beginGroup }
            guard last.count == 1, last.first == "end" else { throw unknown(segments) }
            return .endGroup
        }
        guard let part = ContextPart(rawValue: first), part != .state, part != .beginGroup,
            part != .endGroup
        else { return nil }
        guard segments.count == 1 else { throw unknown(segments) }
        return part
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
            ContextPart.allCases.map(\.pattern.rawValue)
            + model.entities.map { own + Self.path(ofEntity: $0.name, "") }
        return Problem(
            .route, "there is no route \(path)",
            hint: Nearest.name(to: path, among: known).map { "did you mean \(basePath)\($0)?" }
                ?? "below a context are its own routes and every route of data")
    }
}
