/// A line of an import's file, read as its entity's values and references.

import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

/// Where a line stands.
struct LinePlace: Sendable {
    let file: Int
    let number: Int
}

/// What a line says, before anything is looked up.
struct ImportLine {
    /// A relationship and the keys of its destinations; empty for null and for `[]`.
    struct Reference {
        let relationship: Relationship
        let keys: [Value]
    }

    let place: LinePlace
    let entity: Entity
    var values: [(attribute: Attribute, value: Value)] = []
    var references: [Reference] = []
    /// What names the object, where it is given.
    var key: Value?

    /// - Throws: `ImportError` without a place, `Problem`, `JSONError`.
    init(_ bytes: [UInt8], _ place: LinePlace, of entity: Entity, _ plan: ImportPlan) throws {
        self.place = place
        let root = try JSONDocument(bytes).root
        guard root.kind == .object else {
            throw ImportError("an object is expected, and this is \(root.kindName)")
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
                references.append(try Self.reference(node, relationship, self.entity, plan))
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
            throw ImportError("_entity is \(entity.name) or a subentity of it, and this is not one")
        }
        return found
    }

    private static func unknown(_ name: String, _ entity: Entity) -> ImportError {
        let near = Nearest.name(to: name, among: entity.properties.map(\.name))
        let hint = near.map { "did you mean \($0)?" } ?? "--ignore-unknown passes over such keys"
        return ImportError("\(entity.name) has no property \(name) (\(hint))")
    }

    private static func reference(
        _ node: JSONNode, _ relationship: Relationship, _ entity: Entity, _ plan: ImportPlan
    ) throws -> Reference {
        let destination = plan.model.destination(of: relationship)
        let what = "\(relationship.name) of \(entity.name)"
        if node.isNull { return Reference(relationship: relationship, keys: []) }
        guard let key = plan.key(of: destination) else {
            throw ImportError(
                "\(what) names objects of \(destination.name), and no attribute names those: "
                    + "say --key \(destination.name).ATTRIBUTE")
        }
        func read(_ node: JSONNode) throws -> Value {
            let value = try ValueReader.read(node, for: key, of: destination)
            guard !value.isNull else { throw ImportError("\(what) has a null in it") }
            return value
        }
        guard relationship.isToMany else {
            return Reference(relationship: relationship, keys: [try read(node)])
        }
        guard node.kind == .array else {
            throw ImportError("\(what) is an array of \(key.name), and this is \(node.kindName)")
        }
        var keys: [Value] = []
        try node.forEachElement { keys.append(try read($0)) }
        return Reference(relationship: relationship, keys: keys)
    }
}
