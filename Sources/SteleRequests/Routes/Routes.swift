/// The route table: from a request's method and target to a `Route`.

import SteleHTTP
import SteleModel

/// The routes of a model under a base path.
package struct Routes: Sendable {
    let model: Model
    /// The prefix of every path, such as `/api`; empty at the root.
    let basePath: String
    /// The first segment of the page's files; empty for no page.
    private let pageName: String
    package let templates: FetchTemplates
    package let plainObjects: PlainObjects

    /// - Parameter page: the first segment of the page's files; empty for no page.
    package init(model: Model, basePath: String, page: String = "") {
        self.model = model
        self.basePath = basePath
        pageName = page
        templates = FetchTemplates(model)
        plainObjects = PlainObjects(model, basePath: basePath)
    }

    /// The route of a request.
    /// - Throws: `Problem`: 400 for an address that cannot be read, 404 with the nearest name, 405
    ///   with `Allow`.
    package func match(_ request: Request) throws -> Route {
        guard let method = Method(rawValue: request.method) else {
            let (resource, pattern, _) = try resource(at: request.path)
            throw refusal(of: request.method, resource, Self.methods(resource, pattern))
        }
        if request.path == "*", method == .options {
            return Route(
                method: method,
                resource: .options(allow: Method.allow([.get, .post, .put, .patch, .delete])),
                pattern: .index)
        }
        let (resource, pattern, context) = try resource(at: request.path)
        let allowed = Self.methods(resource, pattern)
        if method == .options {
            return Route(
                method: method, resource: .options(allow: Method.allow(allowed)), pattern: pattern)
        }
        guard allowed.contains(method == .head ? .get : method) else {
            throw refusal(of: method.rawValue, resource, allowed)
        }
        return Route(method: method, resource: resource, pattern: pattern, context: context)
    }

    /// What a path names, and the editing context that it is below.
    private func resource(
        at path: String
    ) throws -> (Route.Resource, RoutePattern, context: String?) {
        if let object = plainObjects.address(path) { return (.object(object), .object, nil) }
        let segments = try segments(of: path)
        if segments.first == "contexts" { return try editing(segments.dropFirst()) }
        let (resource, pattern) = try resource(segments)
        return (resource, pattern, nil)
    }

    /// The decoded segments of a path after the base path.
    private func segments(of target: String) throws -> [String] {
        guard target.utf8.starts(with: basePath.utf8) else { throw outsideBasePath(target) }
        // Split by bytes: no other character contains the byte of a slash.
        let slash = UInt8(ascii: "/")
        let rest = target.utf8.dropFirst(basePath.utf8.count)
        guard let first = rest.first else { return [] }
        guard first == slash else { throw outsideBasePath(target) }
        if rest.count == 1 { return [] }
        let segments = try rest.dropFirst().split(
            separator: slash, omittingEmptySubsequences: false
        ).map { segment in
            var text = Substring(segment)
            return try text.withUTF8 {
                try PercentDecoding.decode($0, plusIsSpace: false, what: "the path")
            }
        }
        if let empty = segments.firstIndex(of: "") {
            throw Problem(
                .route, "the path \(target) has an empty segment",
                hint: empty == segments.count - 1 ? "remove the last slash" : nil)
        }
        return segments
    }

    private func outsideBasePath(_ target: String) -> Problem {
        Problem(.route, "there is no route \(target)", hint: "every route begins with \(basePath)/")
    }

    private func resource(_ segments: [String]) throws -> (Route.Resource, RoutePattern) {
        guard let first = segments.first else { return (.index, .index) }
        let rest = segments.dropFirst()
        switch (first, rest.count) {
        case ("healthz", 0): return (.health, .health)
        case ("readyz", 0): return (.readiness, .readiness)
        case ("metrics", 0): return (.metrics, .metrics)
        case ("backup", 0): return (.backup, .backup)
        case ("model", 0): return (.model, .model)
        case ("model", 1) where rest.first == "versions": return (.modelVersions, .modelVersions)
        case ("model", 2) where rest.first == "versions":
            return (.modelVersion(rest.last ?? ""), .modelVersion)
        case ("model", 1) where rest.first == "changes": return (.modelChanges, .modelChanges)
        case ("rights", 0): return (.rights, .rights)
        case (pageName, 1...) where !pageName.isEmpty:
            return (.page(rest.joined(separator: "/")), .page)
        case ("metadata", 0): return (.metadata, .metadata)
        case ("changes", 0): return (.changes, .changes)
        case ("live", 0): return (.live, .live)
        case ("tickets", 0): return (.tickets, .tickets)
        case ("docs", 1) where rest.first == "errors": return (.errorCodes, .errorCodes)
        case ("openapi.json", 0): return (.openAPI, .openAPI)
        case ("transactions", 0): return (.transactions, .transactions)
        case ("fetch", 0): return (.templates, .templates)
        case ("fetch", 1):
            return (.template(try templates.named(rest.first ?? "", basePath)), .template)
        case ("fetch", _): throw unknownRoute(segments)
        case ("entities", 0):
            throw Problem(.route, "/entities must be followed by the name of an entity")
        case ("entities", _):
            return try data(entity(rest.first ?? ""), rest.dropFirst())
        default:
            guard Self.livesAtRoot(first) else { throw unknownRoute(segments) }
            return try data(entity(first), rest)
        }
    }

    /// Whether an entity with this name has its route at the root.
    static func livesAtRoot(_ name: String) -> Bool {
        name.unicodeScalars.first?.properties.isUppercase ?? false
    }

    func entity(_ name: String) throws -> Entity {
        if let entity = model.entity(named: name) { return entity }
        let near = Nearest.name(to: name, among: model.entities.lazy.map(\.name))
        throw Problem(
            .entity, "the model \(model.name) has no entity \(name)",
            hint: near.map { "did you mean \(Self.path(ofEntity: $0, basePath))?" })
    }

    private func unknownRoute(_ segments: [String]) -> Problem {
        let first = segments.joined(separator: "/")
        let own = RoutePattern.allCases.map(\.rawValue).filter { !$0.contains("{") }
        let entities = model.entities.map { Self.path(ofEntity: $0.name, "") }
        return Problem(
            .route, "there is no route /\(first)",
            hint: Nearest.name(to: "/" + first, among: own + entities).map {
                "did you mean \(basePath)\($0)?"
            } ?? "GET \(basePath)/ lists the routes")
    }

    /// The address of an entity's list.
    package static func path(ofEntity name: String, _ basePath: String) -> String {
        livesAtRoot(name) ? "\(basePath)/\(name)" : "\(basePath)/entities/\(name)"
    }
}
