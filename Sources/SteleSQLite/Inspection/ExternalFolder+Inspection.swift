import Glibc
import SteleModel
import StelePersistence
import SteleSQL

/// The files of large values, and the rows that name them.
extension ExternalFolder {
    /// Compares the files with what the columns and the before-images name.
    /// - Parameters:
    ///   - tables: the columns that may name files, by table.
    ///   - model: the model of the store, which has the names of attributes; nil for none.
    ///   - hasImages: whether there are before-images.
    /// - Returns: what does not agree.
    func differences(
        _ connection: Connection, _ tables: [(table: String, columns: [String])], _ model: Model?,
        hasImages: Bool
    ) throws(StoreError) -> [String] {
        var differences: [String] = []
        // A program may be about to commit the row of a recent file.
        var orphans = Set(sizes(before: time(nil) - Limits.orphanSeconds).keys)
        let missing = try missing(connection, tables, model) { orphans.remove($0.identifier) }
        for (place, missing, first) in missing {
            let rows = missing.count == 1 ? "row" : "rows"
            differences.append(
                "\(place): in \(missing.count) \(rows) the value is in a file that is not in "
                    + "\(path) (first: \(first.uuidString)): it cannot be read: \(missing.list)")
        }
        if orphans.isEmpty { return differences }
        if hasImages {
            let images = SQLText(
                "SELECT ZVALUES FROM \(HistoryTables.beforeImages) "
                    + "WHERE instr(ZVALUES, '\"external\":') > 0")
            let statement = try connection.statement(images, [])
            defer { statement.reset() }
            while try statement.step() {
                guard case .string(let text) = statement.value(0, .text) else { continue }
                for name in BeforeImage.externalNames(in: text) { orphans.remove(name) }
            }
        }
        if let first = orphans.min(by: { $0.uuidString < $1.uuidString }) {
            differences.append(
                "\(path): \(orphans.count) \(orphans.count == 1 ? "file is" : "files are") named "
                    + "by no row and no before-image (first: \(first.uuidString)): nothing reads "
                    + "them")
        }
        return differences
    }

    /// The values whose files are not in the folder, by column: those of a column with its name and
    /// the name of the first file.
    /// - Parameter body: called for each value that names a file.
    func missing(
        _ connection: Connection, _ tables: [(table: String, columns: [String])], _ model: Model?,
        each body: (ExternalData) -> Void = { _ in }
    ) throws(StoreError) -> [(place: String, values: MissingValues, first: UUID)] {
        let present = sizes()
        let entities = try Self.entities(connection)
        var found: [(place: String, values: MissingValues, first: UUID)] = []
        try eachFile(connection, tables) { data, place, object in
            body(data)
            if present[data.identifier] != nil { return }
            let entity = object.flatMap { entities[$0.entity] } ?? place.table
            let name =
                Self.attribute(place.column, of: entity, model) + " of \(entity)"
                + (object.map { " \($0.key)" } ?? "")
            let column = "\(place.table).\(place.column)"
            if let index = found.firstIndex(where: { $0.place == column }) {
                found[index].values.add(name)
            } else {
                var values = MissingValues()
                values.add(name)
                found.append((column, values, data.identifier))
            }
        }
        return found.sorted { $0.place < $1.place }
    }

    /// Reads the names of files in some columns, with the objects that have them where the table has
    /// objects.
    private func eachFile(
        _ connection: Connection, _ tables: [(table: String, columns: [String])],
        _ body: (
            ExternalData, (table: String, column: String), (entity: Int64, key: Int64)?
        ) -> Void
    ) throws(StoreError) {
        for (table, columns) in tables {
            let keys = try Self.hasObjects(connection, table) ? ["Z_ENT", "Z_PK"] : []
            let statement = try connection.statement(
                Self.references(table, columns, keys: keys), [])
            defer { statement.reset() }
            while try statement.step() {
                var object: (entity: Int64, key: Int64)?
                if !keys.isEmpty, case .int(let entity) = statement.value(0, .integer),
                    case .int(let key) = statement.value(1, .integer)
                {
                    object = (entity, key)
                }
                for (place, column) in columns.enumerated() {
                    let value = statement.value(Int32(keys.count + place), .external)
                    if case .external(let data) = value { body(data, (table, column), object) }
                }
            }
        }
    }

    private static func hasObjects(
        _ connection: Connection, _ table: String
    ) throws(StoreError) -> Bool {
        let columns = SQLText(
            "SELECT name FROM pragma_table_info(?1) WHERE name IN ('Z_ENT', 'Z_PK')")
        return try connection.rows(columns, [.string(table)], [.text]).count == 2
    }

    /// The names of the entities by their numbers in the store.
    private static func entities(_ connection: Connection) throws(StoreError) -> [Int64: String] {
        var names: [Int64: String] = [:]
        let rows = try connection.rows(
            SQLText("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY"), [], [.integer, .text])
        for row in rows {
            if case .int(let number) = row[0], case .string(let name) = row[1] {
                names[number] = name
            }
        }
        return names
    }

    /// The name of the attribute that a column has; that of the column where the model does not say.
    private static func attribute(_ column: String, of entity: String, _ model: Model?) -> String {
        let properties = model?.entity(named: entity)?.properties ?? []
        let name = properties.map(\.name).first { "Z" + $0.uppercased() == column }
        return name ?? column
    }
}

extension SQLiteStore {
    /// The values of a store's file that are in files beside it which are missing. The store is not
    /// opened, and nothing is changed.
    /// - Parameters:
    ///   - path: the path of the store's file.
    ///   - model: the model of the store, which has the names of attributes.
    /// - Throws: `StoreError` for a file that is not a store, and one that cannot be read.
    package static func missingValues(
        path: String, model: Model
    ) throws(StoreError) -> MissingValues {
        try StoreLook.at(path) { (connection) throws(StoreError) in
            var all = MissingValues()
            let columns = try StoreLayout(connection).dataColumns(connection)
            for found in try ExternalFolder(store: path).missing(connection, columns, model) {
                all.add(found.values)
            }
            return all
        }
    }
}
