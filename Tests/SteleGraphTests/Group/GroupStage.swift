// Several stores of one model's configurations.

import SteleModel
import StelePersistence
import SteleSQLite
import SteleSystem
import TestSupport
import Testing

@testable import SteleGraph

/// Notes and passwords in stores of their own, and an archive of notes.
final class GroupStage: GraphFixture {
    let coordinator: PersistentStoreCoordinator
    let folder: TemporaryFolder

    static func model() throws -> Model {
        var declaration = ManagedObjectModel(name: "Stash")
        declaration.entities = [
            EntityMaker("Note").attribute("name", .string).attribute("mark", .integer32)
                .attribute("price", .decimal).toMany("tags", "Tag", inverse: "notes"),
            EntityMaker("Memo", parent: "Note").attribute("due", .date),
            EntityMaker("Tag").attribute("name", .string).toMany("notes", "Note", inverse: "tags"),
            EntityMaker("System").attribute("name", .string).attribute("mark", .integer32)
                .toOne("category", "Category", inverse: "systems")
                .fetched("mentions", "Note", "name CONTAINS $FETCH_SOURCE.name")
                .fetched("kin", "Note", "name == $FETCH_SOURCE.category.name"),
            EntityMaker("Category").attribute("name", .string)
                .toMany("systems", "System", inverse: "category"),
        ].map(\.entity)
        var notes = ConfigurationDescription(name: "Notes")
        notes.entityNames = ["Note", "Memo", "Tag"]
        var archive = ConfigurationDescription(name: "Archive")
        archive.entityNames = ["Note", "Memo", "Tag"]
        var passwords = ConfigurationDescription(name: "Passwords")
        passwords.entityNames = ["System", "Category"]
        declaration.configurations = [notes, archive, passwords]
        return try Model(declaration)
    }

    /// Opens stores of configurations.
    static func stores(
        _ names: [String], _ kind: StoreKind = .sqlite, in folder: TemporaryFolder
    ) throws -> [any PersistentStore] {
        let model = try model()
        return try names.map { name in
            let own = try #require(model.restricted(to: name))
            return try kind.open(own, at: "\(folder.path)/\(name)")
        }
    }

    init(
        _ names: [String], _ kind: StoreKind = .sqlite, in folder: TemporaryFolder? = nil,
        wrapping: ([any PersistentStore]) -> [any PersistentStore] = { $0 }
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        let stores = wrapping(try Self.stores(names, kind, in: folder))
        coordinator = PersistentStoreCoordinator(
            store: try StoreGroup(stores, model: try Self.model()))
    }

    deinit { coordinator.store.close() }

    /// Inserts an object with a name.
    @discardableResult
    static func insert(
        _ entity: String, _ name: String, mark: Int64 = 0, in context: ManagedObjectContext
    ) throws -> ManagedObject {
        let object = try context.insert(try context.model.named(entity))
        object["name"] = .string(name)
        if object.entity.attribute(named: "mark") != nil { object["mark"] = .int(mark) }
        return object
    }

    /// Assigns an object to a store by its configuration.
    static func assign(_ object: ManagedObject, to name: String) throws {
        let context = try #require(object.context)
        let store = try #require(
            context.persistentStoreCoordinator.persistentStore(forConfiguration: name))
        try context.assign(object, to: store)
    }

    func history() throws -> [HistoryTransaction] {
        try read { try $0.history(after: 0, limit: .max, values: true) }
    }
}

/// A store whose commit of a save in parts fails after all is prepared.
final class FailingStore: ForwardingStore {
    let base: any PersistentStore
    let fails = Mutex(true)

    init(_ store: any PersistentStore) { base = store }

    func save(inParts make: (any PartedSave) throws -> Void) throws -> SaveResult {
        try base.save(inParts: { save in
            try make(save)
            if fails.withLock({ $0 }) { throw StoreError.failed("the disk is on fire") }
        })
    }
}

/// A store that rejects each part of a save after its rows are written.
final class RejectingStore: ForwardingStore {
    let base: any PersistentStore
    let rejects = Mutex(false)

    init(_ store: any PersistentStore) { base = store }

    func save(inParts make: (any PartedSave) throws -> Void) throws -> SaveResult {
        let rejects = rejects.withLock { $0 }
        return try base.save(inParts: { save in
            try make(rejects ? RejectingParts(save) : save)
        })
    }
}

private final class RejectingParts: PartedSave {
    private let base: any PartedSave

    init(_ save: any PartedSave) { base = save }

    func reader() throws(StoreError) -> any StoreReader { try base.reader() }

    func save(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        _ = try base.save(request)
        throw .invalid("rejected")
    }
}
