/// Compares the declarations of two models.

import SteleModel

/// A declaration as text, of whatever kind: what a comparison of two models sees of it.
struct Declared: Renamable {
    private let kind: ModelDifference.Element.Kind?
    let name: String
    private(set) var renamingIdentifier: String?
    private let settings: [ModelSetting]
    /// The settings in a line.
    private let summary: String
    /// The declarations inside.
    private(set) var parts: [Declared] = []

    private init(
        _ kind: ModelDifference.Element.Kind?, _ name: String, _ settings: [ModelSetting],
        summary: String? = nil
    ) {
        self.kind = kind
        self.name = name
        self.settings = settings
        self.summary =
            summary
            ?? settings.filter { $0.key != "syncable" }.map { "\($0.key) \($0.text)" }
            .joined(separator: ", ")
    }

    /// A whole model. Its entities are in Core Data's order.
    init(_ model: Model) {
        let it = model.declaration
        let version = it.versionIdentifier
        self.init(nil, model.name, version.isEmpty ? [] : [("versionIdentifier", version)])
        parts = model.entities.map { Declared($0.declaration) }
        parts += it.composites.map { Declared($0) }
        parts += it.fetchRequestTemplates.map { Declared(.fetchRequest, $0.name, $0.settings) }
        parts += it.configurations.map {
            Declared(
                .configuration, $0.name, [("entities", $0.entityNames.joined(separator: ", "))])
        }
    }

    private init(_ entity: EntityDescription) {
        self.init(.entity, entity.name, entity.settings)
        renamingIdentifier = entity.renamingIdentifier
        parts = entity.properties.map { Declared($0) }
    }

    private init(_ composite: CompositeDescription) {
        self.init(.composite, composite.name, [])
        parts = composite.attributes.map { Declared(PropertyDescription.attribute($0)) }
    }

    private init(_ property: PropertyDescription) {
        let kind: ModelDifference.Element.Kind
        switch property {
        case .attribute: kind = .attribute
        case .relationship: kind = .relationship
        case .fetchedProperty: kind = .fetchedProperty
        }
        self.init(kind, property.name, property.settings, summary: property.summary)
        switch property {
        case .attribute(let it): renamingIdentifier = it.renamingIdentifier
        case .relationship(let it): renamingIdentifier = it.renamingIdentifier
        case .fetchedProperty: break
        }
    }

    /// The differences between two lists of declarations: kind by kind, in the order of the new
    /// ones, and then those that are removed.
    static func differences(_ old: [Declared], _ new: [Declared]) -> [ModelDifference.Element] {
        ModelDifference.Element.Kind.allCases.flatMap { kind -> [ModelDifference.Element] in
            let before = old.filter { $0.kind == kind }
            let now = new.filter { $0.kind == kind }
            let origins = renamed(now, from: before)
            let kept = Set(origins.compactMap { $0 })
            let present = zip(now, origins).compactMap { declared, origin in
                declared.difference(from: origin.map { before[$0] }, kind)
            }
            let removed = before.enumerated().filter { !kept.contains($0.offset) }.map {
                ModelDifference.Element(kind: kind, before: $1.name, summary: $1.summary)
            }
            return present + removed
        }
    }

    /// The difference from the declaration that this one was; nil if they are equal.
    private func difference(
        from old: Declared?, _ kind: ModelDifference.Element.Kind
    ) -> ModelDifference.Element? {
        var element = ModelDifference.Element(kind: kind, before: old?.name, after: name)
        element.elements = Self.differences(old?.parts ?? [], parts)
        guard let old else {
            element.summary = summary
            return element
        }
        // The identifier that a rename needs is no change of its own.
        element.changes = old.changes(to: self).filter {
            !(element.isRenamed && $0.key == "renamingIdentifier")
        }
        let isEqual = !element.isRenamed && element.changes.isEmpty && element.elements.isEmpty
        return isEqual ? nil : element
    }

    /// The settings that differ, in the order of the old ones and then of the new ones.
    func changes(to new: Declared) -> [ModelDifference.Change] {
        let before = Dictionary(settings.map { ($0.key, $0.text) }, uniquingKeysWith: { a, _ in a })
        let now = Dictionary(
            new.settings.map { ($0.key, $0.text) }, uniquingKeysWith: { a, _ in a })
        let keys = settings.map(\.key) + new.settings.map(\.key).filter { before[$0] == nil }
        return keys.filter { before[$0] != now[$0] }.map {
            ModelDifference.Change(key: $0, before: before[$0], after: now[$0])
        }
    }
}
