/// The Swift names of everything in a model.

import SteleModel

/// The names of a model's classes, structures and members. All are valid and distinct.
struct SwiftNames {
    let model: Model
    /// The access level of what is generated.
    let access: AccessLevel
    private(set) var modelName = ""
    /// Each entity's class, or its ancestor's if it has none of its own, by `Entity.index`.
    private(set) var classes: [String?] = []
    /// The entities that have a class of their own.
    private(set) var classed: [Entity] = []
    /// The entities whose class in the model is also that of others, with that class.
    private(set) var renamed: [(entity: Entity, shared: String)] = []
    /// The structures of composite types, by the name of the type.
    private(set) var composites: [String: String] = [:]
    /// The members of each entity, inherited ones included, by the name of the property.
    private var members: [[String: String]] = []
    /// The names of all generated types, which hide those of libraries.
    private var types: Set<String> = []

    /// - Throws: `ModelErrors` if two entities have the same class, which is written by hand.
    init(_ model: Model, name: String, access: AccessLevel) throws(ModelErrors) {
        self.model = model
        self.access = access
        try nameClasses()
        for composite in model.declaration.composites {
            composites[composite.name] = unusedType(SwiftIdentifier.make(composite.name))
        }
        let short = name.filter { $0 != " " && $0 != "-" }
        modelName = unusedType(SwiftIdentifier.make(short) + "Model")
        for entity in model.entities { members.append(memberNames(of: entity)) }
    }

    // MARK: Types

    /// Names a class for each entity. Of entities that share a class without being its subentities
    /// each gets one with its own name, so that no class depends on what other entities there are.
    private mutating func nameClasses() throws(ModelErrors) {
        let wanted = model.entities.map { Self.className($0.declaration) }
        func sharesWithParent(_ entity: Entity) -> Bool {
            entity.parent.map { wanted[$0] == wanted[entity.index] } ?? false
        }
        let owners = Dictionary(grouping: model.entities.filter { !sharesWithParent($0) }) {
            wanted[$0.index]
        }
        var errors: [ModelError] = []
        for entity in model.entities {
            let inherited = entity.parent.flatMap { classes[$0] }
            guard let name = wanted[entity.index] else {
                classes.append(inherited)
                continue
            }
            let isOfParent = sharesWithParent(entity)
            // A subentity without properties may share its parent's class.
            if isOfParent, entity.declaration.properties.isEmpty {
                classes.append(inherited)
                continue
            }
            let others = (owners[name] ?? []).filter { $0 !== entity }
            let keeps = isOfParent ? false : others.isEmpty || Self.keeps(name, entity, others)
            if !keeps, entity.declaration.isWrittenByHand {
                let owner = isOfParent ? entity.parent.map { model.entities[$0] } : others.first
                errors.append(
                    ModelError(
                        entity.name,
                        "its class \(name) is also the class of \(owner?.name ?? "another entity")",
                        hint: "give it a class of its own, because both are written by hand"))
            }
            let own =
                keeps
                ? name
                : Self.unused(Self.typeName(entity.name)) {
                    types.contains($0) || wanted.contains($0)
                }
            if !keeps { renamed.append((entity, name)) }
            classes.append(own)
            types.insert(own)
            classed.append(entity)
        }
        if !errors.isEmpty { throw ModelErrors(errors) }
    }

    /// Whether an entity keeps a class that others have too: it is the only one whose class is
    /// written by hand, or the one with its name.
    private static func keeps(_ name: String, _ entity: Entity, _ others: [Entity]) -> Bool {
        if others.contains(where: \.declaration.isWrittenByHand) { return false }
        return entity.declaration.isWrittenByHand || typeName(entity.name) == name
    }

    /// An entity's class: the last part of `representedClassName`, or the entity's own name. Nil if
    /// the model says that there is none.
    private static func className(_ entity: EntityDescription) -> String? {
        let given = entity.managedObjectClassName?.split(separator: ".").last.map(String.init)
        guard let given, given != "NSManagedObject" else {
            return entity.codeGenerationType == EntityDescription.CodeGenerationType.none
                ? nil : typeName(entity.name)
        }
        return typeName(given)
    }

    /// The generated code names these modules, and generic parameters and a type of the library, which
    /// a class of the name would hide.
    private static func typeName(_ name: String) -> String {
        let name = SwiftIdentifier.make(name)
        return ["Stele", "Swift", "Object", "Composite", "Keys"].contains(name) ? name + "_" : name
    }

    private mutating func unusedType(_ wanted: String) -> String {
        let name = Self.unused(wanted) { types.contains($0) }
        types.insert(name)
        return name
    }

    private static func unused(_ wanted: String, _ isUsed: (String) -> Bool) -> String {
        var name = wanted
        while isUsed(name) { name += "_" }
        return name
    }

    /// An entity's class, as code.
    func classCode(_ entity: Entity) -> String {
        classes[entity.index].map(SwiftIdentifier.code) ?? library("ManagedObject")
    }

    /// The superclass of an entity's class, as code.
    func superclassCode(_ entity: Entity) -> String {
        entity.parent.map { classCode(model.entities[$0]) } ?? library("ManagedObject")
    }

    /// A type of the standard library, as code.
    func standard(_ name: String) -> String { types.contains(name) ? "Swift.\(name)" : name }

    /// A type of Stele, or of Foundation by way of Stele, as code.
    func library(_ name: String) -> String {
        types.contains(name) ? "Stele.\(name)" : name
    }

    /// The import of the library. A declaration that is not internal and names one of its types
    /// needs an import of the same level, and an import that none needs is a warning.
    func importLines(for lines: [String]) -> [String] {
        guard access != .internal, showsLibrary(lines) else { return ["import Stele"] }
        if access == .public { return ["public import Stele"] }
        // Without the feature, an import as `package` makes all plain imports of the module
        // ambiguous, also those of code beside it.
        return [
            "#if hasFeature(InternalImportsByDefault)", "    package import Stele", "#else",
            "    import Stele", "#endif",
        ]
    }

    private func showsLibrary(_ lines: [String]) -> Bool {
        let known = Self.libraryTypes.subtracting(types)
        return lines.contains { line in
            let line = line.drop { $0 == " " }
            guard line.hasPrefix("\(access) ") || line.hasPrefix("open ") else { return false }
            return line.contains("Stele.")
                || line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
                    .contains { known.contains(String($0)) }
        }
    }

    /// The types of Stele, and of Foundation by way of Stele, that declarations have.
    private static let libraryTypes: Set<String> = [
        "AttributeKey", "CompositeKeys", "CompositeView", "Data", "Date", "Decimal",
        "EmbeddedModel", "JSONValue", "ManagedObject",
        "ObjectKeys", "ToManyKeys", "TypedEntity", "TypedModel", "URL", "UUID", "Value",
    ]

    /// A type of the standard library, Stele or Foundation, as code.
    func type(_ name: String) -> String {
        switch name {
        case "Data", "Date", "Decimal", "JSONValue", "URL", "UUID": library(name)
        default: standard(name)
        }
    }

    // MARK: Members

    private func memberNames(of entity: Entity) -> [String: String] {
        var names = entity.parent.map { members[$0] } ?? [:]
        var used = Set(names.values.map { $0.lowercased() })
        for property in entity.declaration.properties {
            let name = Self.unused(SwiftIdentifier.make(property.name)) {
                ManagedObjectMembers.names.contains($0) || used.contains($0.lowercased())
            }
            used.insert(name.lowercased())
            names[property.name] = name
        }
        return names
    }

    /// The Swift name of an entity's property, without backticks.
    func member(_ property: String, of entity: Entity) -> String {
        members[entity.index][property] ?? SwiftIdentifier.make(property)
    }

    /// The Swift names of a composite type's attributes, in their order, without backticks.
    func members(of composite: CompositeDescription) -> [String] {
        var used = ManagedObjectMembers.compositeNames
        return composite.attributes.map { attribute in
            let name = Self.unused(SwiftIdentifier.make(attribute.name), used.contains)
            used.insert(name)
            return name
        }
    }
}

extension EntityDescription {
    /// Whether people write the entity's class.
    fileprivate var isWrittenByHand: Bool {
        switch codeGenerationType {
        case CodeGenerationType.none?, .category?: true
        case .class?, nil: false
        }
    }
}
