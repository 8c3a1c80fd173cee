// Short names for using a store and its coordinator.

import SteleGraph
import SteleModel
import StelePersistence

/// A store with its coordinator.
package protocol GraphFixture: AnyObject {
    var coordinator: PersistentStoreCoordinator { get }
}

/// A name that the model does not have, or an object that the store does not have.
package struct Missing: Error {
    package let name: String

    package init(_ name: String) { self.name = name }
}

extension GraphFixture {
    package var model: Model { coordinator.model }

    /// A context for one request.
    package func context() -> ManagedObjectContext { ManagedObjectContext(coordinator) }

    package func entity(_ name: String) throws -> Entity { try model.named(name) }

    /// A relationship by its path, such as `Team.players`.
    package func relationship(_ path: String) throws -> Relationship {
        let parts = path.split(separator: ".").map(String.init)
        guard let found = try entity(parts[0]).relationship(named: parts[1]) else {
            throw Missing(path)
        }
        return found
    }

    /// Inserts objects named `Team 1`, `Team 2`, and so on, in a save of their own.
    package func insert(_ name: String, count: Int = 1) throws -> [ObjectID] {
        let context = context()
        let objects = try (0..<count).map { _ in try context.insert(try entity(name)) }
        for (index, object) in objects.enumerated() {
            object["name"] = .string("\(name) \(index + 1)")
        }
        try context.save()
        return objects.map(\.objectID)
    }

    /// Makes changes in a context of their own and saves them.
    @discardableResult
    package func change(_ work: (ManagedObjectContext) throws -> Void) throws -> SaveResult {
        let context = context()
        defer { context.close() }
        try work(context)
        return try context.save()
    }

    /// Reads from the store, past every cache.
    package func read<R>(_ work: (any StoreReader) throws -> R) throws -> R {
        let reader = try coordinator.store.reader()
        defer { reader.close() }
        return try work(reader)
    }

    /// An object as the store has it.
    package func stored(_ id: ObjectID) throws -> Snapshot? { try read { try $0.snapshot(id) } }

    /// The members of a to-many relationship as the store has them.
    package func storedMembers(_ path: String, of key: Int64) throws -> [Int64] {
        let relationship = try relationship(path)
        return try read { try $0.members(of: relationship, owners: [key])[key] ?? [] }
    }

    /// All transactions with their values, oldest first.
    package func history() throws -> [HistoryTransaction] {
        try read { try $0.history(after: 0, limit: .max, values: true) }
    }
}

extension Model {
    /// The entity of that name.
    /// - Throws: `Missing`.
    package func named(_ name: String) throws -> Entity {
        guard let found = entity(named: name) else { throw Missing(name) }
        return found
    }
}

extension Snapshot {
    /// A property's value by name.
    package func value(_ name: String, in model: Model) -> Value? {
        model.entities[entity].slots.firstIndex { $0.name == name }.map { values[$0] }
    }
}
