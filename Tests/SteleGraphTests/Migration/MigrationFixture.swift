// Two stores of two models, and what a migration between them made.

import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

/// A store with its coordinator, on either side of a migration.
final class MigrationSide: GraphFixture {
    let coordinator: PersistentStoreCoordinator
    private let folder: TemporaryFolder?

    init(_ model: Model, _ kind: StoreKind) throws {
        folder = kind == .memory ? nil : try TemporaryFolder()
        coordinator = PersistentStoreCoordinator(
            store: try kind.open(model, at: folder?.store ?? ""))
    }

    deinit { store.close() }

    var store: any PersistentStore { coordinator.store }

    /// All objects of an entity and its subentities, by key.
    func rows(_ entity: String) throws -> [Snapshot] {
        try read { try $0.fetch(FetchRequest(entity: try model.named(entity))) }
    }

    /// A property of all objects, by key.
    func values(_ path: String) throws -> [Value] {
        let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
        return try rows(parts[0]).map { try #require($0.value(parts[1], in: model)) }
    }

    /// The members of a to-many relationship, by owner.
    func members(_ path: String) throws -> [Int64: [Int64]] {
        let relationship = try relationship(path)
        let keys = try rows(path.split(separator: ".").map(String.init)[0]).map(\.key)
        return try read { try $0.members(of: relationship, owners: keys) }
    }
}

/// A migration from one store to another.
final class MigrationFixture {
    let old: MigrationSide
    let new: MigrationSide

    init(_ from: Model, _ to: Model, _ kinds: (StoreKind, StoreKind) = (.sqlite, .sqlite)) throws {
        old = try MigrationSide(from, kinds.0)
        new = try MigrationSide(to, kinds.1)
    }

    /// Makes objects in the old store.
    func seed(_ work: (ManagedObjectContext) throws -> Void) throws { try old.change(work) }

    func manager(
        _ mappings: [EntityMapping], policies: [String: EntityMigrationPolicy.Type] = [:]
    ) -> MigrationManager {
        MigrationManager(
            from: old.store, to: new.store, mappingModel: MappingModel(mappings),
            policies: policies)
    }

    func migrate(
        _ mappings: [EntityMapping], policies: [String: EntityMigrationPolicy.Type] = [:]
    ) throws {
        try manager(mappings, policies: policies).migrate()
    }

    /// The error of a migration, which must leave the new store empty.
    func failure(
        _ mappings: [EntityMapping], policies: [String: EntityMigrationPolicy.Type] = [:]
    ) throws -> MigrationError {
        let error = try #require(throws: MigrationError.self) {
            try migrate(mappings, policies: policies)
        }
        for entity in new.model.entities where entity.parent == nil {
            #expect(try new.rows(entity.name).isEmpty)
        }
        return error
    }
}

extension EntityMapping {
    /// A mapping with values: for each attribute and relationship its value.
    static func make(
        _ source: String, _ destination: String, type: MappingType = .custom,
        policy: String? = nil, attributes: [(String, PropertyMapping.Value?)] = [],
        links: [(String, PropertyMapping.Value?)] = []
    ) -> EntityMapping {
        var mapping = EntityMapping(
            name: "\(source)To\(destination)", mappingType: type, source: source,
            destination: destination)
        mapping.attributeMappings = attributes.map { PropertyMapping(name: $0.0, value: $0.1) }
        mapping.relationshipMappings = links.map { PropertyMapping(name: $0.0, value: $0.1) }
        mapping.entityMigrationPolicyClassName = policy
        return mapping
    }
}

extension PropertyMapping.Value {
    /// An expression as text.
    static func text(_ format: String) throws -> PropertyMapping.Value {
        .expression(try Expression(format: format))
    }
}
