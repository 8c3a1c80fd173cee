/// `POST /transactions`: operations that make, change and delete objects, in one save.

import SteleAnswers
import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

/// Reads the operations of one body and carries them out, in their order; an insert that an
/// operation before it names by `_ref` is carried out before that.
///
/// All that is made is there, empty, from the start, so that inserts may name each other.
struct Transaction {
    private enum Kind: String, OperationKind {
        case insert, update, delete

        /// The members that an operation of the kind may have.
        var keys: [String] {
            switch self {
            case .insert: ["op", "entity", "as", "values"]
            case .update: ["op", "object", "as", "values"]
            case .delete: ["op", "object", "_version"]
            }
        }
    }

    /// What an operation is about.
    private enum Target {
        case made(ManagedObject)
        case stored(Owner)
        case reference(JSONNode)
    }

    private struct Operation {
        let kind: Kind
        let node: JSONNode
        let target: Target
    }

    private let writer: ObjectWriter
    private let basePath: String
    private let addresses: ObjectAddress
    private var operations: [Operation] = []
    /// What each operation is about, once all are read.
    private var objects: [(object: ManagedObject, place: Entity)] = []

    /// Which operation has made a new object, where an upsert meets it again.
    private var makers: [ObjectIdentifier: Int] = [:]

    private var context: ManagedObjectContext { writer.context }

    /// - Parameter basePath: what addresses of objects may begin with.
    init(_ writer: ObjectWriter, basePath: String) {
        self.writer = writer
        self.basePath = basePath
        addresses = ObjectAddress(
            model: writer.context.model, basePath: basePath, temporaries: writer.temporaries)
        writer.references = [:]
    }

    /// Carries out the operations that an array holds.
    /// - Throws: `Problem`, with the number of the operation that it is of; `StoreError`.
    mutating func run(_ body: JSONNode) throws -> Applied {
        guard body.kind == .array else {
            throw Problem(
                .body, "a transaction is an array of operations, and \(body.kindName) stands there",
                hint: #"[{"op":"insert","entity":"NAME","values":{…}}]"#)
        }
        try body.forEachElement { node in
            try numbered(operations.count) { operations.append(try read(node)) }
        }
        try find()
        for index in order() {
            try numbered(index) { try carryOut(operations[index], objects[index], index) }
        }
        try numbered(nil) { try writer.resolveLinks() }
        try context.processPendingChanges()
        return .operations(objects.map { AppliedOperation($0.object) })
    }

    /// Runs a step and puts the operation's number on what it throws.
    private func numbered(_ index: Int?, _ step: () throws -> Void) throws {
        do {
            try step()
        } catch let problem as Problem {
            // Links are resolved together: where such a one stood, it says itself.
            guard let index = index ?? problem.path.first.flatMap({ Int($0) }) else {
                throw problem
            }
            throw problem.inOperation(index)
        } catch let error as ContextError {
            guard let index else { throw error }
            throw errors.problem(error).inOperation(index)
        } catch let error as PlacedConflict {
            guard let index else { throw error }
            throw errors.problem(error.conflict, places: error.places).inOperation(index)
        }
    }

    private var errors: ErrorRenderer {
        ErrorRenderer(
            renderer: writer.renderer, basePath: basePath, isEditing: writer.temporaries != nil)
    }

    // MARK: Reading

    private func read(_ node: JSONNode) throws -> Operation {
        try writer.countObject()
        let kind = try Kind.read(node)
        try node.forEachMember { name, _ in
            guard kind.keys.contains(name) else {
                throw Problem(
                    .unknownKey, "an operation \(kind.rawValue) has no member \(name.prefix(60))",
                    hint: Nearest.hint(to: name, among: kind.keys)
                        ?? "it has \(kind.keys.joined(separator: ", "))")
            }
        }
        let target = kind == .insert ? .made(try insert(node)) : try self.target(node, kind)
        if case .made(let object) = target { try name(object, by: node) }
        return Operation(kind: kind, node: node, target: target)
    }

    /// A new object, empty as yet.
    private func insert(_ node: JSONNode) throws -> ManagedObject {
        guard let name = node["entity"]?.string else {
            throw Problem(.body, "insert takes the entity's name as entity")
        }
        var entity = try addresses.entity(name)
        if let values = node["values"] { entity = try writer.entity(of: values, within: entity) }
        guard !entity.isAbstract else { throw writer.abstract(entity) }
        guard writer.mergePolicy != .error, let values = node["values"] else {
            return try context.insert(entity)
        }
        if let there = try writer.existing(like: values, entity, 0) { return there }
        let object = try context.insert(entity)
        try writer.note(object, values)
        return object
    }

    private func target(_ node: JSONNode, _ kind: Kind) throws -> Target {
        guard let named = node["object"] else {
            throw Problem(
                .body, "\(kind.rawValue) takes the object's address as object",
                hint: "such as \"Person/42\"")
        }
        if named.kind == .object, named["_ref"] != nil { return .reference(named) }
        guard let address = named.string else {
            throw Problem(
                .body,
                "object is an address such as \"Person/42\", or {\"_ref\": \"NAME\"}, "
                    + ValueReader.shown(named))
        }
        return .stored(try addresses.read(address))
    }

    /// Keeps an object under the name that its operation gives it.
    private func name(_ object: ManagedObject, by node: JSONNode) throws {
        guard let given = node["as"] else { return }
        guard let name = given.string, !name.isEmpty else {
            throw Problem(.body, "as is a name for _ref, \(ValueReader.shown(given))")
        }
        guard writer.references?.updateValue(object, forKey: name) == nil else {
            throw Problem(.body, "two operations are called \(name.prefix(60)) by `as`")
        }
    }

    /// Finds what the operations are about: one query a family of entities.
    private mutating func find() throws {
        var wanted: [Int: [Int64]] = [:]
        for operation in operations {
            if case .stored(let owner) = operation.target {
                wanted[owner.entity.root, default: []].append(owner.key)
            }
        }
        for (root, keys) in wanted { _ = try context.existingObjects(root: root, keys: keys) }
        for (index, operation) in operations.enumerated() {
            try numbered(index) {
                guard case .stored(let owner) = operation.target else { return }
                try name(stored(owner), by: operation.node)
            }
        }
        objects.reserveCapacity(operations.count)
        for (index, operation) in operations.enumerated() {
            try numbered(index) {
                switch operation.target {
                case .made(let object):
                    objects.append((object, object.entity))
                    let maker = ObjectIdentifier(object)
                    if object.isInserted, makers[maker] == nil { makers[maker] = index }
                case .stored(let owner): objects.append((try stored(owner), owner.entity))
                case .reference(let node):
                    guard let name = node["_ref"] else { return }
                    let object = try writer.referenced(name, in: node)
                    objects.append((object, object.entity))
                }
            }
        }
    }

    /// The operations as they are carried out.
    private func order() -> [Int] {
        var makers: [String: Int] = [:]
        for (index, operation) in operations.enumerated() where operation.kind == .insert {
            if let name = operation.node["as"]?.string { makers[name] = index }
        }
        if makers.isEmpty { return Array(operations.indices) }
        var order: [Int] = []
        order.reserveCapacity(operations.count)
        var isTaken = [Bool](repeating: false, count: operations.count)
        for start in operations.indices where !isTaken[start] {
            // A chain of names may be as long as the body: no recursion.
            var stack = [(index: start, needs: needs(of: start, makers)[...])]
            isTaken[start] = true
            while let top = stack.indices.last {
                if let next = stack[top].needs.popFirst() {
                    if isTaken[next] { continue }
                    isTaken[next] = true
                    stack.append((next, needs(of: next, makers)[...]))
                } else {
                    order.append(stack.removeLast().index)
                }
            }
        }
        return order
    }

    /// The inserts that an operation names.
    private func needs(of index: Int, _ makers: [String: Int]) -> [Int] {
        var found: [Int] = []
        func look(_ node: JSONNode) {
            switch node.kind {
            case .array: node.forEachElement(look)
            case .object:
                if let name = node["_ref"]?.string { makers[name].map { found.append($0) } }
                node.forEachMember { look($1) }
            default: break
            }
        }
        let node = operations[index].node
        for part in [node["object"], node["values"]] { part.map(look) }
        return found
    }

    private func stored(_ owner: Owner) throws -> ManagedObject {
        guard let object = try context.object(entity: owner.entity, key: owner.key) else {
            throw Execution.missing(owner.entity, owner.key)
        }
        return object
    }

    // MARK: Carrying out

    private func carryOut(
        _ operation: Operation, _ target: (object: ManagedObject, place: Entity), _ index: Int
    ) throws {
        writer.path = [String(index), "values"]
        defer { writer.path = [] }
        let (object, place) = target
        if object.isDeleted {
            throw Problem(.object, "an operation before this one deletes it: nothing can change it")
        }
        switch operation.kind {
        case .insert:
            guard let values = operation.node["values"] else { break }
            try writer.enter(values, 0, "values")
            if makers[ObjectIdentifier(object)] == index {
                try writer.fill(object, with: values)
            } else {
                try writer.meet(object, values)
            }
        case .update:
            guard let values = operation.node["values"] else {
                throw Problem(.body, "update takes values: an object with what shall change")
            }
            if object.isInserted {
                try writer.enter(values, 0, "values")
                try writer.fill(object, with: values)
            } else {
                try writer.change(object, by: values, in: place, mode: .merge)
            }
        case .delete:
            if let version = operation.node["_version"] {
                let isOld = try writer.version(version) != object.version
                if isOld, writer.mergePolicy.keepsStored { break }
                if isOld, writer.mergePolicy == .error || object.isInserted {
                    try writer.checkVersion(version, object, version, isNew: object.isInserted)
                }
            }
            // What leads to it by an id that is still to be looked up loses it with the others.
            if writer.hasPendingLinks { try writer.resolveLinks() }
            try context.delete(object)
        }
    }
}

/// What an operation did, kept until its save is known.
enum AppliedOperation: Sendable {
    case written(Written)
    /// Deleted, by itself or by a delete rule; without a key where it was never stored.
    case deleted(entity: Int, key: Int64?)

    init(_ object: ManagedObject) {
        self =
            object.isDeleted
            ? .deleted(entity: object.entity.index, key: object.isInserted ? nil : object.id.key)
            : .written(Written(object))
    }

    /// What came of it.
    func outcome(after save: SavedObjects) -> OperationOutcome {
        switch self {
        case .written(let one): .object(one.stored(after: save))
        case .deleted(let entity, let key): .deleted(entity: entity, key: key)
        }
    }
}
