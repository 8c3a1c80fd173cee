import SteleModel
import StelePersistence
import SteleSQL

/// Which model a store's file is of that another program created. Neither the file nor its folder is
/// changed.
extension SQLiteStore {
    /// Returns the model that a store's file is of. Core Data's own version hashes cannot be
    /// computed, so the entities are compared with those of Z_MODELCACHE and with the tables, where
    /// the hashes of no model are known to be those of the store.
    ///
    /// The first model is taken wherever the store can be opened with it. Of the others, one that has
    /// all columns of the tables, and all join tables, is taken before one that lacks some, as a former
    /// version does that was left in Z_MODELCACHE.
    /// - Parameters:
    ///   - path: the path of the store's file.
    ///   - models: the models in the order of trying, the one that is wanted first. One with an
    ///     unsupported feature is left out.
    ///   - published: the version hashes that Core Data has computed, by the models' names.
    /// - Returns: nil where none fits, and for a store that Stele created or migrated.
    /// - Throws: `StoreError`: `.incompatible` for a file that is not a store; where none fits, and
    ///   the first model is the one in Z_MODELCACHE, or the version hashes are those of one (134080);
    ///   and where the model that is found lacks a column with values, or a join table with links,
    ///   that the first one has (134100).
    public static func adoptableModel(
        path: String, among models: [Model], _ published: [String: [String: [UInt8]]] = [:]
    ) throws(StoreError) -> Model? {
        try StoreLook.at(path) { (connection) throws(StoreError) in
            let metadata = try StoreFile.look(connection, path).metadata
            guard metadata.hasForeignHashes else { return nil }
            let usable = models.filter { $0.refusal == nil }
            let equal = usable.filter { metadata.isOf($0, published: published[$0.name]) }
            var lacking: (model: Model, parts: [UnusedPart], layout: StoreLayout)?
            var disagreement: StoreError?
            for model in equal.isEmpty ? usable : equal {
                let isFirst = model === models.first
                do throws(StoreError) {
                    let found = try StoreFile.check(
                        connection, path, model, published[model.name])
                    let unused = found.layout.unusedParts(of: found.schema)
                    if isFirst || unused.isEmpty { return model }
                    if lacking == nil { lacking = (model, unused, found.layout) }
                } catch {
                    // Z_MODELCACHE may have another version than the tables.
                    if isFirst || !equal.isEmpty, error.isOfTables { disagreement = error }
                    guard error.isOfModel || error.isOfTables else { throw error }
                }
            }
            if let lacking {
                for part in lacking.parts {
                    guard let wanted = models.first,
                        let property = part.property(in: wanted, lacking.layout),
                        let row = try part.filledRow(connection)
                    else { continue }
                    let first = row.isEmpty ? "" : " (first: \(row))"
                    throw StoreError.incompatible(
                        code: 134100,
                        "\(property) of \(wanted.name) would not get \(part.contents)\(first): "
                            + "\(lacking.model.name) does not have them, so the store is of a "
                            + "version that is not known: put that version beside \(wanted.name)")
                }
                return lacking.model
            }
            if let disagreement { throw disagreement }
            return nil
        }
    }

    /// What a store has in columns and join tables that no property of its model has, as `the values of
    /// the column TABLE.COLUMN` or `the links of the table TABLE`. A migration that makes a new store
    /// leaves it out.
    /// - Throws: `StoreError`.
    package static func valuesWithoutProperty(
        path: String, model: Model
    ) throws(StoreError) -> [String] {
        try StoreLook.at(path) { (connection) throws(StoreError) in
            let layout = try StoreLayout(connection)
            guard let schema = try? SQLSchema(model: model, layout: layout) else { return [] }
            var found: [String] = []
            for part in layout.unusedParts(of: schema)
            where try part.filledRow(connection) != nil {
                found.append(part.contents)
            }
            return found
        }
    }

    /// How many rows of a store's tables have a key below 1, which no object has, where a table has
    /// any. A migration that makes a new store leaves them out.
    /// - Throws: `StoreError`.
    package static func rowsWithoutObject(
        path: String, model: Model
    ) throws(StoreError) -> [(table: String, count: Int)] {
        try StoreLook.at(path) { (connection) throws(StoreError) in
            let layout = try StoreLayout(connection)
            guard let schema = try? SQLSchema(model: model, layout: layout) else { return [] }
            var found: [(table: String, count: Int)] = []
            for table in schema.storedTables {
                let count = try connection.integer(
                    SQLText("SELECT COUNT(*) FROM \(table.name) WHERE Z_PK < 1"))
                if let count, count > 0 { found.append((table.name, Int(count))) }
            }
            return found
        }
    }

    /// Why a store's file that another program created does not belong to a model; nil where it
    /// does, and for a store that Stele created or migrated. Nothing is changed.
    /// - Throws: as `adoptableModel`.
    package static func misfit(
        path: String, _ model: Model, _ published: [String: [String: [UInt8]]] = [:]
    ) throws(StoreError) -> String? {
        try StoreLook.at(path) { (connection) throws(StoreError) in
            guard try StoreFile.look(connection, path).metadata.hasForeignHashes else { return nil }
            do throws(StoreError) {
                _ = try StoreFile.check(connection, path, model, published[model.name])
                return nil
            } catch {
                guard error.isOfModel || error.isOfTables else { throw error }
                return error.sentence
            }
        }
    }
}

extension StoreError {
    /// Whether the store is of another model.
    fileprivate var isOfModel: Bool {
        if case .incompatible(code: 134100, _) = self { true } else { false }
    }

    /// Whether the tables are not those of the store's model.
    fileprivate var isOfTables: Bool {
        if case .incompatible(code: 134080, _) = self { true } else { false }
    }
}
