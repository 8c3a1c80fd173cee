/// Which file holds which entity, in which order they are read, and what names an object.

import SteleModel

/// What is to be imported, checked against the model.
public struct ImportPlan: Sendable {
    struct File: Sendable {
        let path: String
        let entity: Entity
    }

    let model: Model
    /// In the order in which they are read.
    let files: [File]
    /// Whether keys that an entity does not have are passed over.
    var ignoresUnknownKeys = false
    /// By entity index, as given; a subentity goes by its parent's.
    private let given: [Int: Attribute]

    /// - Parameters:
    ///   - files: each with its entity's name, or nil where the file's own name says it.
    ///   - keys: the attribute that names an object of an entity; without one it is the attribute
    ///     of a uniqueness constraint that has no other.
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
                let near = Nearest.name(to: attribute, among: entity.properties.map(\.name))
                throw ImportError(
                    "\(name) has no attribute \(attribute)" + (near.map { ", but \($0)" } ?? ""))
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

    /// The attribute that names objects of that entity.
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
        let near = Nearest.name(to: name, among: model.entities.map(\.name))
        throw ImportError(
            "the model \(model.name) has no entity \(name)" + (near.map { ", but \($0)" } ?? ""))
    }

    /// `cities.ndjson` holds City, and so does `city.ndjson`.
    static func entity(ofFile path: String, in model: Model) throws -> Entity {
        let file = path.split(separator: "/").last ?? ""
        let name = (file.firstIndex(of: ".").map { file[..<$0] } ?? file).lowercased()
        for entity in model.entities {
            let one = entity.name.lowercased()
            if name == one || plurals(of: one).contains(name) { return entity }
        }
        throw ImportError(
            "no entity of \(model.name) has that name; say which one it holds: ENTITY=\(path)",
            file: path)
    }

    private static func plurals(of name: String) -> [String] {
        let stem = name.hasSuffix("y") ? [String(name.dropLast()) + "ies"] : []
        return [name + "s", name + "es"] + stem
    }

    /// Destinations of to-ones before their sources where that can be: fewer links wait.
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
