// The schemas that every model has: ids, errors, the change feed, editing contexts.

import SteleGraph
import SteleJSON
import SteleModel
import SteleRequests

extension OpenAPIDocument {
    static let version: JSONValue = ["type": "integer", "format": "int64", "minimum": 0]

    var fixedSchemas: [(String, JSONValue)] {
        OpenAPIFixed.allCases.map { (names.name($0), schema($0)) }
    }

    private func schema(_ fixed: OpenAPIFixed) -> JSONValue {
        switch fixed {
        case .id: Self.id
        case .row: Self.row
        case .entry: Self.problemEntry
        case .deleted: Self.deleted
        case .anyObject:
            ["anyOf": .array(model.entities.filter { !$0.isAbstract }.map { ref($0, .object) })]
        case .jsonPatch: Self.jsonPatch
        case .operation: ["anyOf": [ref(.insert), ref(.update), ref(.delete)]]
        case .insert: insert
        case .update: update
        case .delete: delete
        case .values: Self.values
        case .reference: Self.record([("_ref", Self.text)])
        case .metadata: ["type": "object"]
        case .change: Self.change
        case .save: save
        case .context: Self.context
        case .settings: settings
        case .contextChanges: Self.contextChanges
        case .contextSave: Self.contextSave
        case .query: listQuery
        case .count: Self.record([("count", ["type": "integer", "minimum": 0])])
        }
    }

    /// An object of exactly these members; those of `optional` may be missing.
    static func record(
        _ members: [(String, JSONValue)], optional: Set<String> = []
    ) -> JSONValue {
        let required = members.map(\.0).filter { !optional.contains($0) }
        return .object(
            [("type", "object"), ("properties", .object(members))]
                + (required.isEmpty
                    ? [] : [("required", .array(required.map { .string($0) }))])
                + [("additionalProperties", false)])
    }

    private static let text: JSONValue = ["type": "string"]
    private static let textOrNull: JSONValue = ["type": ["string", "null"]]
    private static let flag: JSONValue = ["type": "boolean"]
    private static let number: JSONValue = ["type": "integer", "minimum": 0]

    private static let id: JSONValue = [
        "type": "integer", "format": "int64", "minimum": 1, "maximum": .integer(.max),
        "description": "The key of an object, unique in its family of entities.",
        "examples": [1],
    ]

    private static let row: JSONValue = [
        "type": "object",
        "description":
            "A row with the columns of select. Without select a list gives whole objects.",
        "not": ["required": ["_id", "_entity", "_version"]],
    ]

    private static let deleted = record([
        ("_entity", text), ("_id", ["type": ["integer", "null"], "format": "int64"]),
        ("deleted", ["const": true]),
    ])

    private static let jsonPatch: JSONValue = {
        func operation(_ names: [JSONValue], _ members: [(String, JSONValue)]) -> JSONValue {
            .object([
                ("type", "object"),
                ("properties", .object([("op", ["enum": .array(names)])] + members)),
                ("required", .array(["op"] + members.map { .string($0.0) })),
            ])
        }
        let pointer: JSONValue = ["type": "string", "format": "json-pointer"]
        return [
            "type": "array",
            // It means the same as items, of which some generators make clients that fail.
            "unevaluatedItems": [
                "anyOf": [
                    operation(["add", "replace", "test"], [("path", pointer), ("value", [:])]),
                    operation(["remove"], [("path", pointer)]),
                    operation(["move", "copy"], [("from", pointer), ("path", pointer)]),
                ]
            ],
        ]
    }()

    // MARK: Transactions

    private var insert: JSONValue {
        let entities = model.entities.map { JSONValue.string($0.name) }
        return Self.record(
            [
                ("op", ["const": "insert"]),
                ("entity", ["type": "string", "enum": .array(entities)]),
                ("values", ref(.values)), ("as", Self.name),
            ], optional: ["values", "as"])
    }

    private var update: JSONValue {
        Self.record(
            [
                ("op", ["const": "update"]), ("object", address), ("values", ref(.values)),
                ("as", Self.name),
            ], optional: ["values", "as"])
    }

    private var delete: JSONValue {
        Self.record(
            [
                ("op", ["const": "delete"]), ("object", address),
                ("_version", ["type": ["integer", "string"]]),
            ], optional: ["_version"])
    }

    private static let name: JSONValue = ["type": "string", "minLength": 1]

    /// The object of an operation.
    private var address: JSONValue { ["anyOf": [Self.text, ref(.reference)]] }

    private static let values: JSONValue = [
        "type": "object",
        "description": "As in POST or PATCH; {\"_ref\":NAME} is the object of an operation.",
    ]

    // MARK: The change feed

    private static let change: JSONValue = [
        "type": "object",
        "properties": [
            "change": ["enum": ["insert", "update", "delete"]], "entity": text,
            "_id": ["type": "integer", "format": "int64"], "_version": version,
            "updated": ["type": ["array", "null"], "items": text], "enters": flag, "leaves": flag,
            "tombstone": ["type": ["object", "null"]], "values": ["enum": ["unknown", "omitted"]],
            "object": ["type": ["object", "null"]], "before": ["type": ["object", "null"]],
        ],
        "required": ["change", "entity", "_id", "_version"],
    ]

    private var save: JSONValue {
        [
            "type": "object",
            "properties": [
                "transaction": Self.text, "at": ["type": "string", "format": "date-time"],
                "author": Self.textOrNull, "context": Self.textOrNull, "part": Self.number,
                "of": Self.number, "rest": Self.text,
                "changes": ["type": "array", "items": ref(.change)],
            ],
            "required": ["transaction", "at", "author", "context", "changes"],
        ]
    }

    // MARK: Editing contexts

    private static let policies: JSONValue = [
        "enum": .array(MergePolicy.allCases.map { .string($0.rawValue) })
    ]

    private static let context = record([
        ("context", text), ("expires", ["type": "string", "format": "date-time"]),
        ("parent", textOrNull), ("author", textOrNull), ("name", textOrNull),
        ("transaction", text), ("mergePolicy", policies),
        ("hasChanges", flag), ("inserted", number), ("updated", number), ("deleted", number),
        ("undoEnabled", flag), ("undoLevels", number), ("canUndo", flag), ("canRedo", flag),
        ("undoActionName", textOrNull), ("redoActionName", textOrNull), ("openUndoGroups", number),
    ])

    private static let label: JSONValue = [
        "type": ["string", "null"], "minLength": 1, "maxLength": 255,
    ]

    private var settings: JSONValue {
        Self.record(
            [
                (
                    "undoLevels",
                    [
                        "type": "integer", "minimum": 1,
                        "maximum": .integer(Int64(limits.maximumUndoLevels)),
                    ]
                ),
                ("undoEnabled", Self.flag), ("mergePolicy", Self.policies),
                ("author", Self.label), ("name", Self.label),
            ], optional: ["undoLevels", "undoEnabled", "mergePolicy", "author", "name"])
    }

    /// The id of an object in an editing context: of an unsaved one a text such as t1.
    private static let contextID: JSONValue = [
        "anyOf": [
            ["type": "integer", "format": "int64"],
            ["type": "string", "pattern": "^t[1-9][0-9]*$"],
        ]
    ]

    private static let contextChanges: JSONValue = {
        let head: [(String, JSONValue)] = [
            ("_id", contextID), ("_entity", text), ("_version", version),
        ]
        let values: JSONValue = ["type": "object"]
        func list(_ item: JSONValue) -> JSONValue { ["type": "array", "items": item] }
        return record([
            (
                "inserted",
                list([
                    "type": "object", "properties": .object(head),
                    "required": ["_id", "_entity", "_version"],
                ])
            ),
            ("updated", list(record(head + [("changed", values), ("committed", values)]))),
            ("deleted", list(record(head))),
        ])
    }()

    private static let contextSave = record([
        ("context", text), ("parent", textOrNull), ("transaction", textOrNull),
        (
            "ids",
            [
                "type": "object",
                "additionalProperties": record([
                    ("_id", ["type": "integer", "format": "int64"]), ("_entity", text),
                    ("_version", version),
                ]),
            ]
        ),
    ])

    // MARK: The parameters of a list as a body

    private var listQuery: JSONValue {
        let members = ordered(Parameter.followed).map { ($0.name, bodySchema(of: $0)) }
        let value: JSONValue = [
            "type": ["string", "number", "boolean", "null", "array"], "items": [:],
        ]
        let variables: JSONValue = [
            "type": "object", "additionalProperties": value,
            "description": "The values of $NAME in expressions.",
        ]
        return [
            "type": "object", "properties": .object(members + [("var", variables)]),
            "patternProperties": ["^var\\..": value], "additionalProperties": false,
        ]
    }

    private func bodySchema(of parameter: Parameter) -> JSONValue {
        var members: [(String, JSONValue)]
        switch parameter.form {
        case .text, .named: members = [("type", ["string", "null"])]
        case .texts where Query.lists.contains(parameter.name):
            members = [("type", ["string", "array", "null"]), ("items", Self.text)]
        case .texts: members = [("type", ["string", "null"])]
        case .flag:
            members = [("type", ["boolean", "string", "null"]), ("pattern", "^(true|false)$")]
        case .number(let least):
            members = [
                ("type", ["integer", "string", "null"]), ("minimum", .integer(Int64(least))),
                ("pattern", "^[0-9]+$"),
            ]
        case .choice(let all):
            members = [
                ("type", ["string", "null"]), ("enum", .array(all.map { .string($0) } + [.null])),
            ]
        }
        members.append(("description", .string(parameter.meaning)))
        return .object(members)
    }
}
