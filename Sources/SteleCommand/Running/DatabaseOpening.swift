import SteleGraph
import SteleMigration
import StelePersistence
import StelePostgreSQL

/// A store in a database of PostgreSQL, as a command was given it.
struct DatabaseOpening {
    private let url: String
    /// The server and the database, without user and password.
    let place: String

    /// Nil for a text that is no URL of a database.
    init?(_ text: String?) {
        guard let text, ConnectionURL.isURL(text) else { return nil }
        url = text
        place = ConnectionURL.place(of: text)
    }

    /// Refuses a database where a command takes files alone.
    /// - Throws: `Failure` with its place.
    static func refuse(_ text: String?) throws {
        guard let database = DatabaseOpening(text) else { return }
        throw Failure(
            "\(database.place) is a database of PostgreSQL, which only stele serve and stele store "
                + "migrate open")
    }

    /// Opens the store, or makes it in an empty schema.
    /// - Parameters:
    ///   - identifier: NSStoreUUID of a new store; nil to generate one.
    ///   - creates: whether it is made; otherwise an empty schema is refused.
    /// - Throws: `Failure` whose sentence has the place.
    func open(
        _ package: ModelPackage, identifier: String? = nil, creates: Bool = true
    ) throws -> PostgreSQLStore {
        do throws(StoreError) {
            return try PostgreSQLStore.open(
                url: url, model: package.model, identifier: identifier, creates: creates)
        } catch { throw located(error) }
    }

    /// The error with the place.
    func located(_ error: StoreError) -> Failure {
        let sentence = Failure.sentence(error)
        return Failure(sentence.contains(place) ? sentence : "\(place): \(sentence)")
    }

    /// Copies a store into an empty schema, or one with a copy that was not finished: the objects
    /// are one transaction.
    /// - Returns: the number of objects.
    /// - Throws: `Failure` for a schema that has another store or objects.
    func fill(
        from source: any PersistentStore, _ package: ModelPackage,
        _ report: @escaping (MigrationProgress) -> Void
    ) throws -> Int {
        let copy = try open(package, identifier: source.identifier)
        defer { copy.close() }
        guard copy.identifier == source.identifier,
            try copy.highestKeys.values.allSatisfy({ $0 == 0 })
        else {
            throw Failure(
                "\(place) has a store already: name an empty schema by "
                    + "options=-csearch_path%3DNAME")
        }
        do {
            try MigrationManager.copy(source, to: copy, progress: report)
            return try copy.objectCount()
        } catch let error as StoreError { throw located(error) }
    }
}
