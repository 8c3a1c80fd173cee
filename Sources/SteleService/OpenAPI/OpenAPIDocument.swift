/// `GET /openapi.json`: the service as an OpenAPI 3.1 document, and
/// `GET /contexts/openapi.json`: its data routes in an editing context.

import SteleHTTP
import SteleJSON
import SteleModel
import SteleRequests

/// Makes the document of a model from the tables that the service itself uses: the patterns and
/// methods of routes, the parameters, the error codes, the entities.
///
/// Others generate clients of it. So each value, body and answer has one plain schema where it can,
/// and the other forms are in words.
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
    /// Whether it describes the data routes in an editing context.
    let isEditing: Bool
    let names: OpenAPISchemaNames

    init(
        model: Model, routes: Routes, title: String, basePath: String, version: String,
        needsToken: Bool, configurations: [String], limits: Limits, isEditing: Bool
    ) {
        self.model = model
        self.routes = routes
        self.title = title
        self.basePath = basePath
        self.version = version
        self.needsToken = needsToken
        self.configurations = configurations
        self.limits = limits
        self.isEditing = isEditing
        names = OpenAPISchemaNames(model, statuses: Self.problemStatuses)
    }

    /// The document.
    var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("openapi", "3.1.0"),
            ("info", info),
            ("servers", [isEditing ? context : .object([("url", .string(address("")))])]),
        ]
        if needsToken { members.append(("security", [["token": []]])) }
        members.append(("tags", .array(tags)))
        members.append(("paths", .object(paths)))
        members.append(("components", .object(components)))
        return .object(members)
    }

    private var info: JSONValue {
        let text = """
            HEAD is allowed wherever GET is, and OPTIONS everywhere. Every entity also has the \
            route /entities/NAME.

            What has several forms is described in the plainest one. POST /NAME also takes an array \
            of new objects, which it creates in one save, and PATCH a JSON Patch (RFC 6902) as \
            application/json-patch+json. Numbers are also read from strings, which keep all digits \
            of a Decimal, and null in place of a to-one destination clears it. GET of lists also \
            takes select, groupBy, having, distinct and numbers, GET of objects select and numbers, \
            and writes numbers, with which the answer has other members or values: POST \
            /NAME/query describes these.
            """
        let description =
            isEditing
            ? """
            The objects of the model \(title) in an editing context of Stele, which POST /contexts \
            makes and POST /contexts/{context}/save saves. Ids of unsaved objects are texts such as \
            t1, and nothing is validated before the save, so any value may be null. \(text)
            """ : "The objects of the model \(title), served by Stele. \(text)"
        return [
            "title": .string(title), "description": .string(description),
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
        return RoutePattern.allCases.flatMap(places).compactMap { place in
            var item: [(String, JSONValue)] = []
            for method in Method.allCases where method != .head && method != .options {
                guard let route = route(place, method) else { continue }
                let operation = operation(place, route)
                if isEditing, !operation.isData { continue }
                item.append(
                    (
                        method.rawValue.lowercased(),
                        json(operation, place, route, id: identifiers.claim(operation.id))
                    ))
            }
            return item.isEmpty ? nil : (place.path, .object(item))
        }
    }

    /// What the router makes of an address of the place; nil if the route does not take the method.
    func route(_ place: OpenAPIPlace, _ method: Method) -> Route? {
        let above = isEditing ? "/contexts/context" : ""
        return try? routes.match(
            Request(method: method.rawValue, path: basePath + above + place.sample))
    }

    /// The address of a path of the service; that of its root is never empty.
    private func address(_ path: String) -> String {
        let whole = basePath + path
        return whole.isEmpty ? "/" : whole
    }

    /// An editing context as a server.
    private var context: JSONValue {
        [
            "url": .string(address(RoutePattern.context.rawValue)),
            "variables": [
                "context": [
                    "default": "CONTEXT", "description": "The id that POST /contexts gives.",
                ]
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
            answers(operation, route)
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
            ("headers", .object(headers.map { ($0.rawValue, $0.json) })),
        ]
        if needsToken {
            members.append(
                (
                    "securitySchemes", ["token": ["type": "http", "scheme": "bearer"]]
                ))
        }
        return members
    }

    /// The header fields that answers refer to.
    private var headers: [OpenAPIHeader] {
        OpenAPIHeader.allCases.filter { !isEditing || $0 != .eTag }
    }

    func ref(_ entity: Entity, _ form: OpenAPISchemaNames.Form) -> JSONValue {
        Self.ref(names.name(entity, form))
    }

    func ref(_ fixed: OpenAPIFixed) -> JSONValue { Self.ref(names.name(fixed)) }

    static func ref(_ name: String) -> JSONValue {
        .object([("$ref", .string("#/components/schemas/\(name)"))])
    }
}
