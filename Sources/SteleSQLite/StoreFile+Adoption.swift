import StelePersistence
import SteleModel
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
    /// in the metadata with the hashes that it was given for. None of this is asked where the
    /// model's hashes are known and are those of the store.
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
        let isCertain = isKnown || metadata.isOf(model, published: published)
        if !isKnown { try metadata.checkNames(model) }
        try metadata.check(model, against: published)
        if metadata.generation != nil { _ = try historyLine(metadata, path) }
        let layout = try StoreLayout(connection)
        do throws(StoreError) {
            let schema = try SQLSchema(model: model, layout: layout)
            if !isCertain {
                // The store's own model says more than its columns, of which other programs may
                // have added some.
                let own = try ownModel(connection, path, model.name, metadata, layout)
                let unused = own == nil ? layout.differences(from: schema).first : nil
                let difference: String? =
                    if let unused { unused } else {
                        try self.difference(of: schema, from: own, connection, layout)
                    }
                if let difference { throw .incompatible(code: 134100, difference) }
            }
            return Checked(
                identifier: identifier, metadata: metadata, layout: layout, schema: schema,
                isAdopted: isKnown)
        } catch .incompatible(code: 134100, let difference) {
            let disagreement =
                "the tables of the store do not agree with it: \(difference) (stele inspect names "
                + "every difference)"
            if isCertain {
                throw .incompatible(
                    code: 134080, "the store was made with this model, and \(disagreement)")
            }
            guard let own = try cachedModel(connection, path, model.name),
                self.difference(of: model, from: own) == nil
            else { throw metadata.refusal(of: model, difference) }
            throw .incompatible(
                code: 134080,
                "the model is the one that the store has in Z_MODELCACHE, and \(disagreement). If "
                    + "they are those of another version, put that version beside the model, and "
                    + "stele migrate takes the store on from it")
        }
    }

    /// Adds what Stele needs to a store that another program created: the tables of the history
    /// that it lacks, unless they are in a file of their own, and Stele's keys in the metadata.
    ///
    /// A store whose history was in a file of its own and is in the store now begins a new line: its
    /// saves are numbered anew.
    static func adopt(
        _ connection: Connection, _ path: String, _ model: Model, _ history: HistoryPlace,
        _ published: [String: [UInt8]]?
    ) throws(StoreError) {
        var isMoved = false
        try connection.run("BEGIN IMMEDIATE")
        do throws(StoreError) {
            // Another program may have changed or adopted it meanwhile.
            let found = try check(connection, path, model, published)
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
