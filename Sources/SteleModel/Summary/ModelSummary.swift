/// A readable summary of a model file, which `stele model` prints: the versions, the entities of
/// the current version, notes, and unsupported features.
public enum ModelSummary {
    /// The whole text, with a final line break. Lines have at most 100 characters if the words
    /// allow it.
    public static func text(_ file: ModelFile) -> String {
        var lines = heading(file)
        let declared = file.current
        let model = try? file.model()
        let entities = model?.entities.map(\.declaration) ?? declared.entities
        for (index, entity) in entities.enumerated() {
            let number = model == nil ? "" : "\(index + 1)"
            let depth = model.map { Self.depth(of: $0.entities[index], in: $0) } ?? 0
            lines.append("")
            lines += EntitySummary(entity).lines(number: number, depth: depth)
        }
        lines += templates(declared)
        lines += configurations(declared)
        lines += composites(declared)
        do {
            let model = try file.model()
            lines += section("Notes", file.notes + model.notes())
            lines += section("Does not work yet", model.unsupported())
        } catch {
            lines += section("Notes", file.notes)
            lines += section("Cannot be", error.errors)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func depth(of entity: Entity, in model: Model) -> Int {
        var depth = 0
        var next = entity.parent
        while let parent = next {
            depth += 1
            next = model.entities[parent].parent
        }
        return depth
    }

    private static func heading(_ file: ModelFile) -> [String] {
        let model = file.current
        var head = model.name
        if !model.versionIdentifier.isEmpty { head += "  version \(model.versionIdentifier)" }
        let entities = model.entities.count
        head += "  \(entities) \(entities == 1 ? "entity" : "entities")"
        guard file.versions.count > 1 else { return [head] }
        let names = file.versions.map {
            $0.name == file.currentVersionName ? "\($0.name) (current)" : $0.name
        }
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
