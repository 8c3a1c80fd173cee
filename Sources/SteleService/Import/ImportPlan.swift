/// The plan of an import: the entity and order of the files, and the names of objects.

import SteleModel

/// What an import reads, checked against the model.
public struct ImportPlan: Sendable {
    struct File: Sendable {
        let path: String
        let entity: Entity
    }

    let model: Model
    /// In the order of reading.
    let files: [File]
    /// Whether keys that an entity does not have are ignored.
    let ignoresUnknownKeys: Bool
    /// The attributes that were given as names, by entity index. A subentity inherits its parent's.
    private let given: [Int: Attribute]

    /// - Parameters:
    ///   - files: each with the name of its entity, or nil if the name of the file tells it.
    ///   - keys: the attribute that names the objects of an entity; by default that of a uniqueness
    ///     constraint with a single attribute.
    ///   - ignoresUnknownKeys: whether keys that an entity does not have are ignored.
    /// - Throws: `ImportError` for a name that the model does not have.
    public init(
        model: Model, files: [(path: String, entity: String?)],
        keys: [(entity: String, attribute: String)] = [], ignoresUnknownKeys: Bool = false
    ) throws {
        self.model = model
        self.ignoresUnknownKeys = ignoresUnknownKeys
        var given: [Int: Attribute] = [:]
        for (name, attribute) in keys {
            let entity = try Self.entity(name, in: model)
            guard let found = entity.attribute(named: attribute) else {
                let hint = Nearest.hint(to: attribute, among: entity.properties.map(\.name))
                throw ImportError(
                    "\(name) has no attribute \(attribute)" + (hint.map { "; \($0)" } ?? ""))
            }
            given[entity.index] = found
        }
        self.given = given
        let named = try files.map { path, entity in
            File(
                path: path,
                entity: try entity.map { try Self.entity($0, in: model) }
                    ?? Self.entity(ofFile: path, in: model))
        }
        self.files = Self.ordered(named, model)
    }

    /// The attribute that names the objects of an entity.
    func key(of entity: Entity) -> Attribute? {
        var next: Int? = entity.index
        while let index = next {
            if let attribute = given[index] { return attribute }
            next = model.entities[index].parent
        }
        let single = entity.uniquenessConstraints.first { $0.count == 1 }
        return single.flatMap { $0.first }.flatMap { entity.attribute(named: $0) }
    }

    private static func entity(_ name: String, in model: Model) throws -> Entity {
        if let entity = model.entity(named: name) { return entity }
        let hint = Nearest.hint(to: name, among: model.entities.map(\.name))
        throw ImportError(
            "the model \(model.name) has no entity \(name)" + (hint.map { "; \($0)" } ?? ""))
    }

    /// The entity whose name, or plural, is the name of a file: `city.ndjson`, `cities.ndjson`.
    static func entity(ofFile path: String, in model: Model) throws -> Entity {
        let file = path.split(separator: "/").last ?? ""
        let name = (file.firstIndex(of: ".").map { file[..<$0] } ?? file).lowercased()
        for entity in model.entities {
            let one = entity.name.lowercased()
            if name == one || plurals(of: one).contains(name) { return entity }
        }
        throw ImportError(
            "no entity of \(model.name) has this name; name the entity: ENTITY=\(path)",
            file: path)
    }

    private static func plurals(of name: String) -> [String] {
        let stem = name.hasSuffix("y") ? [String(name.dropLast()) + "ies"] : []
        return [name + "s", name + "es"] + stem
    }

    /// Files with the destinations of to-one relationships come first, so that few links wait.
    private static func ordered(_ files: [File], _ model: Model) -> [File] {
        var left = files
        var ordered: [File] = []
        while !left.isEmpty {
            let index = left.firstIndex { file in
                !left.contains { other in
                    other.entity.root != file.entity.root && leads(file.entity, other.entity)
                }
            }
            ordered.append(left.remove(at: index ?? 0))
        }
        return ordered
    }

    private static func leads(_ entity: Entity, _ other: Entity) -> Bool {
        entity.slots.contains { slot in
            guard case .relationship(let it) = slot else { return false }
            return other.subtree.contains(it.destination)
                || other.index == it.destination
                || (it.destination < other.index && other.root == it.destination)
        }
    }
}
