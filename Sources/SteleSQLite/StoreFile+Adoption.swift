import StelePersistence
import SteleModel
import SteleSQL

/// Where the history of a store is kept that another program created without one.
public enum HistoryPlace: String, Sendable, CaseIterable {
    /// In the store, where it has the tables of a history; a store without them is refused.
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
        let metadata: StoreMetadata
        let layout: StoreLayout
        let schema: SQLSchema
        /// Whether the file has all that Stele needs.
        let isAdopted: Bool

        /// Checks that there is a place for the history.
        /// - Throws: `StoreError.incompatible` (134020).
        func checkHistory(_ place: HistoryPlace, _ path: String) throws(StoreError) {
            guard place == .auto, !layout.hasHistory else { return }
            throw .incompatible(
                code: 134020,
                "\(path) was created by another program without a history, and Stele records each "
                    + "save. With the setting history=store (--history store) the history's tables "
                    + "are added to the store; an app that opens the store afterwards must turn on "
                    + "persistent history tracking (NSPersistentHistoryTrackingKey), or Core Data "
                    + "opens it read-only. Work on a copy to keep the original as it is")
        }
    }

    /// Checks that a file is a store of a model.
    ///
    /// The version hashes of Apple's framework cannot be computed. For a store that has them, the
    /// names of the entities and the tables' columns are compared with what the model needs, in both
    /// directions. The answer is kept in the metadata with the hashes that it was given for.
    /// - Throws: `StoreError.incompatible` (134020, 134080, 134100).
    static func check(
        _ connection: Connection, _ path: String, _ model: Model
    ) throws(StoreError) -> Checked {
        let metadata = try look(connection, path).metadata
        if !metadata.hasForeignHashes { try metadata.check(model) }
        let isKnown = !metadata.hasForeignHashes || metadata.isAdopted(with: model)
        if !isKnown { try metadata.checkNames(model) }
        if metadata.generation != nil { _ = try historyLine(metadata, path) }
        let layout = try StoreLayout(connection)
        do throws(StoreError) {
            let schema = try SQLSchema(model: model, layout: layout)
            if !isKnown, let left = layout.difference(from: schema) {
                throw .incompatible(code: 134100, left)
            }
            return Checked(
                metadata: metadata, layout: layout, schema: schema, isAdopted: isKnown)
        } catch .incompatible(code: 134100, let difference) {
            throw metadata.refusal(of: model, difference)
        }
    }

    /// Adds what Stele needs to a store that another program created: the tables of the history
    /// that it lacks, and Stele's keys in the metadata.
    static func adopt(
        _ connection: Connection, _ path: String, _ model: Model, _ history: HistoryPlace
    ) throws(StoreError) {
        try connection.run("BEGIN IMMEDIATE")
        do throws(StoreError) {
            // Another program may have changed or adopted it meanwhile.
            let found = try check(connection, path, model)
            if !found.isAdopted {
                try found.checkHistory(history, path)
                for statement in found.layout.missingHistory { try connection.run(statement) }
                var metadata = found.metadata
                metadata.adopt(with: model, generation: newGeneration())
                try metadata.write(to: connection)
            }
        } catch {
            try connection.run("ROLLBACK")
            throw error
        }
        try connection.run("COMMIT")
    }
}
