/// Models made in a few lines, and a store of one with its coordinator.

import SteleGraph
import SteleModel
import StelePersistence
import SteleSQLite
import Testing

/// Declares an entity in one line a property.
struct EntityMaker {
    var entity: EntityDescription

    init(_ name: String, parent: String? = nil, _ fill: (inout EntityMaker) -> Void) {
        entity = EntityDescription(name: name)
        entity.parentName = parent
        fill(&self)
    }

    mutating func attribute(_ name: String, _ type: AttributeType, isTransient: Bool = false) {
        var it = AttributeDescription(name: name, type: type)
        it.isOptional = true
        it.isTransient = isTransient
        entity.properties.append(.attribute(it))
    }

    mutating func toOne(
        _ name: String, _ destination: String, inverse: String? = nil, rule: DeleteRule = .nullify,
        isOptional: Bool = true
    ) {
        var it = RelationshipDescription(name: name, destinationName: destination)
        it.inverseName = inverse
        it.isOptional = isOptional
        it.maximumCount = 1
        it.deleteRule = rule
        entity.properties.append(.relationship(it))
    }

    mutating func toMany(
        _ name: String, _ destination: String, inverse: String? = nil, rule: DeleteRule = .nullify,
        ordered: Bool = false
    ) {
        var it = RelationshipDescription(name: name, destinationName: destination)
        it.inverseName = inverse
        it.isOptional = true
        it.isToMany = true
        it.isOrdered = ordered
        it.deleteRule = rule
        entity.properties.append(.relationship(it))
    }
}

/// A store in a folder of its own, with its coordinator.
final class GraphStore: Sendable {
    let folder: TemporaryFolder
    let store: SQLiteStore
    let coordinator: PersistentStoreCoordinator

    var model: Model { store.model }

    /// - Parameter folder: where a store may be already; nil for one of its own.
    init(_ model: Model, in folder: TemporaryFolder? = nil) throws {
        self.folder = try folder ?? TemporaryFolder()
        store = try SQLiteStore.open(path: self.folder.store, model: model)
        coordinator = PersistentStoreCoordinator(store: store)
    }

    convenience init(_ entities: [EntityMaker]) throws {
        var model = ManagedObjectModel(name: "Test")
        model.entities = entities.map(\.entity)
        try self.init(try Model(model))
    }

    deinit { store.close() }

    func context() -> ManagedObjectContext { ManagedObjectContext(coordinator) }

    func entity(_ name: String) throws -> Entity { try #require(model.entity(named: name)) }

    /// Makes objects named A, B, C, … in one save.
    func insert(_ name: String, _ count: Int = 1) throws -> [ObjectID] {
        let context = context()
        let objects = try (0..<count).map { _ in try context.insert(try entity(name)) }
        for (index, object) in objects.enumerated() { object["name"] = .string("\(index)") }
        try context.save()
        return objects.map(\.id)
    }

    /// Changes in a context of their own, saved.
    @discardableResult
    func change(_ body: (ManagedObjectContext) throws -> Void) throws -> SaveResult {
        let context = context()
        try body(context)
        return try context.save()
    }

    /// An object as the file has it, past every cache.
    func stored(_ id: ObjectID) throws -> Snapshot? {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.snapshot(id)
    }

    func members(_ path: String, _ owner: ObjectID) throws -> [Int64] {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.members(of: try relationship(path), owners: [owner.key])[owner.key] ?? []
    }

    func relationship(_ path: String) throws -> Relationship {
        let parts = path.split(separator: ".").map(String.init)
        return try #require(try entity(parts[0]).relationship(named: parts[1]))
    }

    func history() throws -> [HistoryTransaction] {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.history(after: 0, limit: .max, values: true)
    }
}

extension ManagedObject {
    subscript(_ name: String) -> Value {
        get { entity.attribute(named: name).map { value($0) } ?? .null }
        set { if let it = entity.attribute(named: name) { setValue(newValue, for: it) } }
    }

    func link(_ name: String) throws -> Relationship {
        try #require(entity.relationship(named: name))
    }

    func set(_ name: String, _ destination: ManagedObject?) throws {
        try setToOne(try link(name), destination)
    }

    func add(_ name: String, _ member: ManagedObject, at index: Int? = nil) throws {
        try addMember(try link(name), member, at: index)
    }

    func remove(_ name: String, _ member: ManagedObject) throws {
        try removeMember(try link(name), member)
    }
}

extension ManagedObjectContext {
    func get(_ id: ObjectID) throws -> ManagedObject { try #require(try existingObject(with: id)) }
}

extension Snapshot {
    /// A property's value by name.
    func value(_ name: String, in model: Model) -> Value? {
        model.entities[entity].slots.firstIndex { $0.name == name }.map { values[$0] }
    }
}
