/// Short ways to fill a store.

import Foundation
import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import TestSupport

/// The first form of the OrgChart of the classic book: relationships without an inverse.
func makeChart() throws -> Model {
    try makeModel(
        name: "OrgChart",
        [
            EntityMaker("Organization").attribute("id", .integer32).attribute("name", .string)
                .toOne("leader", "Person"),
            EntityMaker("Person").attribute("id", .integer32).attribute("name", .string)
                .toMany("employees", "Person"),
        ])
}

extension TemporaryFolder {
    /// The store that `migrate` makes.
    var made: String { path + "/new.sqlite" }

    /// Migrates the folder's store by its objects to a new one.
    /// - Parameter mappings: by default the inferred ones.
    func migrate(
        _ source: Model, _ destination: Model, _ mappings: MappingModel? = nil
    ) throws {
        let old = try SQLiteStore.open(path: store, model: source)
        defer { old.close() }
        let new = try SQLiteStore.open(path: made, model: destination)
        defer { new.close() }
        let mappings = try mappings ?? MappingModel.inferred(from: source, to: destination)
        try MigrationManager(from: old, to: new, mappingModel: mappings).migrate()
    }
}

/// What tests say to a store in one line.
extension SQLiteStore {
    var now: Int64 {
        get throws {
            let reader = try reader()
            defer { reader.close() }
            return try reader.token
        }
    }

    func insert(_ entity: Entity, _ values: [String: Value]) throws -> Snapshot {
        var request = SaveRequest(readToken: try now)
        request.changes = [
            ObjectChange(.insert, entity: entity.index, key: -1, values: entity.row(values))
        ]
        let result = try save(request)
        return try one(result)
    }

    func update(_ before: Snapshot, _ values: [String: Value]) throws -> Snapshot {
        let entity = model.entities[before.entity]
        var after = before.values
        var slots: [Int] = []
        for (index, property) in entity.slots.enumerated() {
            guard let value = values[property.name] else { continue }
            after[index] = value
            slots.append(index)
        }
        var request = SaveRequest(readToken: try now)
        request.changes = [
            ObjectChange(
                .update, entity: entity.index, key: before.key, before: before, values: after,
                changedSlots: slots)
        ]
        return try one(try save(request))
    }

    func delete(_ before: Snapshot) throws {
        var request = SaveRequest(readToken: try now)
        request.changes = [
            ObjectChange(.delete, entity: before.entity, key: before.key, before: before)
        ]
        _ = try save(request)
    }

    func snapshot(_ entity: Entity, _ key: Int64) throws -> Snapshot? {
        let reader = try reader()
        defer { reader.close() }
        return try reader.snapshot(ObjectID(root: entity.root, key: key))
    }

    private func one(_ result: SaveResult) throws -> Snapshot {
        guard let snapshot = result.changes.first?.snapshot else { throw StoreError.closed }
        return snapshot
    }
}
