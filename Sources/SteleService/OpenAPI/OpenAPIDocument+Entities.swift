// The schemas of an entity: its objects in answers, and the bodies that make and change them.

import SteleJSON
import SteleModel
import SteleRequests

extension OpenAPIDocument {
    /// All schemas of the model's entities.
    var entitySchemas: [(String, JSONValue)] {
        let destinations = Set(
            model.entities.flatMap(\.properties).compactMap { property in
                if case .relationship(let it) = property { it.destination } else { nil }
            })
        return model.entities.flatMap { entity -> [(String, JSONValue)] in
            var schemas: [(String, JSONValue)] = []
            func add(_ form: OpenAPISchemaNames.Form, _ schema: JSONValue) {
                schemas.append((names.name(entity, form), schema))
            }
            if !entity.isAbstract {
                add(.object, object(entity))
                for use in Write.allCases { add(use.own, body(entity, use)) }
            }
            if destinations.contains(entity.index) {
                add(.link, ["oneOf": .array(forms(of: entity, .change))])
            }
            guard entity.hasSubentities || entity.isAbstract else { return schemas }
            add(.family, family(entity))
            for use in Write.allCases { add(use.family, bodies(entity, use)) }
            return schemas
        }
    }

    /// The concrete entities whose objects an entity's list has.
    private func concrete(_ entity: Entity) -> [Entity] {
        model.family(of: entity).filter { !$0.isAbstract }
    }

    // MARK: Answers

    /// An object of the entity itself, as a plain answer shows it.
    private func object(_ entity: Entity) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("_id", ref(.id)), ("_entity", Self.name(of: entity)), ("_version", Self.version),
        ]
        var required = ["_id", "_entity", "_version"]
        for property in entity.properties {
            switch property {
            case .attribute(let it):
                members.append((it.name, schema(of: it, .answer)))
            case .relationship(let it) where it.isToMany:
                members.append((it.name, embedded(model.destination(of: it))))
                continue
            case .relationship(let it):
                members.append((it.name, linked(it)))
            case .fetchedProperty(let it):
                if let destination = model.entity(named: it.request.entityName) {
                    members.append((it.name, embedded(destination)))
                }
                continue
            case .transientRelationship(let it):
                if it.isToMany { continue }
                members.append((it.name, ["type": "null", "readOnly": true]))
            }
            required.append(property.name)
        }
        var schema: [(String, JSONValue)] = [
            ("type", "object"), ("properties", .object(members)),
            ("required", .array(required.map { .string($0) })), ("additionalProperties", false),
        ]
        if let example = example(of: entity, identified: true) {
            schema.append(("examples", .array([example])))
        }
        return .object(schema)
    }

    /// The destination of a to-one relationship: its id, or the object by include.
    private func linked(_ relationship: Relationship) -> JSONValue {
        let destination = model.destination(of: relationship)
        let mayBeNull = relationship.isOptional || isEditing || model.mayDangle(relationship)
        let forms = forms(of: destination, .object) + (mayBeNull ? [["type": "null"]] : [])
        // Generators make a type of it, whose name else may be that of an entity.
        return [
            "title": .string(names.name(destination, mayBeNull ? .linked : .required)),
            "oneOf": .array(forms),
        ]
    }

    /// The forms of a destination: its id, or an object of it or a subentity. They are one list,
    /// because some generators make no clients of a choice in a choice.
    private func forms(of entity: Entity, _ form: OpenAPISchemaNames.Form) -> [JSONValue] {
        (isEditing ? Self.contextIDForms : [ref(.id)])
            + concrete(entity).map { ref($0, form) }
    }

    /// The objects of a to-many relationship or a fetched property, which only include shows.
    private func embedded(_ destination: Entity) -> JSONValue {
        ["type": "array", "items": ref(destination, .family), "description": "With include alone."]
    }

    private func family(_ entity: Entity) -> JSONValue { one(of: concrete(entity), .object) }

    /// An object of one of several entities, which `_entity` names.
    private func one(
        of entities: [Entity], _ form: OpenAPISchemaNames.Form
    ) -> JSONValue {
        guard !entities.isEmpty else { return ["not": [:]] }
        return [
            "oneOf": .array(entities.map { ref($0, form) }),
            "discriminator": Self.discriminator(
                "_entity", entities.map { ($0.name, names.name($0, form)) }),
        ]
    }

    /// Which schema each value of a member belongs to.
    static func discriminator(_ member: String, _ schemas: [(String, String)]) -> JSONValue {
        [
            "propertyName": .string(member),
            "mapping": .object(
                schemas.map { ($0.0, .string("#/components/schemas/\($0.1)")) }),
        ]
    }

    private func schema(of attribute: Attribute, _ use: OpenAPIAttribute.Use) -> JSONValue {
        OpenAPIAttribute(
            attribute: attribute, use: use, isEditing: isEditing, file: ref(.file),
            fileTitle: names.name(.fileOrBytes)
        ).schema
    }

    private static func name(of entity: Entity) -> JSONValue {
        ["type": "string", "const": .string(entity.name)]
    }

    /// Whether an object of the entity may be where one of another entity may be. Its `_entity` then
    /// tells them apart.
    private func isInFamily(_ entity: Entity) -> Bool {
        entity.hasSubentities || entity.parent != nil
    }

    // MARK: Bodies

    /// What a body does with an object.
    enum Write: CaseIterable {
        case create, replace, change

        var own: OpenAPISchemaNames.Form {
            switch self {
            case .create: .create
            case .replace: .replace
            case .change: .change
            }
        }

        var family: OpenAPISchemaNames.Form {
            switch self {
            case .create: .createFamily
            case .replace: .replaceFamily
            case .change: .changeFamily
            }
        }
    }

    private func body(_ entity: Entity, _ write: Write) -> JSONValue {
        var members: [(String, JSONValue)] = []
        if write == .create {
            members.append(("_entity", Self.name(of: entity)))
            if !configurations.isEmpty, entity.property(named: "_store") == nil {
                members.append(("_store", Self.choice(configurations)))
            }
        } else {
            members += [
                ("_id", ref(.id)), ("_entity", Self.name(of: entity)),
                ("_version", Self.version),
            ]
        }
        var required: [String] = []
        for property in entity.properties {
            switch property {
            case .attribute(let it):
                let isComputed = it.isDerived || it.isTransient
                if isComputed, write == .create { continue }
                let use: OpenAPIAttribute.Use = write == .create ? .create : .change
                members.append((it.name, schema(of: it, use)))
                if !it.isOptional, !isComputed, !it.isComposite, it.declaration.defaultValue.isNull,
                    !(it.isExternal && write == .replace)
                {
                    required.append(it.name)
                }
            case .relationship(let it):
                members.append((it.name, link(it)))
                if it.isRequired, !(it.isToMany && write == .replace) { required.append(it.name) }
            case .transientRelationship(let it):
                if write != .create, !it.isToMany {
                    members.append((it.name, ["type": "null", "readOnly": true]))
                }
            case .fetchedProperty: break
            }
        }
        var schema: [(String, JSONValue)] = [
            ("type", "object"), ("properties", .object(members)),
        ]
        if write == .change || isEditing { required = [] }
        if isInFamily(entity) { required.insert("_entity", at: 0) }
        if !required.isEmpty {
            schema.append(("required", .array(required.map { .string($0) })))
        }
        schema.append(("additionalProperties", false))
        if let example = example(of: entity, identified: false) {
            schema.append(("examples", .array([example])))
        }
        return .object(schema)
    }

    /// The value of a relationship in a body: ids, and objects that are made, changed or linked.
    private func link(_ relationship: Relationship) -> JSONValue {
        let isNullable = relationship.isOptional || isEditing
        guard relationship.isToMany else {
            return isNullable ? orNull(member(relationship)) : member(relationship)
        }
        var members: [(String, JSONValue)] = [
            ("type", isNullable ? ["array", "null"] : "array"), ("items", member(relationship)),
        ]
        let declaration = relationship.declaration
        if !isNullable, declaration.minimumCount > 0 {
            members.append(("minItems", .integer(Int64(declaration.minimumCount))))
        }
        if declaration.maximumCount > 0 {
            members.append(("maxItems", .integer(Int64(declaration.maximumCount))))
        }
        return .object(members)
    }

    /// One destination of a relationship in a body.
    func member(_ relationship: Relationship) -> JSONValue {
        ref(model.destination(of: relationship), .link)
    }

    func orNull(_ schema: JSONValue) -> JSONValue { ["oneOf": [schema, ["type": "null"]]] }

    private func bodies(_ entity: Entity, _ write: Write) -> JSONValue {
        one(of: concrete(entity), write.own)
    }

    // MARK: Examples

    /// A valid object; nil if no value is found for a mandatory attribute.
    func example(of entity: Entity, identified: Bool) -> JSONValue? {
        var members: [(String, JSONValue)] =
            identified || isInFamily(entity) ? [("_entity", .string(entity.name))] : []
        if identified { members = [("_id", 1)] + members + [("_version", 1)] }
        for property in entity.properties {
            switch property {
            case .attribute(let it) where it.isTransient || it.isDerived:
                if identified { members.append((it.name, transientExample(it))) }
            case .attribute(let it):
                if let value = OpenAPIExample.value(of: it) {
                    members.append((it.name, value))
                } else if !it.isOptional {
                    return nil
                } else if identified {
                    members.append((it.name, .null))
                }
            case .relationship(let it) where it.isToMany:
                if it.isRequired, !identified {
                    members.append(
                        (it.name, .array((1...it.leastCount).map { .integer(Int64($0)) })))
                }
            case .relationship(let it):
                if !it.isOptional {
                    members.append((it.name, 1))
                } else if identified {
                    members.append((it.name, .null))
                }
            case .transientRelationship(let it):
                if identified, !it.isToMany { members.append((it.name, .null)) }
            case .fetchedProperty: break
            }
        }
        return .object(members)
    }

    private func transientExample(_ attribute: Attribute) -> JSONValue {
        attribute.isTransient
            ? OpenAPIExample.json(attribute.declaration.defaultValue, attribute) ?? .null : .null
    }
}
