// Models that ask for all that the generator can do.

import SteleModel

/// Names that Swift, the library or the model has taken already, and every type.
enum HardModel {
    private static let words = [
        "self", "Type", "init", "Any", "Protocol", "default", "func", "class", "is", "nil",
        "some", "async", "get", "set", "throws", "subscript", "operator", "_", "__", "id",
        "version", "isDeleted", "hashValue", "value", "attribute", "destination", "members",
        "entityName", "élan", "größe_2",
    ]

    static func model() throws -> Model {
        let attributes = words.map { "{\"name\": \"\($0)\", \"type\": \"String\"}" }
        let types = AttributeType.allCases.filter { $0 != .composite }.map { type in
            "{\"name\": \"of\(type.rawValue)\", \"type\": \"\(type.name)\", \"scalar\": true"
                + (type == .undefined || type == .objectID ? ", \"transient\": true}" : "}")
        }
        return try SteleCodegenTests.model(
            json: """
                {"entities": [
                  {"name": "String", "attributes": [\(attributes.joined(separator: ", "))],
                   "relationships": [
                    {"name": "id_", "destination": "Set", "inverse": "extension"},
                    {"name": "in", "destination": "Type", "inverse": "for", "toMany": true},
                    {"name": "In", "destination": "Type", "inverse": "For", "toMany": true}]},
                  {"name": "Set", "parent": "String", "attributes": [\(types.joined(separator: ", ")),
                    {"name": "tags", "type": "Transformable", "class": "[String: [Int?]]"},
                    {"name": "map", "type": "Transformable", "class": "Dictionary<String,Set<UUID>>"},
                    {"name": "color", "type": "Transformable", "class": "NSColor"},
                    {"name": "later", "type": "Date", "derivation": "now()"}],
                   "relationships": [
                    {"name": "extension", "destination": "String", "inverse": "id_"}]},
                  {"name": "Type", "class": "App.Some-Type",
                   "attributes": [
                    {"name": "where", "type": "Composite", "composite": "Place"}],
                   "relationships": [
                    {"name": "for", "destination": "String", "inverse": "in", "toMany": true,
                     "ordered": true},
                    {"name": "For", "destination": "String", "inverse": "In", "toMany": true}],
                   "fetchedProperties": [
                    {"name": "case", "fetchRequest": {"name": "r", "entity": "Protocol"}}]},
                  {"name": "Protocol", "abstract": true}, {"name": "Any", "parent": "Protocol"},
                  {"name": "Self"}, {"name": "Date"}, {"name": "Int"}, {"name": "TypedModel"},
                  {"name": "EmbeddedModel"},
                  {"name": "ManagedObject", "class": ".Int32"},
                  {"name": "Shadow", "class": "ManagedObject"}, {"name": "Dash", "class": "-"},
                  {"name": "HardModel"}],
                 "composites": [
                  {"name": "Place", "attributes": [
                    {"name": "key", "type": "String"}, {"name": "object", "type": "Integer 16"},
                    {"name": "self", "type": "Transformable", "class": "[Double]"},
                    {"name": "inner", "type": "Composite", "composite": "Date_"}]},
                  {"name": "Date_", "attributes": [{"name": "day", "type": "Date"}]}]}
                """, name: "Hard\n1")
    }
}

/// Classes that the model leaves to people.
enum HandWritten {
    static func model() throws -> Model {
        try SteleCodegenTests.model(
            json: """
                {"entities": [
                  {"name": "Animal", "codeGeneration": "category",
                   "attributes": [{"name": "name", "type": "String"}]},
                  {"name": "Cat", "parent": "Animal", "class": "Cat", "codeGeneration": "none",
                   "attributes": [{"name": "lives", "type": "Integer 16"}]},
                  {"name": "Trace", "codeGeneration": "none",
                   "relationships": [{"name": "of", "destination": "Animal"}]},
                  {"name": "Home", "relationships": [{"name": "trace", "destination": "Trace"}]}]}
                """)
    }
}

/// Entities that share a class: unrelated ones, one with the class's name, and subentities with
/// properties and without.
enum SharedClass {
    static func model() throws -> Model {
        try SteleCodegenTests.model(
            json: """
                {"entities": [
                  {"name": "Added", "class": "_App.ChangeSet",
                   "attributes": [{"name": "count", "type": "Integer 64"}]},
                  {"name": "Removed", "class": "ChangeSet",
                   "attributes": [{"name": "count", "type": "Integer 16"}],
                   "relationships": [{"name": "added", "destination": "Added"}]},
                  {"name": "Thing", "attributes": [{"name": "name", "type": "String"}]},
                  {"name": "B", "class": "Thing",
                   "attributes": [{"name": "name", "type": "Double"}]},
                  {"name": "Late", "parent": "Thing", "class": "Thing",
                   "attributes": [{"name": "until", "type": "Date"}]},
                  {"name": "Empty", "parent": "Thing", "class": "Thing"},
                  {"name": "C", "relationships": [
                    {"name": "things", "destination": "Empty", "toMany": true}]}]}
                """)
    }
}
