// The schemas of an entity: its objects in answers, and the bodies that make and change them.

import SteleJSON
import SteleModel
import SteleRequests

extension OpenAPIDocument {
    /// All schemas of the model's entities.
    var entitySchemas: [(String, JSONValue)] {
        model.entities.flatMap { entity -> [(String, JSONValue)] in
            var schemas: [(String, JSONValue)] = []
            func add(_ form: OpenAPISchemaNames.Form, _ schema: JSONValue) {
                schemas.append((names.name(entity, form), schema))
            }
            if !entity.isAbstract {
                add(.object, object(entity))
                for use in Write.allCases { add(use.own, body(entity, use)) }
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
            ("_id", ref(.id)), ("_entity", ["const": .string(entity.name)]),
            ("_version", Self.version),
        ]
        var required = ["_id", "_entity", "_version"]
        for property in entity.properties {
            switch property {
            case .attribute(let it):
                members.append((it.name, OpenAPIAttribute(attribute: it, use: .answer).schema))
            case .relationship(let it) where it.isToMany:
                members.append((it.name, embedded(model.destination(of: it))))
                continue
            case .relationship(let it):
                // By its id, or embedded by include.
                var forms = [ref(.id), ref(model.destination(of: it), .family)]
                if it.isOptional || model.mayDangle(it) { forms.append(["type": "null"]) }
                members.append((it.name, ["anyOf": .array(forms)]))
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

    /// The objects of a to-many relationship or a fetched property, which only include shows.
    private func embedded(_ destination: Entity) -> JSONValue {
        ["type": "array", "items": ref(destination, .family), "description": "With include alone."]
    }

    private func family(_ entity: Entity) -> JSONValue {
        let members = concrete(entity)
        let objects = members.map { ref($0, .object) }
        guard !objects.isEmpty else { return ["not": [:]] }
        return [
            "oneOf": .array(objects),
            "discriminator": [
                "propertyName": "_entity",
                "mapping": .object(
                    members.map {
                        ($0.name, .string("#/components/schemas/\(names.name($0, .object))"))
                    }),
            ],
        ]
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
            members.append(("_entity", ["const": .string(entity.name)]))
            if !configurations.isEmpty, entity.property(named: "_store") == nil {
                members.append(("_store", ["enum": .array(configurations.map { .string($0) })]))
            }
        } else {
            let parents = sequence(first: entity) { $0.parent.map { self.model.entities[$0] } }
            members += [
                ("_id", ref(.id)),
                ("_entity", ["enum": .array(parents.map { .string($0.name) })]),
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
                members.append((it.name, OpenAPIAttribute(attribute: it, use: use).schema))
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
        if write != .change, !required.isEmpty {
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
        let isNullable = relationship.isOptional
        guard relationship.isToMany else {
            let forms = memberForms(relationship) + (isNullable ? [["type": "null"]] : [])
            return ["anyOf": .array(forms)]
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
        ["anyOf": .array(memberForms(relationship))]
    }

    private func memberForms(_ relationship: Relationship) -> [JSONValue] {
        [ref(.id), ref(model.destination(of: relationship), .changeFamily)]
    }

    private func bodies(_ entity: Entity, _ write: Write) -> JSONValue {
        let forms = concrete(entity).map { ref($0, write.own) }
        guard !forms.isEmpty else { return ["not": [:]] }
        // Without _entity a new object is of the entity of the address.
        return write == .create && entity.isAbstract
            ? ["anyOf": .array(forms), "required": ["_entity"]] : ["anyOf": .array(forms)]
    }

    // MARK: Examples

    /// A valid object; nil if no value is found for a mandatory attribute.
    func example(of entity: Entity, identified: Bool) -> JSONValue? {
        var members: [(String, JSONValue)] =
            identified ? [("_id", 1), ("_entity", .string(entity.name)), ("_version", 1)] : []
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
