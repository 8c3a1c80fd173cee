// The operations on objects, lists, relationships and bytes.

import SteleHTTP
import SteleJSON
import SteleModel
import SteleRequests

extension OpenAPIDocument {
    // MARK: Parts of operations

    /// An answer with a body in one of several media types.
    static func answer(
        _ description: String, _ content: [(MediaType, JSONValue)], _ headers: [OpenAPIHeader] = []
    ) -> JSONValue {
        var members: [(String, JSONValue)] = [("description", .string(description))]
        if !headers.isEmpty { members.append(("headers", OpenAPIHeader.json(headers))) }
        let bodies = content.map { type, schema in
            (type.rawValue, JSONValue.object([("schema", schema)]))
        }
        if !bodies.isEmpty { members.append(("content", .object(bodies))) }
        return .object(members)
    }

    static func body(
        _ schema: JSONValue, as types: [String] = ["application/json"], isRequired: Bool = true
    ) -> JSONValue {
        [
            "required": .bool(isRequired),
            "content": .object(types.map { ($0, .object([("schema", schema)])) }),
        ]
    }

    static let done = (204, answer("Done.", []))

    /// The answer without a body that `Prefer` asks for.
    static func minimal(_ headers: [OpenAPIHeader] = []) -> (Int, JSONValue) {
        (204, answer("Done, for Prefer: return=minimal.", [], headers + [.preferenceApplied]))
    }

    /// The answer of a read that has a tag.
    func read(_ description: String, _ schema: JSONValue) -> (Int, JSONValue) {
        (200, Self.answer(description, [(.json, schema)], [.eTag]))
    }

    static let notModified: (Int, JSONValue) = (
        304, answer("The client has the present state.", [], [.eTag])
    )

    func data(
        _ id: String, _ summary: String, body: JSONValue? = nil,
        _ answers: [(Int, JSONValue)]
    ) -> OpenAPIOperation {
        let isTagged = body == nil && answers.first?.0 == 200 && answers.count == 1
        return OpenAPIOperation(
            id: id, summary: summary, body: body,
            answers: (answers + (isTagged ? [Self.notModified] : [])).map {
                (status: $0.0, answer: $0.1)
            }, isData: true)
    }

    /// The answers of an operation. Those of an editing context have no tags, and none is 304.
    func answers(_ operation: OpenAPIOperation, _ route: Route) -> [(String, JSONValue)] {
        guard route.context != nil else {
            return operation.answers.map { (String($0.status), $0.answer) }
        }
        return operation.answers.filter { $0.status != Self.notModified.0 }
            .map { (String($0.status), Self.untagged($0.answer)) }
    }

    /// An answer without `ETag`.
    private static func untagged(_ answer: JSONValue) -> JSONValue {
        guard case .object(let members) = answer else { return answer }
        var rest: [(String, JSONValue)] = []
        for (name, value) in members {
            guard name == "headers", case .object(let headers) = value else {
                rest.append((name, value))
                continue
            }
            let others = headers.filter { $0.0 != OpenAPIHeader.eTag.rawValue }
            if !others.isEmpty { rest.append((name, .object(others))) }
        }
        return .object(rest)
    }

    // MARK: Lists

    func list(_ entity: Entity, _ id: String) -> OpenAPIOperation {
        list(id, "Objects of \(entity.name).", of: ref(entity, .family))
    }

    func query(_ entity: Entity, _ place: OpenAPIPlace) -> OpenAPIOperation {
        list(
            "query" + Self.id(place.names), "Objects of \(entity.name), or rows of columns.",
            of: ref(.row), body: Self.body(ref(.query)))
    }

    private func list(
        _ id: String, _ summary: String, of rows: JSONValue, body: JSONValue? = nil
    ) -> OpenAPIOperation {
        let text: JSONValue = ["type": "string"]
        let formats: [(MediaType, JSONValue)] = [
            (.json, ["type": "array", "items": rows]), (.ndjson, text), (.csv, text),
            (.events, text),
        ]
        return data(
            id, summary, body: body,
            [(200, Self.answer("A page of the list.", formats, [.eTag, .link, .totalCount]))])
    }

    func list(_ entity: Entity, _ place: OpenAPIPlace, _ route: Route) -> OpenAPIOperation {
        let name = Self.id(place.names)
        func count(_ key: String) -> JSONValue {
            Self.record([(key, ["type": "integer", "minimum": 0])])
        }
        switch route.method {
        case .post:
            let made: [(MediaType, JSONValue)] = [(.json, ref(entity, .family))]
            return data(
                "create" + name, "Creates an object.",
                body: Self.body(ref(entity, .createFamily)),
                [
                    (201, Self.answer("The new object.", made, Self.ofNew)),
                    (200, Self.answer("The existing object, by mergePolicy.", made, Self.ofNew)),
                ])
        case .patch:
            return data(
                "changeAll" + name, "Changes all objects that match where.", body: change(entity),
                [
                    (200, Self.answer("The number of objects.", [(.json, count("updated"))])),
                    Self.minimal(),
                ])
        case .delete:
            return data(
                "deleteAll" + name, "Deletes all objects that match where.",
                [
                    (200, Self.answer("The number of objects.", [(.json, count("deleted"))])),
                    Self.minimal(),
                ])
        default: return list(entity, "list" + name)
        }
    }

    private static let ofNew: [OpenAPIHeader] = [.location, .eTag, .preferenceApplied]

    private func change(_ entity: Entity) -> JSONValue {
        let patch = ref(entity, .changeFamily)
        return Self.body(patch, as: ["application/json", "application/merge-patch+json"])
    }

    // MARK: Objects

    func object(_ entity: Entity, _ place: OpenAPIPlace, _ route: Route) -> OpenAPIOperation {
        let name = Self.id(place.names)
        let object = ref(entity, .family)
        let answers = [read("The object.", object), Self.minimal([.eTag])]
        switch route.method {
        case .put:
            return data(
                "replace" + name, "Replaces an object.",
                body: Self.body(ref(entity, .replaceFamily)), answers)
        case .patch:
            return data("change" + name, "Changes an object.", body: change(entity), answers)
        case .delete: return data("delete" + name, "Deletes an object.", [Self.done])
        default: return data("get" + name, "An object.", [read("The object.", object)])
        }
    }

    // MARK: Relationships

    func members(
        _ relationship: Relationship, _ place: OpenAPIPlace, _ route: Route
    ) -> OpenAPIOperation {
        let name = Self.id(place.names)
        let ids: JSONValue = ["type": "array", "items": ref(.id)]
        let answers = [
            (200, Self.answer("The ids of all members.", [(.json, ids)])), Self.minimal(),
        ]
        let all: JSONValue = ["type": "array", "items": member(relationship)]
        switch route.method {
        case .post:
            return data(
                "add" + name, "Adds members.",
                body: Self.body(all), answers)
        case .put:
            return data("replace" + name, "Replaces all members.", body: Self.body(all), answers)
        default: return list(model.destination(of: relationship), "list" + name)
        }
    }

    func destination(
        _ relationship: Relationship, _ place: OpenAPIPlace, _ route: Route
    ) -> OpenAPIOperation {
        let name = Self.id(place.names)
        switch route.method {
        case .put:
            return data(
                "set" + name, "Sets the destination.", body: Self.body(member(relationship)),
                [(200, Self.answer("Its id.", [(.json, ref(.id))])), Self.minimal()])
        case .delete: return data("clear" + name, "Clears the relationship.", [Self.done])
        default:
            let object = ref(model.destination(of: relationship), .family)
            return data(
                "get" + name, "The destination, or null.",
                [read("The object or null.", orNull(object))])
        }
    }

    func member(
        _ relationship: Relationship, _ place: OpenAPIPlace, _ route: Route
    ) -> OpenAPIOperation {
        let name = Self.id(place.names)
        if route.method == .delete {
            return data("remove" + name, "Removes a member.", [Self.done])
        }
        return data(
            "get" + name + "Member", "A member.",
            [read("The object.", ref(model.destination(of: relationship), .family))])
    }

    // MARK: Bytes

    func binary(_ place: OpenAPIPlace, _ route: Route) -> OpenAPIOperation {
        let name = Self.id(place.names)
        // In OpenAPI 3.1 bytes as they are need no schema, but most generators know them by this.
        let schema: JSONValue = ["type": "string", "format": "binary"]
        let bytes: [(MediaType, JSONValue)] = [(.bytes, schema)]
        var operation: OpenAPIOperation
        switch route.method {
        case .put:
            operation = data(
                "set" + name, "Sets the bytes.",
                body: Self.body(schema, as: [MediaType.bytes.rawValue]),
                [(204, Self.answer("Done.", [], [.eTag, .preferenceApplied]))])
        case .delete:
            operation = data(
                "clear" + name, "Sets the attribute to null.",
                [(204, Self.answer("Done.", [], [.eTag]))])
        default:
            operation = data(
                "get" + name, "The bytes.",
                [
                    (200, Self.answer("The bytes.", bytes, [.eTag, .acceptRanges])),
                    (
                        206,
                        Self.answer(
                            "A part of them.", bytes, [.eTag, .acceptRanges, .contentRange])
                    ), Self.notModified,
                ])
        }
        operation.hasFormats = false
        return operation
    }
}
