/// The names in the OpenAPI document, which must be unique and of a small alphabet.

import SteleModel

/// Gives out names, each once.
struct OpenAPINames {
    private var taken: Set<String> = []

    /// The wanted name without characters that a component may not have, and with a number if it is
    /// taken. Names that differ only in case count as equal, because generators make types of them.
    mutating func claim(_ wanted: String) -> String {
        let allowed = String(
            String.UnicodeScalarView(
                wanted.unicodeScalars.map { Self.isAllowed($0) ? $0 : "_" }))
        var (name, number) = (allowed, 2)
        while !taken.insert(name.lowercased()).inserted {
            name = "\(allowed)_\(number)"
            number += 1
        }
        return name
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }
}

/// The schemas that do not depend on the model, by their names in the document.
enum OpenAPIFixed: String, CaseIterable {
    case id = "Id"
    case row = "Row"
    case entry = "ProblemEntry"
    case file = "StoredFile"
    /// The title of a value that may be in a file.
    case fileOrBytes = "BytesOrFile"
    case operation = "Operation"
    case insert = "InsertOperation"
    case update = "UpdateOperation"
    case delete = "DeleteOperation"
    case values = "OperationValues"
    case address = "OperationObject"
    case reference = "Reference"
    case metadata = "Metadata"
    case change = "Change"
    case save = "Save"
    case context = "EditingContext"
    case settings = "ContextSettings"
    case contextID = "ContextId"
    case contextChanges = "ContextChanges"
    case contextSave = "ContextSave"
    case query = "ListQuery"
    case count = "Count"
}

/// The names of all schemas of a model. Those of entities are chosen first.
struct OpenAPISchemaNames {
    /// The forms of an entity in the document.
    enum Form: CaseIterable {
        /// An object of the entity itself, and of the entity or a subentity.
        case object, family
        /// The bodies of POST, PUT and PATCH.
        case create, replace, change
        /// The same for the entity or a subentity.
        case createFamily, replaceFamily, changeFamily
        /// The destination of a relationship in a body, and the title of one in an answer, which is
        /// null for none or is always there.
        case link, linked, required
    }

    private var entities: [[Form: String]]
    private var fixed: [OpenAPIFixed: String] = [:]
    private var problems: [Int: String] = [:]

    /// - Parameter statuses: those that have a schema of their own.
    init(_ model: Model, statuses: [Int]) {
        var names = OpenAPINames()
        // An entity without subentities has the same name in both forms.
        let plain = model.entities.map { names.claim($0.name) }
        entities = model.entities.map { entity in
            let name = plain[entity.index]
            func family(_ form: Form, _ suffix: String) -> [Form: String] {
                let own = names.claim(name + suffix)
                let whole: Form =
                    switch form {
                    case .replace: .replaceFamily
                    case .change: .changeFamily
                    default: .createFamily
                    }
                return [
                    form: own,
                    whole: entity.hasSubentities ? names.claim("\(name)\(suffix)Family") : own,
                ]
            }
            var forms: [Form: String] = [
                .object: name,
                .family: entity.hasSubentities && !entity.isAbstract
                    ? names.claim(name + "Family") : name,
            ]
            for (form, suffix) in [
                (Form.create, "Create"), (.replace, "Replace"), (.change, "Change"),
            ] {
                forms.merge(family(form, suffix)) { first, _ in first }
            }
            forms[.link] = names.claim(name + "Link")
            forms[.linked] = names.claim("Linked" + name)
            forms[.required] = names.claim("Required" + name)
            return forms
        }
        for schema in OpenAPIFixed.allCases { fixed[schema] = names.claim(schema.rawValue) }
        for status in statuses { problems[status] = names.claim("Problem\(status)") }
    }

    func name(_ entity: Entity, _ form: Form) -> String { entities[entity.index][form] ?? "" }

    func name(_ schema: OpenAPIFixed) -> String { fixed[schema] ?? "" }

    func name(problem status: Int) -> String { problems[status] ?? "" }
}
