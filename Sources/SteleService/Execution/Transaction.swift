/// `POST /transactions`: operations that make, change and delete objects, in one save.

import SteleAnswers
import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

/// Reads the operations of a body and executes them in their order. An insert that an earlier
/// operation names by `_ref` is executed before that operation.
///
/// All new objects exist from the start, empty, so that inserts can name one another.
struct Transaction {
    private enum Kind: String, OperationKind {
        case insert, update, delete

        /// The members that an operation of the kind can have.
        var keys: [String] {
            switch self {
            case .insert: ["op", "entity", "as", "values"]
            case .update: ["op", "object", "as", "values"]
            case .delete: ["op", "object", "_version"]
            }
        }
    }

    /// The object of an operation.
    private enum Target {
        case made(ManagedObject)
        case stored(ObjectAddress)
        case reference(JSONNode)
    }

    private struct Operation {
        let kind: Kind
        let node: JSONNode
        let target: Target
    }

    private let writer: ObjectWriter
    private let basePath: String
    private let addresses: AddressReader
    private var operations: [Operation] = []
    /// The object of each operation, once all are read, and the entity of its address.
    private var objects: [(object: ManagedObject, place: Entity)] = []

    /// The operation that made a new object, for inserts that match it by unique values.
    private var makers: [ObjectIdentifier: Int] = [:]

    private var context: ManagedObjectContext { writer.context }

    /// - Parameter basePath: the prefix that addresses of objects may have.
    init(_ writer: ObjectWriter, basePath: String) {
        self.writer = writer
        self.basePath = basePath
        addresses = AddressReader(
            model: writer.context.model, basePath: basePath, temporaries: writer.temporaries)
        writer.references = [:]
    }

    /// Executes the operations of an array.
    /// - Throws: `Problem` with the number of the operation; `StoreError`.
    mutating func run(_ body: JSONNode) throws -> Applied {
        guard body.kind == .array else {
            throw Problem(
                .body, "a transaction must be an array of operations, not \(body.kindName)",
                hint: #"[{"op":"insert","entity":"NAME","values":{…}}]"#)
        }
        try body.forEachElement { node in
            operations.append(try numbered(operations.count) { try read(node) })
        }
        try find()
        for index in order() {
            try numbered(index) { try execute(operations[index], objects[index], index) }
        }
        try numbered(nil) { try writer.resolveLinks() }
        try writer.checkRights()
        try context.processPendingChanges()
        return .operations(objects.map { AppliedOperation($0.object) })
    }

    /// Runs a step, and adds the operation's number to its error. A step must not change an array
    /// of the transaction: it is in use meanwhile, so each change would copy it.
    private func numbered<R>(_ index: Int?, _ step: () throws -> R) throws -> R {
        do {
            return try step()
        } catch let problem as Problem {
            // Links are resolved together; the path of such a problem begins with its operation.
            guard let index = index ?? problem.path.first.flatMap({ Int($0) }) else {
                throw problem
            }
            throw problem.inOperation(index)
        } catch let error where error is ContextError || error is Placed<ConstraintConflict> {
            guard let index, let problem = errors.problem(of: error) else { throw error }
            throw problem.inOperation(index)
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

    /// A new object, still empty.
    private func insert(_ node: JSONNode) throws -> ManagedObject {
        guard let name = node["entity"]?.string else {
            throw Problem(.body, "insert needs the name of an entity in entity")
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
                .body, "\(kind.rawValue) needs the address of an object in object",
                hint: "such as \"Person/42\"")
        }
        if named.kind == .object, named["_ref"] != nil { return .reference(named) }
        guard let address = named.string else {
            throw Problem(
                .body,
                "object must be an address such as \"Person/42\", or {\"_ref\": \"NAME\"}, "
                    + ValueReader.shown(named))
        }
        return .stored(try addresses.read(address))
    }

    /// Records an object under the name that its operation gives it.
    private func name(_ object: ManagedObject, by node: JSONNode) throws {
        guard let given = node["as"] else { return }
        guard let name = given.string, !name.isEmpty else {
            throw Problem(.body, "as must be a name for _ref, \(ValueReader.shown(given))")
        }
        guard writer.references?.updateValue(object, forKey: name) == nil else {
            throw Problem(.body, "two operations have the name \(name.prefix(60)) in `as`")
        }
    }

    /// Finds the objects of the operations, with one query for each family of entities.
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
                try name(writer.object(at: owner), by: operation.node)
            }
        }
        objects.reserveCapacity(operations.count)
        for (index, operation) in operations.enumerated() {
            let found = try numbered(index) { () -> (object: ManagedObject, place: Entity)? in
                switch operation.target {
                case .made(let object): return (object, object.entity)
                case .stored(let owner): return (try writer.object(at: owner), owner.entity)
                case .reference(let node):
                    guard let name = node["_ref"] else { return nil }
                    let object = try writer.referenced(name, in: node)
                    return (object, object.entity)
                }
            }
            guard let found else { continue }
            objects.append(found)
            guard case .made(let object) = operation.target, object.isInserted else { continue }
            let maker = ObjectIdentifier(object)
            if makers[maker] == nil { makers[maker] = index }
        }
    }

    /// The operations in the order of their execution.
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
            // A chain of names may be as long as the body, so this does not recurse.
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

    // MARK: Executing

    private func execute(
        _ operation: Operation, _ target: (object: ManagedObject, place: Entity), _ index: Int
    ) throws {
        writer.path = [String(index), "values"]
        defer { writer.path = [] }
        let (object, place) = target
        if object.isDeleted {
            throw Problem(
                .object, "an earlier operation deletes the object, so it cannot be changed")
        }
        writer.mergesJSON = operation.kind == .update
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
                throw Problem(.body, "update needs values, an object with the changes")
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
            // Links to the object by ids that are not resolved yet are removed too.
            if writer.hasPendingLinks { try writer.resolveLinks() }
            try writer.delete(object)
        }
    }
}

/// The effect of an operation, until its save is known.
enum AppliedOperation: Sendable {
    case written(Written)
    /// Deleted, by the operation or by a delete rule. Without a key it was never stored.
    case deleted(entity: Int, key: Int64?)

    init(_ object: ManagedObject) {
        self =
            object.isDeleted
            ? .deleted(
                entity: object.entity.index, key: object.isInserted ? nil : object.objectID.key)
            : .written(Written(object))
    }

    func outcome(after save: SavedObjects) -> OperationOutcome {
        switch self {
        case .written(let one): .object(one.stored(after: save))
        case .deleted(let entity, let key): .deleted(entity: entity, key: key)
        }
    }
}
