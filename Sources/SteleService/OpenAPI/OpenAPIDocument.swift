/// `GET /openapi.json`: the service as an OpenAPI 3.1 document.

import SteleHTTP
import SteleJSON
import SteleModel
import SteleRequests

/// Makes the document of a model from the tables that the service itself uses: the patterns and
/// methods of routes, the parameters, the error codes, the entities.
struct OpenAPIDocument {
    let model: Model
    let routes: Routes
    /// The name that all versions of the model share.
    let title: String
    let basePath: String
    let version: String
    /// Whether requests need the bearer token.
    let needsToken: Bool
    /// The configurations that `_store` may name; empty with one store.
    let configurations: [String]
    let limits: Limits
    let names: OpenAPISchemaNames

    init(
        model: Model, routes: Routes, title: String, basePath: String, version: String,
        needsToken: Bool, configurations: [String], limits: Limits
    ) {
        self.model = model
        self.routes = routes
        self.title = title
        self.basePath = basePath
        self.version = version
        self.needsToken = needsToken
        self.configurations = configurations
        self.limits = limits
        names = OpenAPISchemaNames(model, statuses: Self.problemStatuses)
    }

    /// The document.
    var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("openapi", "3.1.0"),
            ("info", info),
            ("servers", .array([.object([("url", .string(basePath.isEmpty ? "/" : basePath))])])),
        ]
        if needsToken { members.append(("security", [["token": []]])) }
        members.append(("tags", .array(tags)))
        members.append(("paths", .object(paths)))
        members.append(("components", .object(components)))
        return .object(members)
    }

    private var info: JSONValue {
        [
            "title": .string(title),
            "description":
                """
            The objects of the model \(title), served by Stele. HEAD is allowed wherever GET is, \
            and OPTIONS everywhere. Every entity also has the route /entities/NAME.
            """,
            "version": .string(version),
        ]
    }

    private var tags: [JSONValue] {
        model.entities.map { .object([("name", .string($0.name))]) }
            + [.object([("name", .string(Self.serviceTag))])]
    }

    /// The tag of routes that belong to no entity.
    static let serviceTag = "stele"

    // MARK: Paths

    /// The paths in the order of their patterns, with the operations of each.
    private var paths: [(String, JSONValue)] {
        var identifiers = OpenAPINames()
        return RoutePattern.allCases.flatMap(places).map { place in
            var item: [(String, JSONValue)] = []
            var isData = false
            for method in Method.allCases where method != .head && method != .options {
                guard let route = route(place, method) else { continue }
                let operation = operation(place, route)
                isData = isData || operation.isData
                item.append(
                    (
                        method.rawValue.lowercased(),
                        json(operation, place, route, id: identifiers.claim(operation.id))
                    ))
            }
            if isData { item.insert(("servers", servers), at: 0) }
            return (place.path, .object(item))
        }
    }

    /// What the router makes of an address of the place; nil if the route does not take the method.
    func route(_ place: OpenAPIPlace, _ method: Method) -> Route? {
        try? routes.match(Request(method: method.rawValue, path: basePath + place.sample))
    }

    /// A data route is also below an editing context.
    private var servers: JSONValue {
        [
            .object([("url", .string(basePath.isEmpty ? "/" : basePath))]),
            [
                "url": .string(basePath + RoutePattern.context.rawValue),
                "description":
                    """
                The same in an editing context, where ids of unsaved objects are texts such as \
                t1, and nothing is validated before the save.
                """,
                "variables": [
                    "context": [
                        "default": "CONTEXT", "description": "The id that POST /contexts gives.",
                    ]
                ],
            ],
        ]
    }

    private func json(
        _ operation: OpenAPIOperation, _ place: OpenAPIPlace, _ route: Route, id: String
    ) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("operationId", .string(id)), ("summary", .string(operation.summary)),
            ("tags", .array([.string(place.tag)])),
        ]
        if place.pattern.isHealthCheck, needsToken { members.append(("security", [])) }
        let parameters = parameters(place, route)
        if !parameters.isEmpty { members.append(("parameters", .array(parameters))) }
        if let body = operation.body { members.append(("requestBody", body)) }
        let answers =
            operation.answers.map { (String($0.status), $0.answer) }
            + statuses(operation, route).map {
                (String($0), JSONValue.object([("$ref", .string(Self.path("responses", $0)))]))
            }
        members.append(("responses", .object(answers)))
        return .object(members)
    }

    private static func path(_ kind: String, _ status: Int) -> String {
        "#/components/\(kind)/Problem\(status)"
    }

    // MARK: Components

    private var components: [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [
            ("schemas", .object(entitySchemas + fixedSchemas + problemSchemas)),
            ("responses", .object(problemResponses)),
            ("parameters", .object(sharedParameters)),
            ("headers", .object(OpenAPIHeader.allCases.map { ($0.rawValue, $0.json) })),
        ]
        if needsToken {
            members.append(
                (
                    "securitySchemes", ["token": ["type": "http", "scheme": "bearer"]]
                ))
        }
        return members
    }

    func ref(_ entity: Entity, _ form: OpenAPISchemaNames.Form) -> JSONValue {
        Self.ref(names.name(entity, form))
    }

    func ref(_ fixed: OpenAPIFixed) -> JSONValue { Self.ref(names.name(fixed)) }

    static func ref(_ name: String) -> JSONValue {
        .object([("$ref", .string("#/components/schemas/\(name)"))])
    }
}
