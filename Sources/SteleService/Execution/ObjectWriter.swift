/// Applies bodies to a context: new objects, changes and links, nested up to a limit.

import SteleAnswers
import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

/// Applies the JSON of one request to the objects of a context.
final class ObjectWriter {
    typealias Mode = WritePlan.Mode

    let context: ManagedObjectContext
    let forms: BodyForms
    private let limits: Limits
    /// Whether it works on a thread that must not wait, and leaves many objects to a worker.
    private let isBrief: Bool
    let mergePolicy: MergePolicy
    /// What the sender may do.
    let rights: Rights
    /// The objects whose to-many relationships the body has set.
    var touched: Set<ObjectID> = []
    /// Whether objects that were looked up exist for the sender.
    var known: [ObjectID: Bool] = [:]
    /// The objects for which the right of the write was judged before.
    var judged: Set<ObjectID> = []
    /// The objects that the body has deleted, without those that delete rules delete.
    var removed: [ManagedObject] = []
    /// The permanent ids of temporary ones in an editing context; nil for the store.
    let temporaries: TemporaryIDs?
    /// Objects of this body, made or found, by values that must be unique.
    var unique: [UniqueKey: ManagedObject] = [:]
    /// Whether `unique` has all stored objects that the outermost objects of the body can match.
    var hasLookedUp = false
    private var objects = 0
    /// The weight of what the body has copied, moved, and read again to change a part of it.
    private var copied = 0
    /// The attributes of which the body has changed a part, by their slots.
    private var changedInPart: [ObjectID: Set<Int>] = [:]
    /// The objects that the operations of a transaction name; nil for other bodies.
    var references: [String: ManagedObject]?
    /// Renders values in errors and patches.
    private(set) lazy var renderer = SnapshotRenderer(
        model: context.model, computing: context.persistentStoreCoordinator)
    /// To-one links by id, resolved together at the end with one query for each root entity.
    private var links: [PendingLink] = []

    /// Whether the body is a merge patch, in which an object as the value of a Transformable
    /// attribute changes the stored one. In other bodies it replaces it.
    var mergesJSON = false
    /// The writer's place in the body: keys of relationships and indexes of elements.
    var path: [String] = []
    /// The places of new objects inside arrays and other objects, by their keys.
    private(set) var places: [(key: Int64, path: [String])] = []

    private struct PendingLink {
        let source: ManagedObject
        let relationship: Relationship
        let key: Int64
        /// The place of the link in the body.
        let path: [String]
    }

    /// Whether there are links by id that are not resolved yet.
    var hasPendingLinks: Bool { !links.isEmpty }

    init(
        _ context: ManagedObjectContext, forms: BodyForms, limits: Limits, isBrief: Bool = false,
        mergePolicy: MergePolicy = .error, temporaries: TemporaryIDs? = nil,
        rights: Rights = Rights()
    ) {
        self.rights = rights
        self.temporaries = temporaries
        self.isBrief = isBrief
        self.mergePolicy = mergePolicy
        self.context = context
        self.forms = forms
        self.limits = limits
    }

    /// Makes a new object from a body. `_entity` may name a subentity; `_id` is refused.
    func create(_ node: JSONNode, in entity: Entity, depth: Int = 0) throws -> ManagedObject {
        try enter(node, depth, "an object of \(entity.name)")
        let concrete = try self.entity(of: node, within: entity)
        guard !concrete.isAbstract else { throw abstract(concrete) }
        let outer = mergesJSON
        mergesJSON = false
        defer { mergesJSON = outer }
        if mergePolicy != .error, let there = try existing(like: node, concrete, depth) {
            try meet(there, node, depth: depth)
            return there
        }
        let object = try context.insert(concrete)
        if mergePolicy != .error { try note(object, node) }
        try fill(object, with: node, depth: depth)
        return object
    }

    /// Applies a body to a new object.
    func fill(_ object: ManagedObject, with node: JSONNode, depth: Int = 0) throws {
        if !path.isEmpty { places.append((object.objectID.key, path)) }
        try apply(node, to: object, in: object.entity, isNew: true, depth: depth)
    }

    /// Changes an object. `_id`, `_entity` and `_version` in the body must agree with it.
    /// - Parameter place: the entity of the address, or of the relationship that leads to it.
    func change(
        _ object: ManagedObject, by node: JSONNode, in place: Entity, mode: Mode
    ) throws {
        mergesJSON = mode == .merge
        if mode == .patch { return try patch(object, by: node) }
        try change(object, by: node, in: place, mode: mode, depth: 0)
    }

    /// Changes an object, which may be nested in the body.
    func change(
        _ object: ManagedObject, by node: JSONNode, in place: Entity, mode: Mode, depth: Int
    ) throws {
        try enter(node, depth, "an object of \(object.entity.name)")
        if node["_version"] != nil { try checkMay(.update, object) }
        if mergePolicy != .error, let version = node["_version"] {
            guard let kept = try merge(object, node, version: version, mode: mode) else { return }
            return try apply(node, to: object, in: place, isNew: false, depth: depth, besides: kept)
        }
        if mode == .replace { try reset(object, besides: node) }
        try apply(node, to: object, in: place, isNew: false, depth: depth)
    }

    /// Reads the destinations of links by id, and links them.
    func resolveLinks() throws {
        guard !links.isEmpty else { return }
        let pending = links
        links = []
        var wanted: [Int: Set<Int64>] = [:]
        for link in pending {
            let root = context.model.destination(of: link.relationship).root
            wanted[root, default: []].insert(link.key)
        }
        var found: [Int: [Int64: ManagedObject]] = [:]
        for (root, keys) in wanted {
            found[root] = try existingObjects(root: root, keys: Array(keys))
        }
        for link in pending {
            let destination = context.model.destination(of: link.relationship)
            guard let object = found[destination.root]?[link.key],
                destination.isKind(object.entity.index)
            else { throw missing(link.key, link.relationship).placed(at: link.path) }
            try link.source.setToOne(link.relationship, object)
        }
    }

    /// Checks that a node is an object that may be nested here, and counts it.
    func enter(_ node: JSONNode, _ depth: Int, _ what: String) throws {
        guard node.kind == .object else {
            throw Problem(.body, "\(what) must be a JSON object, not \(node.kindName)")
        }
        guard depth < limits.bodyDepth else {
            throw Problem(.tooDeep, "objects nest deeper than \(limits.bodyDepth) in the body")
        }
        try countObject()
    }

    /// Counts an object, or an operation, of the body.
    func countObject() throws {
        objects += 1
        if isBrief, objects > limits.briefObjects { throw TooLong() }
        guard objects <= limits.objectsPerBody else {
            throw Problem(
                .bodyTooLarge, "the body holds more than \(limits.objectsPerBody) objects",
                hint: "send them in several requests")
        }
    }

    /// The values of each object that a body may copy without being counted: each object of a write
    /// of many may have a few moved.
    var uncountedCopies: Int { limits.valuesPerBody / 500 }

    /// Counts values that the body copies: a small body can multiply a value.
    /// - Parameter weight: as for `JSONDocument.weight`.
    func countCopied(_ weight: Int) throws {
        copied += weight
        if isBrief, copied > limits.briefBodyBytes { throw TooLong() }
        guard copied <= limits.valuesPerBody else {
            throw Problem(
                .bodyTooLarge,
                "the body copies and changes stored JSON of more than \(limits.valuesPerBody) "
                    + "values, of which an array or object counts as ten",
                hint: "send the operations in several requests")
        }
    }

    /// Counts the JSON of an attribute of which the body changes a part: all of it is read and
    /// written. The first time is free.
    func countWhole(_ json: [UInt8], of attribute: Attribute, of object: ManagedObject) throws {
        let slots = changedInPart[object.objectID, default: []]
        if slots.contains(attribute.slot) {
            return try countCopied(MutableJSON.weight(of: json))
        }
        changedInPart[object.objectID] = slots.union([attribute.slot])
    }

    /// Leaves a large stored value to a worker, before it is read.
    func checkIsShort(_ stored: [UInt8]) throws {
        if isBrief, stored.count > limits.briefBodyBytes { throw TooLong() }
    }

    /// Applies the members of a body to an object.
    /// - Parameter kept: the keys that keep their stored values.
    func apply(
        _ node: JSONNode, to object: ManagedObject, in place: Entity, isNew: Bool, depth: Int,
        besides kept: Set<String> = []
    ) throws {
        let entity = object.entity
        let form = forms[entity]
        let here = path.count
        try node.forEachMemberBytes { name, value in
            do {
                guard let key = form.keys[name] else { throw unknownKey(name, entity) }
                if !kept.isEmpty, kept.contains(String(decoding: name, as: UTF8.self)) { return }
                switch key {
                case .attribute(let it): try setAttribute(it, of: object, value)
                case .toOne(let it): try setToOne(it, of: object, value, depth)
                case .toMany(let it): try setToMany(it, of: object, value, depth)
                case .id: try checkID(value, object, isNew: isNew)
                case .entity: if !isNew { try checkEntity(value, object, place: place) }
                case .version:
                    if mergePolicy == .error || isNew {
                        try checkVersion(value, object, node, isNew: isNew)
                    }
                case .store: try setStore(value, of: object)
                case .readOnly(let name):
                    if isNew || !isShown(value, as: name, of: object) {
                        throw Self.readOnly(name, of: entity)
                    }
                }
            } catch let problem as Problem {
                throw problem.placed(
                    at: path.count > here ? path : path + [String(decoding: name, as: UTF8.self)])
            }
        }
    }

    /// Resets an object to its defaults for PUT, except for what the body names.
    func reset(
        _ object: ManagedObject, besides node: JSONNode, and kept: Set<String> = []
    ) throws {
        for key in forms[object.entity].writable {
            switch key {
            case .attribute(let it) where !kept.contains(it.name):
                try reset(it, of: object, besides: node)
            case .toOne(let it) where node[it.name] == nil && !kept.contains(it.name):
                try clear(it, of: object)
            default: break
            }
        }
    }

    func setToOne(
        _ relationship: Relationship, of object: ManagedObject, _ node: JSONNode, _ depth: Int
    ) throws {
        switch node.kind {
        case .null: try clear(relationship, of: object)
        case .object:
            path.append(relationship.name)
            try object.setToOne(relationship, destination(node, relationship, depth + 1))
            path.removeLast()
        default:
            links.append(
                PendingLink(
                    source: object, relationship: relationship, key: try id(node, relationship),
                    path: path.isEmpty ? path : path + [relationship.name]))
        }
    }

    func setToMany(
        _ relationship: Relationship, of object: ManagedObject, _ node: JSONNode, _ depth: Int
    ) throws {
        if node.kind == .null { return try setMembers(relationship, of: object, []) }
        guard node.kind == .array else {
            throw Problem(
                .body,
                "\(relationship.name) of \(object.entity.name) is to-many and must be an array of "
                    + "ids and objects, not \(node.kindName)")
        }
        path.append(relationship.name)
        try setMembers(
            relationship, of: object, members(node, relationship, depth: depth + 1))
        path.removeLast()
    }
}
