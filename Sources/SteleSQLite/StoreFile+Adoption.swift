import StelePersistence
import SteleModel
import SteleModelFiles
import SteleSQL

/// Where the history of a store is kept that another program created without one.
public enum HistoryPlace: String, Sendable, CaseIterable {
    /// In the store, where it has the tables of a history; else in a file of its own beside it.
    case auto
    /// In the store, which gets the tables where it has none. Core Data opens such a store read-only
    /// unless its own history tracking is turned on.
    case store
}

/// Stores that another program created, such as an app with Apple's framework. The first opening
/// adopts such a store: it adds what Stele needs, and changes nothing else.
extension StoreFile {
    /// A file whose metadata and layout fit a model.
    struct Checked {
        /// NSStoreUUID.
        let identifier: String
        let metadata: StoreMetadata
        let layout: StoreLayout
        let schema: SQLSchema
        /// Whether the file has all that Stele needs.
        let isAdopted: Bool

        /// Whether the history is in a file of its own.
        func attachesHistory(_ place: HistoryPlace) -> Bool {
            place == .auto && !layout.hasHistory
        }

        /// Whether the file lacks what `adopt` adds.
        func needsAdoption(_ place: HistoryPlace) -> Bool {
            !isAdopted
                || (metadata.hasForeignHashes && !attachesHistory(place)
                    && !layout.missingHistory.isEmpty)
        }
    }

    /// Checks that a file is a store of a model.
    ///
    /// The version hashes of Apple's framework cannot be computed. For a store that has them, the
    /// names of the entities and the tables' columns are compared with what the model needs, in both
    /// directions, and the entities with those of the model in Z_MODELCACHE. In a store without that,
    /// or with another store's, the declared types of the columns are compared. The answer is kept
    /// in the metadata with the hashes that it was given for.
    /// - Parameter published: the model's version hashes that Core Data has computed, if they are
    ///   known.
    /// - Throws: `StoreError.incompatible` (134020, 134080, 134100).
    static func check(
        _ connection: Connection, _ path: String, _ model: Model,
        _ published: [String: [UInt8]]? = nil
    ) throws(StoreError) -> Checked {
        let (identifier, metadata) = try look(connection, path)
        if !metadata.hasForeignHashes { try metadata.check(model) }
        let isKnown = !metadata.hasForeignHashes || metadata.isAdopted(with: model)
        if !isKnown { try metadata.checkNames(model) }
        try metadata.check(model, against: published)
        if metadata.generation != nil { _ = try historyLine(metadata, path) }
        let layout = try StoreLayout(connection)
        do throws(StoreError) {
            let schema = try SQLSchema(model: model, layout: layout)
            if !isKnown {
                // The store's own model says more than its columns, of which other programs may
                // have added some.
                let difference =
                    if let own = try ownModel(connection, path, model.name, metadata, layout) {
                        self.difference(of: model, from: own)
                    } else {
                        try
                            (layout.differences(from: schema)
                            + StoreLayout.typeDifferences(connection, from: schema)).first
                    }
                if let difference { throw .incompatible(code: 134100, difference) }
            }
            return Checked(
                identifier: identifier, metadata: metadata, layout: layout, schema: schema,
                isAdopted: isKnown)
        } catch .incompatible(code: 134100, let difference) {
            guard try isMade(connection, path, metadata, with: model) else {
                throw metadata.refusal(of: model, difference)
            }
            throw .incompatible(
                code: 134080,
                "the store was made with this model, and its tables do not agree with it: "
                    + "\(difference) (stele inspect names every difference)")
        }
    }

    /// Reads the model in Z_MODELCACHE, if it is of the store's entities and tables: Core Data knows a
    /// store by its hashes, and other programs may leave another model there.
    private static func ownModel(
        _ connection: Connection, _ path: String, _ name: String, _ metadata: StoreMetadata,
        _ layout: StoreLayout
    ) throws(StoreError) -> Model? {
        guard let own = try cachedModel(connection, path, name) else { return nil }
        let names = Set(metadata.versionHashes.keys)
        guard names.isSubset(of: own.entities.map(\.name)) else { return nil }
        // The store may have those of a configuration.
        let stored = try? own.part(ofEntities: names)
        return (try? SQLSchema(model: stored ?? own, layout: layout)) == nil ? nil : own
    }

    /// Whether a store's metadata and model cache say that it was made with a model, whatever its
    /// tables are.
    private static func isMade(
        _ connection: Connection, _ path: String, _ metadata: StoreMetadata, with model: Model
    ) throws(StoreError) -> Bool {
        guard metadata.hasForeignHashes else { return true }
        guard let own = try cachedModel(connection, path, model.name) else { return false }
        return difference(of: model, from: own) == nil
    }

    /// Returns the first difference between a model and the one in Z_MODELCACHE, in what the version
    /// hashes cover, or else the declared types of the columns; nil for none.
    static func cacheDifference(
        _ connection: Connection, _ path: String, _ model: Model, _ metadata: StoreMetadata,
        _ layout: StoreLayout
    ) throws(StoreError) -> String? {
        if let own = try ownModel(connection, path, model.name, metadata, layout) {
            return difference(of: model, from: own)
        }
        guard let schema = try? SQLSchema(model: model, layout: layout) else { return nil }
        return try StoreLayout.typeDifferences(connection, from: schema).first
    }

    /// Reads the model in Z_MODELCACHE; nil for a cache that is missing or cannot be read.
    private static func cachedModel(
        _ connection: Connection, _ path: String, _ name: String
    ) throws(StoreError) -> Model? {
        guard let bytes = try SQLiteStore.modelCache(connection),
            let read = try? ModelCache.read(bytes, name: name, place: path)
        else { return nil }
        return try? Model(read.0)
    }

    private static func difference(of model: Model, from own: Model) -> String? {
        for entity in model.storedEntities {
            guard let other = own.entity(named: entity.name) else {
                return "the model in the store has no entity \(entity.name)"
            }
            if let place = VersionFacts.difference(of: entity, in: model, from: other, in: own) {
                return "\(place) is not as in the model that the store has in Z_MODELCACHE"
            }
        }
        return nil
    }

    /// Adds what Stele needs to a store that another program created: the tables of the history
    /// that it lacks, unless they are in a file of their own, and Stele's keys in the metadata.
    ///
    /// A store whose history was in a file of its own and is in the store now begins a new line: its
    /// saves are numbered anew.
    static func adopt(
        _ connection: Connection, _ path: String, _ model: Model, _ history: HistoryPlace
    ) throws(StoreError) {
        var isMoved = false
        try connection.run("BEGIN IMMEDIATE")
        do throws(StoreError) {
            // Another program may have changed or adopted it meanwhile.
            let found = try check(connection, path, model)
            if found.needsAdoption(history) {
                var metadata = found.metadata
                metadata.adopt(with: model, generation: newGeneration())
                if !found.attachesHistory(history) {
                    for statement in found.layout.missingHistory { try connection.run(statement) }
                    if found.layout.hasHadAttachedHistory {
                        try connection.run("DROP TABLE \(AttachedHistory.saves)")
                        metadata.forgetHistory(generation: newGeneration())
                        isMoved = true
                    }
                }
                try metadata.write(to: connection)
            }
        } catch {
            try connection.run("ROLLBACK")
            throw error
        }
        try connection.run("COMMIT")
        if isMoved { removeHistoryFile(of: path) }
    }
}
