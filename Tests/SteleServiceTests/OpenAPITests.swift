// The OpenAPI document has what the router has, and answers are as it says.

import SteleHTTP
import SteleJSON
import SteleModel
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct OpenAPITests {
    /// Models that have every kind of property, inheritance, templates and names to escape.
    enum Sample: CaseIterable {
        case league, catalog, tasks, drawing, zoo, people

        var model: Model {
            get throws {
                switch self {
                case .league: try sampleModel("League")
                case .catalog: try sampleModel("Catalog")
                case .tasks: try sampleModel("Tasks")
                case .drawing: try drawingModel()
                case .zoo: try TestModels.zoo()
                case .people: try AttributeModels.people()
                }
            }
        }
    }

    /// The document that a service answers with.
    static func document(_ service: ServiceFixture, _ basePath: String = "") throws -> JSONValue {
        let answer = service.get("\(basePath)/openapi.json")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer["Content-Type"] == "application/json")
        return try answer.json
    }

    private static let methods = Method.allCases.filter { $0 != .head && $0 != .options }

    /// The operations of a document, by method and path.
    static func operations(_ document: JSONValue) -> [String: JSONValue] {
        var found: [String: JSONValue] = [:]
        guard case .object(let paths)? = document["paths"] else { return found }
        for (path, item) in paths {
            for method in methods {
                if let operation = item[method.rawValue.lowercased()] {
                    found["\(method.rawValue) \(path)"] = operation
                }
            }
        }
        return found
    }

    /// The elements of an array; none for what is no array.
    private static func list(_ value: JSONValue?) -> [JSONValue] {
        if case .array(let elements)? = value { elements } else { [] }
    }

    private static func target(_ path: String) -> String {
        path.replacing("{id}", with: "1").replacing("{member}", with: "1")
            .replacing("{context}", with: "c").replacing("{version}", with: "v")
    }

    // MARK: The document and the router

    @Test(arguments: Sample.allCases)
    func everyReferenceLeadsSomewhere(_ sample: Sample) throws {
        let document = try Self.document(ServiceFixture(sample.model, inMemory: true))
        let check = SchemaCheck(document: document)
        var count = 0
        func visit(_ value: JSONValue) {
            switch value {
            case .array(let elements): elements.forEach(visit)
            case .object(let members):
                for (name, inner) in members {
                    if name == "$ref", case .string(let reference) = inner {
                        count += 1
                        #expect(check.resolve(reference) != nil, "\(reference)")
                    }
                    visit(inner)
                }
            default: break
            }
        }
        visit(document)
        #expect(count > 100)
    }

    @Test(arguments: Sample.allCases)
    func everyOperationHasANameOfItsOwn(_ sample: Sample) throws {
        let document = try Self.document(ServiceFixture(sample.model, inMemory: true))
        let names = Self.operations(document).values.compactMap { $0["operationId"]?.compact }
        #expect(Set(names).count == Self.operations(document).count)
    }

    /// The addresses are made here from the model alone, so that none is forgotten in the document.
    @Test(arguments: Sample.allCases)
    func everyRouteIsInTheDocument(_ sample: Sample) throws {
        let model = try sample.model
        let routes = Routes(model: model, basePath: "")
        let operations = Self.operations(
            try Self.document(ServiceFixture(model, inMemory: true)))
        var paths = RoutePattern.allCases.map(\.rawValue).filter {
            !$0.replacing("{context}", with: "").replacing("{version}", with: "").contains("{")
        }
        paths += routes.templates.all.map { "/fetch/\($0.name)" }
        for entity in model.entities {
            let path = Routes.path(ofEntity: entity.name, "")
            paths += [path, path + "/count", path + "/query", path + "/{id}"]
            for property in entity.properties {
                var names = [property.name]
                if case .attribute(let it) = property { names = it.nested.map(\.name) }
                for name in names {
                    paths += ["", "/count", "/{member}"].map { "\(path)/{id}/\(name)\($0)" }
                }
            }
        }
        var expected: Set<String> = []
        for path in paths {
            for method in Self.methods {
                let request = Request(method: method.rawValue, path: Self.target(path))
                guard let route = try? routes.match(request) else { continue }
                let name = "\(method.rawValue) \(path)"
                expected.insert(name)
                let operation = try #require(operations[name], "\(name)")
                #expect(
                    Self.queryParameters(operation) == Self.parameters(of: route), "\(name)")
            }
        }
        #expect(Set(operations.keys) == expected)
    }

    private static func parameters(of route: Route) -> Set<String> {
        let known = Call.parameters(of: route)
        var names = Set(known.map(\.name))
        switch route.pattern {
        // The others are in the body.
        case .query: return ["offset", "after"]
        case .transactions, .contextChanges, .contextSave: break
        // With these the answer has other members than the schema of its objects.
        default: names.subtract(["select", "groupBy", "having", "distinct", "numbers"])
        }
        if known.contains(.where) { names.insert("variables") }
        if case .template(let template) = route.resource {
            names.formUnion(template.variables.map { "var.\($0)" })
        }
        return names
    }

    private static func queryParameters(_ operation: JSONValue) -> Set<String> {
        guard case .array(let parameters)? = operation["parameters"] else { return [] }
        let others =
            OpenAPIRequestHeader.allCases.map(\.rawValue) + ["id", "member", "context", "version"]
        return Set(
            parameters.compactMap { parameter in
                switch (parameter["$ref"], parameter["name"]) {
                case (.string(let reference)?, _):
                    reference.split(separator: "/").last.map(String.init)
                case (_, .string(let name)?): name
                default: nil
                }
            }
        ).subtracting(others)
    }

    @Test func everyErrorCodeIsInTheDocument() throws {
        let text = try Self.document(.league()).compact
        for code in ErrorCode.all where code.status != 405 {
            #expect(text.contains(code.json.compact), "\(code.text)")
        }
    }

    @Test func basePathAndTokenAreInTheDocument() throws {
        let service = try ServiceFixture(TestModels.league(), inMemory: true) {
            $0.basePath = "/api"
            $0.token = "secret"
        }
        #expect(service.get("/api/openapi.json").status == 401)
        let answer = service.get("/api/openapi.json", [("Authorization", "Bearer secret")])
        let document = try answer.json
        #expect(document["servers"] == [["url": "/api"]])
        #expect(document["security"] == [["token": []]])
        #expect(document["paths"]?["/healthz"]?["get"]?["security"] == [])
        #expect(document["paths"]?["/Player"]?["get"]?["responses"]?["401"] != nil)
        #expect(document["components"]?["securitySchemes"]?["token"]?["scheme"] == "bearer")
        #expect(try Self.document(.league())["security"] == nil)
    }

    @Test func variablesOfTemplatesHaveTypes() throws {
        let tasks = try ServiceFixture(sampleModel("Tasks"), inMemory: true)
        let operation = try Self.document(tasks)["paths"]?["/fetch/tasksDueSooner"]?["get"]
        let variable = try operation?["parameters"]?.elements.first {
            $0["name"] == "var.DUE_DATE"
        }
        #expect(variable?["schema"]?["format"] == "date-time")
        #expect(variable?["required"] == true)
    }

    // MARK: Editing contexts

    /// The data routes have a document of their own, with the context as its server.
    @Test(arguments: Sample.allCases)
    func theRoutesOfAnEditingContextHaveTheirDocument(_ sample: Sample) throws {
        let service = try ServiceFixture(sample.model, inMemory: true)
        let plain = Self.operations(try Self.document(service))
        let document = try service.get("/contexts/openapi.json").json
        #expect(Self.list(document["servers"]).first?["url"] == "/contexts/{context}")
        let operations = Self.operations(document)
        let model = try sample.model
        let entities = Set(model.entities.map { $0.name })
        let expected = plain.filter { name, operation in
            guard case .string(let tag)? = Self.list(operation["tags"]).first else { return false }
            return entities.contains(tag) || name.hasSuffix(" /transactions")
        }
        #expect(Set(operations.keys) == Set(expected.keys))
        #expect(operations["POST /transactions"]?["parameters"]?.compact.contains("merge") == false)
        // What the store alone has: keys, and tags of answers.
        let ofStore = ["Idempotency-Key", "If-None-Match", "If-Range", "ETag"]
        for (name, operation) in operations {
            let text = operation.compact
            for field in ofStore { #expect(!text.contains(field), "\(name) \(field)") }
            #expect(operation["responses"]?["304"] == nil, "\(name)")
        }
        let whole = plain.values.map(\.compact).joined()
        for field in ofStore where field != "If-Range" {
            #expect(whole.contains(field), "\(field)")
        }
        let context = try #require(service.ask("POST", "/contexts", nil)["Location"])
        let schemas = document["components"]?["schemas"]
        let check = SchemaCheck(document: document)
        for entity in model.entities where !entity.isAbstract {
            let path = Routes.path(ofEntity: entity.name, "")
            let made = service.post(context + path, #"{"_entity":"\#(entity.name)"}"#)
            #expect(made.status == 201, "\(made.text)")
            let schema = try #require(schemas?[entity.name])
            #expect(check.failures(try made.json, schema) == [], "\(entity.name)")
        }
    }

    // MARK: What generators make clients of

    /// A value has one type besides null, and constants have their type.
    @Test(arguments: Sample.allCases)
    func schemasArePlain(_ sample: Sample) throws {
        let service = try ServiceFixture(sample.model, inMemory: true)
        for path in ["/openapi.json", "/contexts/openapi.json"] {
            let document = try service.get(path).json
            func visit(_ value: JSONValue, _ place: String) {
                for (index, element) in Self.list(value).enumerated() {
                    visit(element, "\(place)/\(index)")
                }
                guard case .object(let members) = value else { return }
                if value["const"] != nil || value["enum"] != nil, value["propertyName"] == nil {
                    #expect(value["type"] != nil, "\(place)")
                }
                #expect(value["anyOf"] == nil && value["unevaluatedItems"] == nil, "\(place)")
                let types = Self.list(value["type"])
                #expect(types.isEmpty || types.count == 2 && types[1] == "null", "\(place)")
                if value["in"] == "header" { #expect(value["example"] != nil, "\(place)") }
                for (name, inner) in members where name != "properties" && name != "examples" {
                    visit(inner, "\(place)/\(name)")
                }
                if case .object(let properties)? = value["properties"] {
                    for (name, inner) in properties { visit(inner, "\(place)/\(name)") }
                }
            }
            visit(document, path)
            guard case .object(let items)? = document["paths"] else { return }
            for (path, item) in items { #expect(item["servers"] == nil, "\(path)") }
        }
    }

    // MARK: Rules of the model

    @Test func bodiesHaveTheRulesOfTheModel() throws {
        let league = try Self.document(.league())["components"]?["schemas"]
        let player = league?["PlayerCreate"]
        #expect(player?["required"] == ["name"])
        #expect(player?["properties"]?["number"]?["minimum"] == 1)
        #expect(player?["properties"]?["number"]?["maximum"] == 99)
        #expect(player?["properties"]?["name"]?["maxLength"] == 100)
        #expect(player?["properties"]?["name"]?["type"] == "string")
        #expect(player?["properties"]?["goals"]?["default"] == 0)
        #expect(league?["Player"]?["properties"]?["number"]?["minimum"] == nil)
        let people = try Self.document(.people(inMemory: true))["components"]?["schemas"]
        #expect(people?["PersonCreate"]?["properties"]?["plain"] == nil)
        #expect(people?["PersonChange"]?["properties"]?["plain"]?["readOnly"] == true)
        #expect(people?["Person"]?["properties"]?["photo"]?["oneOf"] != nil)
        #expect(people?["PersonCreate"]?["properties"]?["photo"]?["contentEncoding"] == "base64")
    }

    /// Only expressions that mean the same in both dialects are in the document.
    @Test(arguments: [
        ("[A-Za-z0-9]*", true), ("a|b+", true), ("(?:x){2,3}", true), (#"\."#, true),
        (#"\d+"#, false), ("a++", false), ("(?i)a", false), ("[a&&b]", false), ("[[a]b]", false),
        (#"\p{L}"#, false), ("é", false),
    ])
    func patternsAreTakenOverIfTheyMeanTheSame(_ pattern: String, _ isTaken: Bool) throws {
        let model = try makeModel([
            EntityMaker("Word").attribute("text", .string) { $0.regularExpression = pattern }
        ])
        let text = try Self.document(ServiceFixture(model, inMemory: true))["components"]?[
            "schemas"]?["WordCreate"]?["properties"]?["text"]
        #expect(text?["pattern"] == (isTaken ? .string("^(?:\(pattern))$") : nil))
    }

    @Test func namesAreEscapedAndUnique() throws {
        let model = try makeModel([
            EntityMaker("Problem400").attribute("a", .string),
            EntityMaker("Id").attribute("a", .string),
            EntityMaker("Größe").attribute("é", .binary),
            EntityMaker("PlayerCreate").attribute("a", .string),
            EntityMaker("Player").attribute("a", .string),
        ])
        let document = try Self.document(ServiceFixture(model, inMemory: true))
        let schemas = document["components"]?["schemas"]
        #expect(schemas?["Id"]?["properties"]?["a"] != nil)
        #expect(schemas?["Id_2"]?["minimum"] == 1)
        #expect(schemas?["Gr__e"] != nil)
        #expect(document["paths"]?["/Gr%C3%B6%C3%9Fe/{id}/%C3%A9"]?["get"] != nil)
        guard case .object(let all)? = schemas else { return }
        #expect(Set(all.map(\.0)).count == all.count)
        for (name, _) in all { #expect(name.wholeMatch(of: /[A-Za-z0-9._-]+/) != nil, "\(name)") }
    }
}
