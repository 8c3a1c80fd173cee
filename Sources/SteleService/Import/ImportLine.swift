/// A record of an import's file, read as values and references.

import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

struct LinePlace: Sendable, Equatable {
    let file: Int
    let number: Int
}

/// A record, before anything is looked up.
struct ImportLine {
    /// A relationship and the names of its destinations; none for null and `[]`.
    struct Reference {
        let relationship: Relationship
        var names: [ObjectName]
    }

    let place: LinePlace
    let entity: Entity
    var values: [(attribute: Attribute, value: Value)] = []
    var references: [Reference] = []
    /// The object's name by the first of the plan's namings, if it is given.
    private(set) var key: [Value]?
    /// The names by the other namings; empty if there are none.
    private var otherKeys: [[Value]?] = []
    /// The object's `_id`, if it is given.
    var id: Int64?
    /// Whether that is a text in JSON: programs that know no types write all values so.
    private var isOfTexts = false

    /// An empty record.
    init(_ place: LinePlace, _ entity: Entity) {
        self.place = place
        self.entity = entity
    }

    /// Reads a JSON object.
    /// - Throws: `ImportError` without a place, `Problem`, `JSONError`.
    init(
        _ bytes: [UInt8], _ place: LinePlace, _ plan: ImportPlan, _ shapes: inout ImportShapes
    ) throws {
        let root = try JSONDocument(bytes).root
        guard root.kind == .object else {
            throw ImportError("the line must be an object, not \(root.kindName)")
        }
        let entity = try Self.entity(root["_entity"], of: plan.files[place.file], plan.model)
        self.init(place, entity)
        if let node = root["_id"] {
            isOfTexts = node.kind == .string
            guard let id = self.id(node), id > 0 else {
                throw ImportError("_id must be a positive integer, \(ValueReader.shown(node))")
            }
            self.id = id
        }
        let single = plan.namings(of: entity).first?.key.single
        values.reserveCapacity(root.count)
        var place = 0
        var errors = RecordErrors()
        try root.forEachMemberBytes { name, node in
            let member = shapes.member(name, at: place, of: entity)
            place += 1
            try errors.collecting {
                switch member {
                case .property(.attribute(let attribute)):
                    try read(node, attribute, single, plan.values)
                case .property(.relationship(let relationship)):
                    references.append(try reference(node, for: relationship, plan))
                case .property(.fetchedProperty), .unknown:
                    try refuse(String(decoding: name, as: UTF8.self), plan)
                case .property(.transientRelationship(let it)):
                    if id == nil, !node.isNull {
                        throw ImportError(ObjectWriter.readOnly(it.name, of: entity).detail)
                    }
                case .identity: break
                }
            }
        }
        try errors.check()
        findKeys(plan)
    }

    /// The object's name by a naming of the plan; nil if it is not given.
    func name(by naming: Int) -> [Value]? {
        if naming == 0 { return key }
        return otherKeys.indices.contains(naming - 1) ? otherKeys[naming - 1] : nil
    }

    /// The entity of a record.
    static func entity(
        _ node: JSONNode?, of file: ImportPlan.File, _ model: Model
    ) throws -> Entity {
        guard let node else { return try entity(named: nil, of: file, model) }
        guard let name = node.string else {
            throw ImportError("_entity must be the name of an entity, \(ValueReader.shown(node))")
        }
        return try entity(named: name, of: file, model)
    }

    static func entity(
        named name: String?, of file: ImportPlan.File, _ model: Model
    ) throws -> Entity {
        guard let name else {
            if let entity = file.entity { return entity }
            throw ImportError(
                "the record has no _entity, and no entity of \(model.name) has the file's name; "
                    + "name the entity: ENTITY=\(file.path)")
        }
        let found = try ImportPlan.entity(name, in: model)
        if let entity = file.entity, !entity.isKind(found.index) {
            throw ImportError("_entity must be \(entity.name) or a subentity of it, not \(name)")
        }
        return found
    }

    /// Reads the value of an attribute. An exported record has computed values, which are ignored.
    private mutating func read(
        _ node: JSONNode, _ attribute: Attribute, _ key: Attribute?, _ reader: ImportValues
    ) throws {
        if attribute.isDerived || attribute.isTransient {
            if id != nil { return }
            throw ImportError(ObjectWriter.readOnly(attribute.name, of: entity).detail)
        }
        guard attribute.isComposite else {
            let value = try reader.read(node, attribute, entity)
            values.append((attribute, value))
            if attribute === key, !value.isNull { self.key = [value] }
            return
        }
        let entity = entity
        try ValueReader.readComposite(
            node, for: attribute, of: entity, reading: { try reader.read($0, $1, entity) }
        ) {
            if !$0.isTransient {
                values.append(($0, $1))
            } else if id == nil {
                throw ImportError(ObjectWriter.readOnly($0.name, of: entity).detail)
            }
        }
    }

    /// - Parameter isOnlyUnknown: whether the file has no column that is known.
    func refuse(_ name: String, _ plan: ImportPlan, isOnlyUnknown: Bool = false) throws {
        if plan.options.ignoresUnknownKeys { return }
        let near = Nearest.name(to: name, among: entity.properties.map(\.name))
        let wayOut =
            isOnlyUnknown
            ? "no column of the header is one: is the first row the header?"
            : "--ignore-unknown ignores such keys"
        let hint = near.map { "did you mean \($0)?" } ?? wayOut
        throw ImportError("\(entity.name) has no property \(name) (\(hint))")
    }

    // MARK: References

    func reference(
        _ node: JSONNode, for relationship: Relationship, _ plan: ImportPlan
    ) throws -> Reference {
        if node.isNull || isOfTexts && node.string?.isEmpty == true {
            return Reference(relationship: relationship, names: [])
        }
        guard relationship.isToMany else {
            return Reference(
                relationship: relationship, names: [try name(node, for: relationship, plan)])
        }
        guard node.kind == .array else {
            let key = plan.key(of: plan.model.destination(of: relationship))?.names ?? "_id"
            throw ImportError(
                "\(relationship.name) of \(entity.name) must be an array of \(key), not "
                    + node.kindName)
        }
        var names: [ObjectName] = []
        names.reserveCapacity(node.count)
        try node.forEachElement { names.append(try name($0, for: relationship, plan)) }
        return Reference(relationship: relationship, names: names)
    }

    /// The name that a value gives. In a record with `_id`, numbers are ids; an object with `_id`
    /// is named by it.
    private func name(
        _ node: JSONNode, for relationship: Relationship, _ plan: ImportPlan
    ) throws -> ObjectName {
        if id != nil, let id = id(node) { return .id(id) }
        if node.kind == .object, let id = node["_id"]?.wholeNumber { return .id(id) }
        let destination = plan.model.destination(of: relationship)
        let what = "\(relationship.name) of \(entity.name)"
        guard let key = plan.key(of: destination) else { throw Self.keyless(what, destination) }
        return .key(try key.read(node, for: what, plan.values))
    }

    private func id(_ node: JSONNode) -> Int64? {
        guard isOfTexts, let text = node.string else { return node.wholeNumber }
        return ValueReader.wholeNumber(text.utf8)
    }

    static func keyless(_ what: String, _ destination: Entity) -> ImportError {
        ImportError(
            "\(what) names objects of \(destination.name), which have no attribute as their "
                + "name: give one with --key \(destination.name).ATTRIBUTE")
    }

    /// Finds the names of the record's object. That by a single attribute may be known already.
    mutating func findKeys(_ plan: ImportPlan) {
        let namings = plan.namings(of: entity)
        if let first = namings.first, key == nil { key = name(by: first.key) }
        if namings.count > 1 { otherKeys = namings.dropFirst().map { name(by: $0.key) } }
    }

    private func name(by wanted: ImportKey) -> [Value]? {
        var found: [Value] = []
        for part in wanted.parts {
            switch part {
            case .attribute(let attribute):
                guard let value = values.last(where: { $0.attribute === attribute })?.value,
                    !value.isNull
                else { return nil }
                found.append(value)
            case .toOne(let relationship, _):
                let reference = references.last { $0.relationship === relationship }
                guard case .key(let values)? = reference?.names.first else { return nil }
                found += values
            }
        }
        return found
    }
}

/// What the members of records are. The members of a record are mostly those of the one before it,
/// in the same order, which saves looking them up by name.
struct ImportShapes {
    enum Member {
        case property(Property)
        /// `_id`, `_entity` or `_version`.
        case identity
        case unknown
    }

    private var shapes: [Int: [(name: [UInt8], member: Member)]] = [:]

    /// The member with a name at a place in a record.
    mutating func member(
        _ name: UnsafeBufferPointer<UInt8>, at place: Int, of entity: Entity
    ) -> Member {
        let known = shapes[entity.index] ?? []
        if place < known.count, known[place].name.count == name.count,
            known[place].name.elementsEqual(name)
        {
            return known[place].member
        }
        let text = String(decoding: name, as: UTF8.self)
        var member = entity.property(named: text).map(Member.property) ?? .unknown
        if text == "_id" || text == "_entity" || text == "_version" { member = .identity }
        if place < known.count {
            shapes[entity.index]?[place] = (Array(name), member)
        } else if place == known.count {
            shapes[entity.index, default: []].append((Array(name), member))
        }
        return member
    }
}
