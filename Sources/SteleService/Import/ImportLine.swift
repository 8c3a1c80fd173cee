/// A line of an import's file, read as values and references.

import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

struct LinePlace: Sendable {
    let file: Int
    let number: Int
}

/// A line, before anything is looked up.
struct ImportLine {
    /// A relationship and the keys of its destinations; none for null and `[]`.
    struct Reference {
        let relationship: Relationship
        let keys: [Value]
    }

    let place: LinePlace
    let entity: Entity
    var values: [(attribute: Attribute, value: Value)] = []
    var references: [Reference] = []
    /// The name of the object, if it is given.
    var key: Value?

    /// - Throws: `ImportError` without a place, `Problem`, `JSONError`.
    init(_ bytes: [UInt8], _ place: LinePlace, of entity: Entity, _ plan: ImportPlan) throws {
        self.place = place
        let root = try JSONDocument(bytes).root
        guard root.kind == .object else {
            throw ImportError("the line must be an object, not \(root.kindName)")
        }
        self.entity = try Self.entity(root, entity, plan.model)
        let keyAttribute = plan.key(of: self.entity)
        try root.forEachMember { name, node in
            if name == "_entity" { return }
            switch self.entity.property(named: name) {
            case .attribute(let attribute):
                if attribute.isDerived || attribute.isTransient {
                    throw ImportError(ObjectWriter.readOnly(name, of: self.entity).detail)
                }
                if attribute.isComposite {
                    return try ValueReader.readComposite(node, for: attribute, of: self.entity) {
                        if $0.isTransient {
                            throw ImportError(ObjectWriter.readOnly($0.name, of: entity).detail)
                        }
                        values.append(($0, $1))
                    }
                }
                let value = try ValueReader.read(node, for: attribute, of: self.entity)
                values.append((attribute, value))
                if attribute === keyAttribute, !value.isNull { key = value }
            case .relationship(let relationship):
                references.append(
                    try Self.reference(node, for: relationship, of: self.entity, plan))
            case .fetchedProperty, nil:
                if plan.ignoresUnknownKeys { return }
                throw Self.unknown(name, self.entity)
            }
        }
    }

    private static func entity(_ root: JSONNode, _ entity: Entity, _ model: Model) throws -> Entity
    {
        guard let node = root["_entity"] else { return entity }
        guard let name = node.string, let found = model.entity(named: name),
            entity.isKind(found.index)
        else {
            throw ImportError("_entity must be \(entity.name) or a subentity of it")
        }
        return found
    }

    private static func unknown(_ name: String, _ entity: Entity) -> ImportError {
        let near = Nearest.name(to: name, among: entity.properties.map(\.name))
        let hint = near.map { "did you mean \($0)?" } ?? "--ignore-unknown ignores such keys"
        return ImportError("\(entity.name) has no property \(name) (\(hint))")
    }

    private static func reference(
        _ node: JSONNode, for relationship: Relationship, of entity: Entity, _ plan: ImportPlan
    ) throws -> Reference {
        let destination = plan.model.destination(of: relationship)
        let what = "\(relationship.name) of \(entity.name)"
        if node.isNull { return Reference(relationship: relationship, keys: []) }
        guard let key = plan.key(of: destination) else {
            throw ImportError(
                "\(what) names objects of \(destination.name), which have no attribute as their "
                    + "name: give one with --key \(destination.name).ATTRIBUTE")
        }
        func read(_ node: JSONNode) throws -> Value {
            let value = try ValueReader.read(node, for: key, of: destination)
            guard !value.isNull else { throw ImportError("\(what) contains null") }
            return value
        }
        guard relationship.isToMany else {
            return Reference(relationship: relationship, keys: [try read(node)])
        }
        guard node.kind == .array else {
            throw ImportError("\(what) must be an array of \(key.name), not \(node.kindName)")
        }
        var keys: [Value] = []
        try node.forEachElement { keys.append(try read($0)) }
        return Reference(relationship: relationship, keys: keys)
    }
}
