// The schemas that every model has: ids, errors, the change feed, editing contexts.

import SteleGraph
import SteleJSON
import SteleModel
import SteleRequests

extension OpenAPIDocument {
    static let version: JSONValue = ["type": "integer", "format": "int64", "minimum": 0]

    var fixedSchemas: [(String, JSONValue)] {
        OpenAPIFixed.allCases.filter { $0 != .fileOrBytes }.map { (names.name($0), schema($0)) }
    }

    private func schema(_ fixed: OpenAPIFixed) -> JSONValue {
        switch fixed {
        case .id: isEditing ? ref(.contextID) : Self.id
        case .row: Self.row
        case .file, .fileOrBytes: Self.file
        case .entry: Self.problemEntry
        case .operation: operation
        case .insert: insert
        case .update: update
        case .delete: delete
        case .values: Self.values
        case .address: ["oneOf": [Self.text, ref(.reference)]]
        case .reference: Self.record([("_ref", Self.text)])
        case .metadata: Self.anyObject
        case .change: Self.change
        case .save: save
        case .context: Self.context
        case .settings: settings
        case .contextID: Self.contextID
        case .contextChanges: contextChanges
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
    /// An object of any members, which some generators take for one of none if it does not say so.
    static let anyObject: JSONValue = ["type": "object", "additionalProperties": true]
    private static let anyObjectOrNull: JSONValue = [
        "type": ["object", "null"], "additionalProperties": true,
    ]
    private static let textOrNull: JSONValue = ["type": ["string", "null"]]
    private static let flag: JSONValue = ["type": "boolean"]
    private static let number: JSONValue = ["type": "integer", "minimum": 0]

    private static let id: JSONValue = [
        "type": "integer", "format": "int64", "minimum": 1,
        "description": "The key of an object, unique in its family of entities.",
        "examples": [1],
    ]

    private static let row: JSONValue = [
        "type": "object",
        "description": "A whole object, or with select a row with its columns.",
    ]

    /// A Binary value in a file, in place of its bytes.
    private static let file = record(
        [
            ("bytes", ["type": ["integer", "null"], "format": "int64"]),
            ("href", ["type": "string", "format": "uri-reference"]),
        ], optional: ["href"])

    /// One of some texts.
    static func choice(_ texts: [String]) -> JSONValue {
        ["type": "string", "enum": .array(texts.map { .string($0) })]
    }

    private static func constant(_ text: JSONValue) -> JSONValue {
        ["type": "string", "const": text]
    }

    // MARK: Transactions

    private var operation: JSONValue {
        let operations: [(String, OpenAPIFixed)] = [
            ("insert", .insert), ("update", .update), ("delete", .delete),
        ]
        return [
            "oneOf": .array(operations.map { ref($0.1) }),
            "discriminator": Self.discriminator("op", operations.map { ($0, names.name($1)) }),
        ]
    }

    private var insert: JSONValue {
        Self.record(
            [
                ("op", Self.constant("insert")),
                ("entity", Self.choice(model.entities.map(\.name))),
                ("values", ref(.values)), ("as", Self.name),
            ], optional: ["values", "as"])
    }

    private var update: JSONValue {
        Self.record(
            [
                ("op", Self.constant("update")), ("object", ref(.address)),
                ("values", ref(.values)),
                ("as", Self.name),
            ], optional: ["values", "as"])
    }

    private var delete: JSONValue {
        Self.record(
            [
                ("op", Self.constant("delete")), ("object", ref(.address)),
                ("_version", Self.version),
            ], optional: ["_version"])
    }

    private static let name: JSONValue = ["type": "string", "minLength": 1]

    private static let values: JSONValue = [
        "type": "object", "additionalProperties": true,
        "description": "As in POST or PATCH; {\"_ref\":NAME} is the object of an operation.",
    ]

    // MARK: The change feed

    private static let change: JSONValue = [
        "type": "object",
        "properties": [
            "change": choice(["insert", "update", "delete"]), "entity": text,
            "_id": ["type": "integer", "format": "int64"], "_version": version,
            "updated": ["type": ["array", "null"], "items": text], "enters": flag, "leaves": flag,
            "tombstone": anyObjectOrNull, "values": choice(["unknown", "omitted"]),
            "object": anyObjectOrNull, "before": anyObjectOrNull,
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

    private static let policies = choice(MergePolicy.allCases.map(\.rawValue))

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

    static let contextIDForms: [JSONValue] = [
        ["type": "integer", "format": "int64"], ["type": "string", "pattern": "^t[1-9][0-9]*$"],
    ]

    /// The id of an object in an editing context: of an unsaved one a text such as t1.
    private static let contextID: JSONValue = [
        "oneOf": .array(contextIDForms),
        "description": "The key of an object; of an unsaved one a text such as t1.",
    ]

    private var contextChanges: JSONValue {
        let head: [(String, JSONValue)] = [
            ("_id", ref(.contextID)), ("_entity", Self.text), ("_version", Self.version),
        ]
        func list(_ item: JSONValue) -> JSONValue { ["type": "array", "items": item] }
        return Self.record([
            (
                "inserted",
                list([
                    "type": "object", "properties": .object(head),
                    "required": ["_id", "_entity", "_version"],
                ])
            ),
            (
                "updated",
                list(
                    Self.record(
                        head + [("changed", Self.anyObject), ("committed", Self.anyObject)]))
            ),
            ("deleted", list(Self.record(head))),
        ])
    }

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
        let variables: JSONValue = [
            "type": "object", "additionalProperties": true,
            "description": "The values of $NAME in expressions; an array is a list.",
        ]
        return [
            "type": "object", "properties": .object(members + [("var", variables)]),
            "additionalProperties": false,
        ]
    }

    private func bodySchema(of parameter: Parameter) -> JSONValue {
        var members = Self.members(of: parameter.form)
        members.append(("description", .string(parameter.meaning)))
        return .object(members)
    }

    /// The keywords of a parameter's values, in an address and in a body.
    static func members(of form: Parameter.Form) -> [(String, JSONValue)] {
        switch form {
        case .text, .texts, .named: [("type", "string")]
        case .flag: [("type", "boolean")]
        case .number(let least):
            [("type", "integer"), ("format", "int64"), ("minimum", .integer(Int64(least)))]
        case .choice(let all): [("type", "string"), ("enum", .array(all.map { .string($0) }))]
        }
    }
}
