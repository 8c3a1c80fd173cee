import SteleModel
import StelePersistence
import SteleSQL

extension PostgreSQLStore {
    /// Reads a store in a database, in one view, and reports what it has, and where its tables do
    /// not agree with its metadata and its model. Nothing is changed, and nodes may have it open.
    ///
    /// The rows of each table are read once; a table with a uniqueness constraint that has no index
    /// is sorted.
    /// - Parameters:
    ///   - url: as for `open`. The user needs SELECT on the tables.
    ///   - models: the models that the store may have been made with, the likeliest first.
    /// - Throws: `StoreError`: `.incompatible` where there is no store, and where its metadata cannot
    ///   be read; `.busy` where the server cannot be reached; errors of statements.
    package static func inspect(
        url: String, among models: [Model]
    ) throws(StoreError) -> StoreInspection {
        let connection = try Connection(url)
        try connection.keepSchema()
        guard try StoreDatabase.hasStore(connection) else {
            throw .incompatible(code: 134080, "\(connection.place) has no store in its schema")
        }
        // A migration ends the connection, and the tables and the view are of one model.
        try StoreLock.share(connection)
        let all = try connection.texts(
            "SELECT relname::text FROM pg_class WHERE relnamespace = \(PostgreSQLWords.ownSchema) "
                + "AND relkind = 'r'")
        try StoreDatabase.checkRights(connection, on: all, writes: false)
        try connection.run("SET statement_timeout = 0")
        _ = try connection.beginView([(SQLText("SELECT 1"), [])])
        let (identifier, metadata, _) = try StoreDatabase.metadata(connection)
        var found = StoreInspection(type: storeType, metadata: metadata.values(identifier))
        found.differences += metadata.differences
        let model = choose(among: models, metadata, &found)
        do throws(StoreError) {
            try inspect(connection, model, &found)
        } catch { found.differences.append(error.sentence) }
        inspectCounter(connection, &found)
        addSizes(connection, &found)
        // What was not read is no difference.
        guard !connection.isLost else {
            throw .unavailable(
                "\(connection.place) has ended the connection, as for a migration: inspect it again"
            )
        }
        found.unchecked.append("the pages of the database: pg_amcheck does that")
        return found
    }

    /// Chooses a model by the version hashes.
    private static func choose(
        among models: [Model], _ metadata: StoreMetadata, _ found: inout StoreInspection
    ) -> Model? {
        if let model = models.first(where: metadata.isOf) {
            found.model = .init(name: model.name, isOwn: false)
            found.hashes = "those of the model"
            return model
        }
        let own = try? metadata.modelFile(name: "store", place: "the store")?.model()
        if models.isEmpty, let own, metadata.isOf(own) {
            found.model = .init(name: own.name, isOwn: true, place: "Z_METADATA")
            found.hashes = "those of the model"
            return own
        }
        found.unchecked.append(
            "the tables with a model: "
                + (models.isEmpty ? "name one by --model" : "no model of the store is known"))
        guard let first = models.first else {
            found.hashes = "not compared"
            return nil
        }
        found.hashes = "not those of the given model"
        do throws(StoreError) { try metadata.check(first) } catch {
            found.differences.append("NSStoreModelVersionHashes: \(error.sentence)")
        }
        return nil
    }

    private static func inspect(
        _ connection: Connection, _ model: Model?, _ found: inout StoreInspection
    ) throws(StoreError) {
        let layout = try StoreLayout(connection)
        let schema = layout.schema(of: model, &found)
        if let schema { found.differences += try typeDifferences(connection, schema) }
        var inspector = TableInspector(connection, layout, schema, found)
        inspector.run()
        inspector.readHistory(isBeside: false)
        found = inspector.inspection
        guard let schema else { return }
        // Of the tables of another program that it follows.
        do throws(StoreError) { try TableLinks(schema, connection).check(connection) } catch {
            found.differences.append(error.sentence)
        }
    }

    private static let types = SQLText(
        "SELECT upper(c.relname), upper(a.attname), format_type(a.atttypid, NULL), "
            + "coalesce(o.collname::text, '') FROM pg_class c "
            + "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
            + "LEFT JOIN pg_collation o ON o.oid = a.attcollation "
            + "WHERE c.relnamespace = \(PostgreSQLWords.ownSchema) AND c.relkind = 'r'")

    /// Columns whose types or collations are not those that the store reads.
    private static func typeDifferences(
        _ connection: Connection, _ schema: SQLSchema
    ) throws(StoreError) -> [String] {
        var found: [String: (type: String, collation: String)] = [:]
        for row in try connection.rows(types, [], [.text, .text, .text, .text]) {
            guard case .string(let table) = row[0], case .string(let column) = row[1],
                case .string(let type) = row[2], case .string(let collation) = row[3]
            else { continue }
            found["\(table).\(column)"] = (type, collation)
        }
        var differences: [String] = []
        for table in schema.storedTables {
            for column in table.columns {
                let name = "\(table.name).\(column.name)"
                let type = PostgreSQLWords.type(column.kind).lowercased()
                guard let other = found[name] else { continue }
                if other.type != type {
                    differences.append(
                        "\(name): the type is \(other.type), and a store has \(type): values are not "
                            + "read as they are")
                } else if column.kind == .text, !["C", "POSIX"].contains(other.collation) {
                    differences.append(
                        "\(name): the collation is \(other.collation), and a store has C: texts are "
                            + "sorted and compared otherwise")
                }
            }
        }
        return differences
    }

    private static let counter = SQLText(
        "SELECT COUNT(*) FROM \(CommitCounter.table) WHERE Z_PK = 1 AND ZCOUNT >= 0")

    private static func inspectCounter(
        _ connection: Connection, _ found: inout StoreInspection
    ) {
        do throws(StoreError) {
            if try connection.integer(counter) == 1 { return }
            found.differences.append(
                "\(CommitCounter.table): there is no row 1 with the number of commits, which writers "
                    + "lock: no node opens the store")
        } catch {
            found.differences.append("\(CommitCounter.table) cannot be read: \(error.sentence)")
        }
    }

    private static let sizes = SQLText(
        "SELECT upper(relname), pg_total_relation_size(oid), pg_indexes_size(oid) FROM pg_class "
            + "WHERE relnamespace = \(PostgreSQLWords.ownSchema) AND relkind = 'r'")

    /// Adds the bytes of each table.
    private static func addSizes(_ connection: Connection, _ found: inout StoreInspection) {
        do throws(StoreError) {
            var bytes: [String: (all: Int64, indexes: Int64)] = [:]
            for row in try connection.rows(sizes, [], [.text, .integer, .integer]) {
                guard case .string(let table) = row[0], case .int(let all) = row[1],
                    case .int(let indexes) = row[2]
                else { continue }
                bytes[table] = (all, indexes)
            }
            for place in found.tables.indices {
                guard let (all, indexes) = bytes[found.tables[place].name] else { continue }
                found.tables[place].bytes = all
                found.tables[place].indexBytes = indexes
            }
        } catch {
            found.unchecked.append("the bytes of the tables: \(error.sentence)")
        }
    }
}
