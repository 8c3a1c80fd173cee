/// Swift for a model: a class for each entity, as Xcode's code generation has them.

import SteleModel

/// A file of generated code.
public struct SwiftFile: Sendable, Hashable {
    /// Its name, such as `Player.swift`.
    public let name: String
    /// Its text.
    public let text: String

    /// How the first line of each begins: who writes it anew may replace it.
    public static let mark = "// Written by stele model swift"

    /// A file of that name and text.
    public init(name: String, text: String) {
        self.name = name
        self.text = text
    }
}

/// Generates a model's classes: subclasses of `ManagedObject` with a property for each of the
/// entity's, and an enumeration for the model that registers them.
public struct SwiftGenerator {
    private let model: Model
    private let names: SwiftNames

    /// - Throws: `ModelErrors` where two entities have one class.
    public init(_ model: Model) throws(ModelErrors) {
        self.model = model
        names = try SwiftNames(model)
    }

    /// A file for each class, each composite type, and the model.
    public func files() -> [SwiftFile] {
        var files: [SwiftFile] = []
        for entity in names.classed {
            let name = names.classes[entity.index] ?? entity.name
            switch entity.declaration.codeGenerationType {
            case EntityDescription.CodeGenerationType.none?: continue
            case .category:
                files.append(file("\(name)+Properties", entity.name, properties(of: entity)))
            case .class, nil:
                files.append(
                    file(name, entity.name, classLines(entity) + properties(of: entity)))
            }
        }
        for composite in model.declaration.composites {
            let name = names.composites[composite.name] ?? composite.name
            files.append(file(name, composite.name, structure(name, composite)))
        }
        return files + [file(names.modelName, "its classes", modelLines(), "import SteleModel")]
    }

    /// What is left to people: classes that the model says are written by hand.
    public func notes() -> [ModelError] {
        names.classed.compactMap { entity in
            let name = names.classes[entity.index] ?? entity.name
            switch entity.declaration.codeGenerationType {
            case EntityDescription.CodeGenerationType.none?:
                return ModelError(
                    entity.name, "its class \(name) is yours to write, properties and all",
                    hint: "its code generation is none")
            case .category:
                return ModelError(
                    entity.name, "its class \(name) is yours to write; its properties are not",
                    hint: "its code generation is category")
            case .class, nil: return nil
            }
        }
    }

    private func file(
        _ name: String, _ subject: String, _ lines: [String], _ imports: String...
    ) -> SwiftFile {
        // A model is called what its file is; a line break in there would end the comment.
        let modelName = String(model.name.map { $0.isNewline ? " " : $0 })
        let head = [
            "\(SwiftFile.mark) from the model \(modelName): \(subject).",
            "// It is written anew from the model; what is yours belongs into a file of your own.",
            "", "import SteleGraph",
        ]
        let text = (head + imports + [""] + lines).joined(separator: "\n") + "\n"
        return SwiftFile(name: name + ".swift", text: text)
    }

    // MARK: Classes

    private func classLines(_ entity: Entity) -> [String] {
        let access = entity.hasSubentities || entity.isAbstract ? "open" : "public final"
        let head = "\(access) class \(names.classCode(entity)): \(names.superclassCode(entity)) {}"
        return entity.declaration.properties.isEmpty ? [head] : [head, ""]
    }

    private func properties(of entity: Entity) -> [String] {
        let writer = PropertyWriter(names: names)
        var lines: [String] = []
        for declared in entity.declaration.properties {
            let name = names.member(declared.name, of: entity)
            let found: [String]
            switch entity.property(named: declared.name) {
            case .attribute(let it)?:
                found = writer.lines(it.declaration, name: name, key: "\"\(it.declaration.name)\"")
            case .relationship(let it)?: found = writer.lines(it, name: name)
            case .fetchedProperty(let it)?: found = writer.lines(it, name: name)
            case nil: found = []
            }
            lines += (lines.isEmpty ? [] : [""]) + found
        }
        guard !lines.isEmpty else { return [] }
        return ["extension \(names.classCode(entity)) {"] + Self.indented(lines) + ["}"]
    }

    private func structure(_ name: String, _ composite: CompositeDescription) -> [String] {
        let writer = PropertyWriter(names: names, receiver: "object.", setter: "nonmutating set")
        let (owner, text) = (names.library("ManagedObject"), names.standard("String"))
        var lines = [
            "public let object: \(owner)", "public let keyPath: \(text)", "",
            "public init(_ object: \(owner), keyPath: \(text)) {", "    self.object = object",
            "    self.keyPath = keyPath", "}",
        ]
        for (attribute, member) in zip(composite.attributes, names.members(of: composite)) {
            lines.append("")
            lines += writer.lines(attribute, name: member, key: "key(\"\(attribute.name)\")")
        }
        let head =
            "public struct \(SwiftIdentifier.code(name)): \(names.library("CompositeView")) {"
        return [head] + Self.indented(lines) + ["}"]
    }

    private static func indented(_ lines: [String]) -> [String] {
        lines.map { $0.isEmpty ? "" : "    " + $0 }
    }

    // MARK: The model

    private func modelLines() -> [String] {
        let typed = names.library("TypedEntity")
        var lines = [
            "public enum \(names.modelName): \(names.library("TypedModel")) {",
            "    public static let entities: [\(typed)] = [",
        ]
        for entity in names.classed {
            lines += [
                "        \(typed)(",
                "            \"\(entity.name)\", \(names.classCode(entity)).self,",
            ]
            let properties = entity.declaration.properties.flatMap { members($0.name, of: entity) }
            if properties.isEmpty {
                lines.append("            [:]),")
                continue
            }
            lines.append("            [")
            // As swift-format has it, one element stands without a comma.
            let comma = properties.count > 1 ? "," : ""
            lines += properties.map { "                \($0)\(comma)" }
            lines.append("            ]),")
        }
        return lines + ["    ]", "}"]
    }

    /// What a property is; of a composite attribute what is in it, too, for its view goes there.
    private func members(_ name: String, of entity: Entity) -> [String] {
        switch entity.property(named: name) {
        case .attribute(let it)?:
            return it.nested.map { "\"\($0.name)\": .attribute(.\($0.type))" }
        case .relationship(let it)?:
            let destination = model.destination(of: it).name
            let kind = !it.isToMany ? "toOne" : it.isOrdered ? "ordered" : "toMany"
            return ["\"\(name)\": .\(kind)(\"\(destination)\")"]
        case .fetchedProperty(let it)?:
            return ["\"\(name)\": .fetched(\"\(it.request.entityName)\")"]
        case nil: return []
        }
    }
}
