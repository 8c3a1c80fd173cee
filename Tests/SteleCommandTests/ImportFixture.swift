/// A store for tests of imports and exports.

import Foundation
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

@testable import SteleService

/// A store into which files are imported.
final class House: GraphFixture {
    let coordinator: PersistentStoreCoordinator
    private let folder: TemporaryFolder

    init(_ model: Model) throws {
        folder = try TemporaryFolder()
        coordinator = PersistentStoreCoordinator(
            store: try SQLiteStore.open(path: folder.store, model: model))
    }

    deinit { coordinator.store.close() }

    /// The model of a club: teams by their names, and players without a key.
    static func club(hasOrderedPupils: Bool = false) throws -> Model {
        try makeModel(
            name: "Club",
            [
                EntityMaker("Team").attribute("name", .string).attribute("city", .string)
                    .toMany("players", "Player", inverse: "team").unique("name"),
                EntityMaker("Player").attribute("name", .string).attribute("goals", .integer32)
                    .toOne("team", "Team", inverse: "players")
                    .toOne("coach", "Player", inverse: "pupils")
                    .toMany("pupils", "Player", inverse: "coach", ordered: hasOrderedPupils),
            ])
    }

    /// - Parameter batch: the most records of a part of the save.
    func load(
        _ files: [(String, String)], keys: [(String, String)] = [], batch: Int = 2_000,
        _ change: (inout ImportOptions) -> Void = { _ in }
    ) throws -> Import.Summary {
        var options = ImportOptions()
        change(&options)
        var plan = try ImportPlan(
            model: model,
            files: try files.map { (path: try folder.write($0.1, to: $0.0), entity: nil) },
            keys: keys.map { (entity: $0.0, attribute: $0.1) }, options: options)
        plan.recordsPerBatch = batch
        return try Import(coordinator, plan).run()
    }

    /// All objects of an entity, by key.
    func all(_ name: String) throws -> [Snapshot] {
        try read { try $0.fetch(FetchRequest(entity: try entity(name))) }
    }

    /// A property of all objects of an entity, in the order of their keys.
    func values(_ path: String) throws -> [Value] {
        let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
        return try all(parts[0]).map { $0.value(parts[1], in: model) ?? .null }
    }

    /// For each code, the codes at the other end.
    func ends(_ name: String) throws -> [String: [String]] {
        let context = ManagedObjectContext(coordinator)
        defer { context.close() }
        let entity = try #require(model.entity(named: "Place"))
        let code = try #require(entity.attribute(named: "code"))
        let relationship = try #require(entity.relationship(named: name))
        var found: [String: [String]] = [:]
        for object in try context.fetch(FetchRequest(entity: entity)) {
            let others =
                relationship.isToMany
                ? try object.members(relationship)
                : [try object.toOne(relationship)].compactMap { $0 }
            guard case .string(let own) = object.value(code) else { continue }
            found[own] = others.compactMap {
                if case .string(let other) = $0.value(code) { other } else { nil }
            }.sorted()
        }
        return found
    }
}
