// What each route does with each of its methods: names, bodies, answers.

import SteleHTTP
import SteleJSON
import SteleModel
import SteleRequests

/// An operation of a route, without its parameters and errors.
struct OpenAPIOperation {
    /// The wanted `operationId`.
    let id: String
    let summary: String
    var body: JSONValue?
    let answers: [(status: Int, answer: JSONValue)]
    /// Whether it is a data route, which is also below editing contexts.
    var isData = false
    /// Whether `Accept` decides about the answer.
    var hasFormats = true
}

extension OpenAPIDocument {
    /// The operation of a route.
    func operation(_ place: OpenAPIPlace, _ route: Route) -> OpenAPIOperation {
        switch route.resource {
        case .index: page("getIndex", "The entities, fetch requests and routes.")
        case .options: page("getOptions", "The methods of a route.", isTagged: false)
        case .health: page("getHealth", "Whether the service runs.", Self.status, isTagged: false)
        case .readiness:
            page("getReadiness", "Whether the store can be read.", Self.status, isTagged: false)
        case .metrics:
            OpenAPIOperation(
                id: "getMetrics", summary: "Figures for Prometheus.",
                answers: [(200, Self.answer("The figures.", [(.text, Self.text)]))],
                hasFormats: false)
        case .backup:
            OpenAPIOperation(
                id: "backUp", summary: "Copies the store while it serves.",
                answers: [(201, Self.answer("What was copied.", [(.json, Self.backup)]))],
                hasFormats: false)
        case .tickets:
            OpenAPIOperation(
                id: "createTicket", summary: "A ticket for an event stream.",
                answers: [(201, Self.answer("The ticket.", [(.json, Self.ticket)]))],
                hasFormats: false)
        case .openAPI where place.pattern == .contextsOpenAPI:
            page("getContextsOpenAPI", "The description of the data routes in an editing context.")
        case .openAPI: page("getOpenAPI", "This document.")
        case .templates: page("getFetchRequests", "The model's fetch requests.", Self.objects)
        case .model: formats("getModel", "The model.", Self.anyObject, .xml)
        case .modelVersions:
            page("getModelVersions", "The versions of the model.", Self.objects)
        case .modelVersion:
            formats("getModelVersion", "A version of the model.", Self.anyObject, .xml)
        case .modelChanges:
            page("getModelChanges", "What differs between two versions of the model.")
        case .rights: page("getRights", "What the sender may do.", isTagged: false)
        case .page: page("getPageFile", "A file of the page for browsers.")
        case .errorCodes: formats("getErrorCodes", "All error codes.", Self.objects, .text)
        case .metadata: metadata(route)
        case .changes: changes(route)
        case .live:
            OpenAPIOperation(
                id: "followQueries", summary: "Several live queries on one event stream.",
                answers: [(200, Self.answer("The events.", [(.events, Self.text)]))],
                hasFormats: false)
        case .transactions: transactions
        case .contexts:
            OpenAPIOperation(
                id: "createContext", summary: "Creates an editing context.",
                body: Self.body(ref(.settings), isRequired: false), answers: [createdContext])
        case .context: context(place.pattern, route)
        case .template(let template): list(template.entity, "fetch" + Self.id(place.names))
        case .list(let entity): list(entity, place, route)
        case .query(let entity): query(entity, place)
        case .count, .relatedCount:
            data(
                "count" + Self.id(place.names), "The number of objects that match.",
                [read("The number.", ref(.count))])
        case .object(let object): self.object(object.entity, place, route)
        case .related(_, let relationship) where relationship.isToMany:
            members(relationship, place, route)
        case .related(_, let relationship): destination(relationship, place, route)
        case .binary: binary(place, route)
        case .fetched(_, let property):
            list(
                model.entity(named: property.request.entityName) ?? model.entities[0],
                "list" + Self.id(place.names))
        case .member(_, let relationship, _): member(relationship, place, route)
        }
    }

    /// The names of the model, each with a capital letter.
    static func id(_ names: [String]) -> String {
        names.flatMap { $0.split(separator: ".") }.map {
            $0.prefix(1).uppercased() + $0.dropFirst()
        }
        .joined()
    }

    // MARK: Pages

    private static let text: JSONValue = ["type": "string"]
    // Without additionalProperties: of arrays with it one generator makes Swift that is none.
    private static let objects: JSONValue = ["type": "array", "items": ["type": "object"]]
    private static let backup = record(
        [
            ("folder", text), ("files", ["type": "array", "items": text]),
            ("externalFiles", ["type": "integer", "minimum": 0]),
            ("bytes", ["type": "integer", "format": "int64", "minimum": 0]), ("transaction", text),
        ], optional: ["transaction"])
    private static let ticket = record(
        [("ticket", text), ("seconds", ["type": "integer", "minimum": 1])])
    private static let status = record([("status", ["type": "string"])])

    private func page(
        _ id: String, _ summary: String, _ schema: JSONValue = OpenAPIDocument.anyObject,
        isTagged: Bool = true
    ) -> OpenAPIOperation {
        let answer = Self.answer(summary, [(.json, schema)], isTagged ? [.eTag] : [])
        return OpenAPIOperation(
            id: id, summary: summary,
            answers: [(200, answer)] + (isTagged ? [Self.notModified] : []), hasFormats: false)
    }

    private func formats(
        _ id: String, _ summary: String, _ schema: JSONValue, _ other: MediaType
    ) -> OpenAPIOperation {
        OpenAPIOperation(
            id: id, summary: summary,
            answers: [
                (200, Self.answer(summary, [(.json, schema), (other, Self.text)], [.eTag])),
                Self.notModified,
            ])
    }

    private func metadata(_ route: Route) -> OpenAPIOperation {
        let answer = Self.answer("The metadata.", [(.json, ref(.metadata))])
        guard route.method == .patch else {
            return OpenAPIOperation(
                id: "getMetadata", summary: "The metadata of the store.", answers: [(200, answer)])
        }
        return OpenAPIOperation(
            id: "changeMetadata", summary: "Sets and removes keys of the metadata.",
            body: Self.body(
                ref(.metadata), as: ["application/json", "application/merge-patch+json"]),
            answers: [(200, answer), Self.minimal()])
    }

    private func changes(_ route: Route) -> OpenAPIOperation {
        guard route.isRead else {
            return OpenAPIOperation(
                id: "deleteChanges", summary: "Deletes the history before a save.",
                answers: [Self.done], hasFormats: false)
        }
        let saves: JSONValue = ["type": "array", "items": ref(.save)]
        return OpenAPIOperation(
            id: "listChanges", summary: "The change feed: saves, in order.",
            answers: [
                (
                    200,
                    Self.answer(
                        "Saves.", [(.json, saves), (.events, Self.text)], [.link, .lastEventID])
                )
            ])
    }

    private var transactions: OpenAPIOperation {
        let result: JSONValue = ["type": ["object", "null"]]
        return OpenAPIOperation(
            id: "executeTransaction", summary: "Executes operations in one save.",
            body: Self.body(["type": "array", "items": ref(.operation)]),
            answers: [
                (
                    200,
                    Self.answer(
                        "The object of each operation; of a deleted one _entity, _id and deleted.",
                        [(.json, ["type": "array", "items": result])])
                ), Self.minimal(),
            ], isData: true)
    }

    // MARK: Editing contexts

    private var state: (Int, JSONValue) {
        (200, Self.answer("The state of the context.", [(.json, ref(.context))]))
    }

    private var createdContext: (Int, JSONValue) {
        (201, Self.answer("The new context.", [(.json, ref(.context))], [.location]))
    }

    private func context(_ pattern: RoutePattern, _ route: Route) -> OpenAPIOperation {
        func step(_ id: String, _ summary: String, _ body: JSONValue) -> OpenAPIOperation {
            OpenAPIOperation(
                id: id, summary: summary, body: Self.body(body, isRequired: false),
                answers: [state])
        }
        let nothing = Self.record([])
        switch pattern {
        case .childContexts:
            return OpenAPIOperation(
                id: "createChildContext", summary: "Creates a child context.",
                body: Self.body(ref(.settings), isRequired: false), answers: [createdContext])
        case .contextChanges:
            return OpenAPIOperation(
                id: "listContextChanges", summary: "The unsaved changes.",
                answers: [(200, Self.answer("The changes.", [(.json, ref(.contextChanges))]))])
        case .contextUndo: return step("undoContext", "Undoes the last step.", nothing)
        case .contextRedo: return step("redoContext", "Does it again.", nothing)
        case .contextUndoGroup:
            let name: JSONValue = ["type": "string", "maxLength": 255]
            return step(
                "beginUndoGroup", "Begins a group of changes that are one step.",
                Self.record([("name", name)], optional: ["name"]))
        case .contextUndoGroupEnd: return step("endUndoGroup", "Ends the group.", nothing)
        case .contextRollback:
            return step("rollbackContext", "Discards all unsaved changes.", nothing)
        case .contextReset: return step("resetContext", "Discards changes and objects.", nothing)
        case .contextRefresh:
            let objects: JSONValue = ["type": "array", "items": Self.text]
            return step(
                "refreshContext", "Reads saved changes of others, under its own changes.",
                Self.record(
                    [("merge", ["type": "boolean"]), ("objects", objects)],
                    optional: ["merge", "objects"]))
        case .contextValidate:
            return OpenAPIOperation(
                id: "validateContext", summary: "Validates all changes, and saves nothing.",
                body: Self.body(nothing, isRequired: false), answers: [Self.done])
        case .contextSave:
            return OpenAPIOperation(
                id: "saveContext", summary: "Saves all changes.",
                body: Self.body(nothing, isRequired: false),
                answers: [
                    (200, Self.answer("What was saved.", [(.json, ref(.contextSave))])),
                    Self.minimal(),
                ])
        default: break
        }
        switch route.method {
        case .delete:
            return OpenAPIOperation(
                id: "deleteContext", summary: "Deletes the context and its unsaved changes.",
                answers: [Self.done])
        case .patch:
            return OpenAPIOperation(
                id: "changeContext", summary: "Changes the settings.",
                body: Self.body(ref(.settings)), answers: [state])
        default:
            return OpenAPIOperation(
                id: "getContext", summary: "The state of the context.", answers: [state])
        }
    }
}
