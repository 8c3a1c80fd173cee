import SteleModel
import StelePersistence

/// The tables of another program in a PostgreSQL database.
public enum PostgreSQLTables {
    /// Makes a model of the tables of a schema: an entity of each table, and relationships of the
    /// foreign keys. The user info of the model tells the tables and columns. Nothing is changed in
    /// the database.
    /// - Parameters:
    ///   - url: as for `PostgreSQLStore.open`.
    ///   - schema: the schema; nil for the first one of the search path.
    ///   - name: the name of the model's version.
    /// - Returns: the model, and notes on what it does not have.
    /// - Throws: `StoreError`: `.incompatible` where the server refuses the connection or is too
    ///   old, and with 134080 where the schema does not exist or has no table that a model can
    ///   have; `.busy` where the server cannot be reached; errors of statements.
    public static func model(
        url: String, schema: String? = nil, name: String
    ) throws(StoreError) -> (model: ManagedObjectModel, notes: [String]) {
        let connection = try Connection(url)
        guard let schema = try CatalogTable.named(schema, connection) else {
            throw try refusal("\(connection.place) has no schema in its search path", connection)
        }
        let (tables, left) = try CatalogTable.read(schema: schema, connection)
        let made = TableModel(tables, name: name)
        let notes = left + made.notes
        guard made.model.entities.isEmpty else { return (made.model, notes) }
        guard try CatalogTable.hasSchema(schema, connection) else {
            throw try refusal("\(connection.place) has no schema \(schema)", connection)
        }
        let reasons = notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))"
        throw try refusal(
            "the schema \(schema) of \(connection.place) has no table that a model can have"
                + reasons, connection)
    }

    /// Whether the user info of a model names tables of another program, which a store of it follows.
    public static func areNamed(in model: Model) -> Bool { TableLinks.names(tablesIn: model) }

    /// The error of a schema without tables, with those that have tables.
    private static func refusal(
        _ reason: String, _ connection: Connection
    ) throws(StoreError) -> StoreError {
        let schemas = try CatalogTable.schemas(connection)
        let others =
            schemas.isEmpty
            ? "no schema of the database has tables that the user may use"
            : "the schemas with tables are \(schemas.joined(separator: ", "))"
        return .incompatible(code: 134080, "\(reason): \(others)")
    }
}
