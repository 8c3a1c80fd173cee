/// Swift for a model: a class for each entity, as Xcode's code generation makes them.

import SteleModel
import SteleModelFiles

/// A file of generated code.
public struct SwiftFile: Sendable, Hashable {
    /// The name, such as `Player.swift`.
    public let name: String
    /// The text.
    public let text: String

    /// The beginning of the first line of each file; a file that has it may be overwritten.
    public static let mark = "// Written by stele model swift"
}

/// Generates a model's classes: a subclass of `ManagedObject` with its properties for each entity,
/// and an enumeration that registers them.
public struct SwiftGenerator {
    private let file: ModelFile
    private let model: Model
    /// The versions that are valid, and why others are left out.
    private let versions: (models: [Model], notes: [ModelError])
    /// The name that all versions of the model share.
    private var modelName: String { file.name }
    private let names: SwiftNames
    private var access: String { names.access.modifier }

    /// Prepares the classes of a model's current version.
    /// - Parameters:
    ///   - file: the model with its versions.
    ///   - access: the access level of the classes and all that is generated with them.
    /// - Throws: `ModelErrors` if the model has mistakes, or two entities have the same class, which is
    ///   written by hand.
    public init(_ file: ModelFile, access: AccessLevel = .public) throws(ModelErrors) {
        self.file = file
        model = try file.model()
        versions = try file.models()
        names = try SwiftNames(model, name: file.name, access: access)
    }

    /// Prepares the classes of a model with one version.
    /// - Throws: `ModelErrors` if two entities have the same class, which is written by hand.
    public init(_ model: Model) throws(ModelErrors) { try self.init(ModelFile(model.declaration)) }

    /// A file for each class, for each composite type, and for the model.
    public func files() -> [SwiftFile] {
        parts().map { file($0.name, of: $0.subject, $0.lines) }
    }

    /// All of it as one file.
    public func combined() -> SwiftFile {
        let lines = parts().map(\.lines).joined(separator: [""])
        return file(names.modelName, of: "its classes", Array(lines))
    }

    /// What a file has.
    private typealias Part = (name: String, subject: String, lines: [String])

    private func parts() -> [Part] {
        var parts: [Part] = []
        for entity in names.classed {
            let name = names.classes[entity.index] ?? entity.name
            switch entity.declaration.codeGenerationType {
            case EntityDescription.CodeGenerationType.none?: continue
            case .category:
                let lines = properties(of: entity)
                parts.append(("\(name)+Properties", entity.name, lines))
            case .class, nil:
                parts.append((name, entity.name, classLines(entity) + properties(of: entity)))
            }
        }
        for composite in model.declaration.composites {
            let name = names.composites[composite.name] ?? composite.name
            parts.append((name, composite.name, structure(name, composite)))
        }
        return parts + [(names.modelName, "its classes", modelLines())]
    }

    /// The classes that the model leaves to be written by hand, and those with another name than it
    /// says.
    public func notes() -> [ModelError] {
        versions.notes
            + names.renamed.map { entity, shared in
                ModelError(
                    entity.name,
                    "its class is \(names.classes[entity.index] ?? entity.name), because \(shared) is "
                        + "also the class of another entity")
            }
            + names.classed.compactMap { entity in
                let name = names.classes[entity.index] ?? entity.name
                switch entity.declaration.codeGenerationType {
                case EntityDescription.CodeGenerationType.none?:
                    return ModelError(
                        entity.name, "its class \(name) and its properties are written by hand",
                        hint: "its code generation is none")
                case .category:
                    return ModelError(
                        entity.name,
                        "its class \(name) is written by hand; its properties are generated",
                        hint: "its code generation is category")
                case .class, nil: return nil
                }
            }
    }

    private func file(
        _ name: String, of subject: String, _ lines: [String]
    ) -> SwiftFile {
        // The model has the name of its file; a line break in it would end the comment.
        let modelName = String(modelName.map { $0.isNewline ? " " : $0 })
        let head = [
            "\(SwiftFile.mark) from the model \(modelName): \(subject).",
            "// It is generated from the model. Put code of your own into another file.",
            "",
        ]
        let text =
            (head + names.importLines(for: lines) + [""] + lines).joined(separator: "\n") + "\n"
        return SwiftFile(name: name + ".swift", text: text)
    }

    // MARK: Classes

    private func classLines(_ entity: Entity) -> [String] {
        let isInherited = entity.hasSubentities || entity.isAbstract
        let access = names.access.classModifier(isInherited: isInherited)
        // A program may have the main actor as the default for what does not say so.
        let head =
            (access.isEmpty ? "" : access + " ")
            + "nonisolated class \(names.classCode(entity)): \(names.superclassCode(entity)) {}"
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
            case .transientRelationship?, nil: continue
            }
            lines += (lines.isEmpty ? [] : [""]) + found
        }
        guard !lines.isEmpty else { return [] }
        return ["nonisolated extension \(names.classCode(entity)) {"] + Self.indented(lines) + ["}"]
            + keys(of: entity)
    }

    /// What predicates and orders compare.
    private func keys(of entity: Entity) -> [String] {
        let isByHand = entity.declaration.codeGenerationType == .category
        let writer = PropertyWriter(names: names, keyAccess: isByHand ? "" : nil)
        let lines = entity.declaration.properties.compactMap { declared -> String? in
            let name = names.member(declared.name, of: entity)
            switch entity.property(named: declared.name) {
            case .attribute(let it)?: return writer.key(it.declaration, name: name)
            case .relationship(let it)?: return writer.key(it, name: name)
            case .fetchedProperty?, .transientRelationship?, nil: return nil
            }
        }
        let isOpen = entity.hasSubentities || entity.isAbstract
        return extended(
            "ObjectKeys", "Object\(isOpen ? ":" : " ==") \(names.classCode(entity))", by: lines)
    }

    private func extended(_ keys: String, _ condition: String, by lines: [String]) -> [String] {
        if lines.isEmpty { return [] }
        return ["", "nonisolated extension \(names.library(keys)) where \(condition) {"]
            + Self.indented(lines) + ["}"]
    }

    private func structure(_ name: String, _ composite: CompositeDescription) -> [String] {
        let writer = PropertyWriter(names: names, receiver: "object.", setter: "nonmutating set")
        let (owner, text) = (names.library("ManagedObject"), names.standard("String"))
        var lines = [
            "\(access)let object: \(owner)", "\(access)let keyPath: \(text)", "",
            "\(access)init(_ object: \(owner), keyPath: \(text)) {", "    self.object = object",
            "    self.keyPath = keyPath", "}",
        ]
        for (attribute, member) in zip(composite.attributes, names.members(of: composite)) {
            lines.append("")
            lines += writer.lines(attribute, name: member, key: "key(\"\(attribute.name)\")")
        }
        let head =
            "\(access)nonisolated struct \(SwiftIdentifier.code(name)): \(names.library("CompositeView")) {"
        let keys = zip(composite.attributes, names.members(of: composite)).compactMap {
            writer.key($0, name: $1)
        }
        return [head] + Self.indented(lines) + ["}"]
            + extended("CompositeKeys", "Composite == \(SwiftIdentifier.code(name))", by: keys)
    }

    private static func indented(_ lines: [String]) -> [String] {
        lines.map { $0.isEmpty ? "" : "    " + $0 }
    }

    // MARK: The model

    private func modelLines() -> [String] {
        let typed = names.library("TypedEntity")
        var lines = [
            "\(access)nonisolated enum \(names.modelName): \(names.library("TypedModel")) {"
        ]
        lines +=
            Self.indented(embedded()) + [
                "",
                "    \(access)static let entities: [\(typed)] = [",
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
            // swift-format writes a single element without a comma.
            let comma = properties.count > 1 ? "," : ""
            lines += properties.map { "                \($0)\(comma)" }
            lines.append("            ]),")
        }
        return lines + ["    ]", "}"]
    }

    /// The model with all its versions, so that a program needs no file of it.
    private func embedded() -> [String] {
        let type = names.library("EmbeddedModel")
        let versions = versions.models.map { $0.declaration.json().pretty }
        var lines = [
            "\(access)static let embedded = \(type)(",
            "    name: \(SwiftText.quoted(file.name)),",
            "    currentVersion: \(SwiftText.quoted(file.currentVersionName)),", "    versions: [",
        ]
        for version in versions {
            lines += SwiftText.lines(version).map { $0.isEmpty ? "" : "        " + $0 }
            // swift-format writes a single element without a comma.
            if versions.count > 1 { lines[lines.count - 1] += "," }
        }
        if file.embeddedMappings.isEmpty { return lines + ["    ])"] }
        lines += ["    ],", "    mappings: ["]
        for mapping in file.embeddedMappings {
            lines += ["        \(names.library("EmbeddedMapping"))("]
            lines.append("            \(SwiftText.quoted(mapping.name)),")
            lines += SwiftText.content(mapping.bytes).map { $0.isEmpty ? "" : "            " + $0 }
            lines[lines.count - 1] += "),"
        }
        return lines + ["    ])"]
    }

    /// The entries of a property. A composite attribute has one for each of its elements too.
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
        case .transientRelationship?, nil: return []
        }
    }
}
