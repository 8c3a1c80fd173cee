/// A readable summary of a model file, which `stele model` prints: the versions, the entities of
/// the current version, notes, and unsupported features.
package enum ModelSummary {
    /// The whole text, with a final line break. Lines have at most 100 characters if the words
    /// allow it.
    /// - Parameters:
    ///   - name: the name of the model, which all its versions share.
    ///   - versions: the names of the versions.
    ///   - notes: what was ignored while the model was read.
    package static func text(
        _ declared: ManagedObjectModel, of name: String, versions: [String], notes: [ModelError]
    ) -> String {
        var lines = heading(declared, name, versions)
        let linked = Result { () throws(ModelErrors) in try Model(declared) }
        let model = try? linked.get()
        let entities = model?.entities.map(\.declaration) ?? declared.entities
        for (index, entity) in entities.enumerated() {
            let number = model == nil ? "" : "\(index + 1)"
            let depth = model.map { Self.depth(of: $0.entities[index], in: $0) } ?? 0
            lines.append("")
            lines += entity.summary(number: number, depth: depth)
        }
        lines += templates(declared)
        lines += configurations(declared)
        lines += composites(declared)
        switch linked {
        case .success(let model):
            lines += section("Notes", notes + model.notes())
            lines += section("Not supported yet", model.unsupported())
        case .failure(let error):
            lines += section("Notes", notes)
            lines += section("Errors", error.errors)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func depth(of entity: Entity, in model: Model) -> Int {
        entity.parent.map { depth(of: model.entities[$0], in: model) + 1 } ?? 0
    }

    private static func heading(
        _ model: ManagedObjectModel, _ name: String, _ versions: [String]
    ) -> [String] {
        var head = name
        if !model.versionIdentifier.isEmpty { head += "  version \(model.versionIdentifier)" }
        let entities = model.entities.count
        head += "  \(entities) \(entities == 1 ? "entity" : "entities")"
        guard versions.count > 1 else { return [head] }
        let names = versions.map { $0 == model.name ? "\($0) (current)" : $0 }
        return [head] + TextTable.wrap(names.joined(separator: ", "), after: "versions  ")
    }

    private static func templates(_ model: ManagedObjectModel) -> [String] {
        var table = TextTable(indent: 2)
        for template in model.fetchRequestTemplates {
            table.add(template.name, template.entityName, details: template.details)
        }
        return titled("Fetch requests", table.lines())
    }

    private static func configurations(_ model: ManagedObjectModel) -> [String] {
        var table = TextTable(indent: 2)
        for configuration in model.configurations {
            table.add(configuration.name, details: configuration.entityNames)
        }
        return titled("Configurations", table.lines())
    }

    private static func composites(_ model: ManagedObjectModel) -> [String] {
        model.composites.flatMap { composite -> [String] in
            var table = TextTable(indent: 2)
            for attribute in composite.attributes { attribute.addRow(to: &table) }
            return ["", "Composite \(composite.name)"] + table.lines()
        }
    }

    private static func titled(_ title: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : ["", title] + lines
    }

    private static func section(_ title: String, _ errors: [ModelError]) -> [String] {
        titled(title, errors.flatMap { TextTable.wrap($0.description, after: "  - ") })
    }
}
