import Stele
import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import StelePostgreSQL
import SteleSQLite

/// A store in a database of PostgreSQL, as a command was given it.
struct DatabaseOpening: CommandStore {
    private let url: String
    /// The server and the database, without user and password.
    let name: String
    var use = StoreUse.write
    /// The URL of a standby.
    private var replica: String?

    /// Nil for a text that is no URL of a database.
    init?(_ text: String?) {
        guard let text, ConnectionURL.isURL(text) else { return nil }
        url = text
        name = ConnectionURL.place(of: text)
    }

    /// The name with the schema, where the URL has one.
    var label: String { ConnectionURL.schema(of: url).map { "\(name), schema \($0)" } ?? name }

    /// The same store, read from a standby by clients that ask for it.
    /// - Parameter replica: its URL; nil for none.
    /// - Throws: `Failure` for another text.
    func read(from replica: String?) throws -> DatabaseOpening {
        if let replica, !ConnectionURL.isURL(replica) {
            throw Failure("replica: the URL of a standby begins with postgresql://")
        }
        var opening = self
        opening.replica = replica
        return opening
    }

    /// Refuses a database where a command takes files alone.
    /// - Throws: `Failure` with its place.
    static func refuse(_ text: String?) throws {
        guard let database = DatabaseOpening(text) else {
            // A file of such a name is not meant, and the text may have a password.
            let isMeant = ["postgresql:", "postgres:", "jdbc:"].contains {
                text?.hasPrefix($0) == true
            }
            guard isMeant || text?.contains("dbname=") == true else { return }
            throw Failure("a database is named by a URL: postgresql://user@host/database")
        }
        throw Failure(
            "\(database.name) is a database of PostgreSQL, and this is for stores in files: "
                + "pg_dump makes a backup of it, and stele store migrate copies it into a file")
    }

    // A URL may have a password.
    var argument: String { "URL" }
    var ownModelHint: String? { nil }
    var contentsHint: String? { nil }

    var cachedVersion: Result<KnownVersion, ModelErrors>? {
        Result { () throws(ModelErrors) in
            try KnownVersion(cachedIn: PostgreSQLStore.modelFile(url: url))
        }
    }

    func openAsIs(_ model: Model) throws(StoreError) -> any PersistentStore {
        try open(model, identifier: nil)
    }

    /// Opens the store, or makes it in an empty schema unless it is only read.
    /// - Parameter identifier: NSStoreUUID of a new store; nil to generate one.
    func open(
        _ model: Model, identifier: String? = nil
    ) throws(StoreError) -> PostgreSQLStore {
        try PostgreSQLStore.open(
            url: url, replica: replica, model: model, identifier: identifier,
            creates: use == .write)
    }

    /// Inspects the store.
    /// - Parameter package: the package with the version of its model; nil for none.
    /// - Throws: `Failure` for a store that cannot be read.
    func inspect(_ package: ModelPackage?) throws -> StoreInspection {
        let versions = try package?.versions().nearestFirst.map(\.model) ?? []
        do throws(StoreError) {
            return try PostgreSQLStore.inspect(url: url, among: versions)
        } catch {
            throw located(error)
        }
    }

    /// The metadata of the store.
    func metadata() throws(StoreError) -> [String: PropertyList] {
        try PostgreSQLStore.metadata(url: url)
    }

    /// Changes users' keys of the metadata.
    /// - Throws: what the closure throws; `StoreError`.
    func changeMetadata(_ change: (inout [String: PropertyList]) throws -> Void) throws {
        try PostgreSQLStore.changeMetadata(url: url, change)
    }

    func located(_ error: StoreError) -> Failure {
        let sentence = Failure.sentence(error)
        return Failure(sentence.contains(name) ? sentence : "\(name): \(sentence)")
    }

    /// Copies a store into an empty schema, or one with a copy that was not finished: the objects
    /// are one transaction.
    /// - Returns: the number of objects.
    /// - Throws: `Failure` for a schema that has another store or objects.
    func fill(
        from source: any PersistentStore, _ package: ModelPackage,
        _ report: @escaping (MigrationProgress) -> Void
    ) throws -> Int {
        guard !PostgreSQLTables.areNamed(in: package.model) else {
            throw Failure(
                "\(name): the model names tables of another program, whose rows a store of it has: "
                    + "stele serve makes the store, and stele import adds objects")
        }
        let copy: PostgreSQLStore
        do throws(StoreError) {
            copy = try open(package.model, identifier: source.identifier)
        } catch { throw located(error) }
        defer { copy.close() }
        guard copy.identifier == source.identifier,
            try copy.highestKeys.values.allSatisfy({ $0 == 0 })
        else {
            throw Failure(
                "\(name) has a store already: name an empty schema by "
                    + "options=-csearch_path%3DNAME")
        }
        do {
            try MigrationManager.copy(source, to: copy, progress: report)
            return try copy.objectCount()
        } catch let error as StoreError { throw located(error) }
    }
}

extension DatabaseOpening {
    func knowing(_ package: ModelPackage) -> DatabaseOpening { self }

    func versionHashes(
        among versions: KnownVersions
    ) throws(StoreError) -> [String: [UInt8]]? {
        try PostgreSQLStore.versionHashes(url: url)
    }

    func misfit(with model: Model) -> String? { nil }

    func otherConfiguration(_ package: ModelPackage) -> String? { nil }

    /// A database has no files.
    func missingValues(_ version: KnownVersion) -> MissingValues { MissingValues() }

    func migrate(
        by plan: MigrationPlan, _ report: @escaping (MigrationProgress) -> Void
    ) throws {
        if PostgreSQLStore.isMigratedInPlace(by: plan) {
            try PostgreSQLStore.migrate(url: url, by: plan, progress: report)
            return
        }
        try PostgreSQLStore.replace(
            url: url, from: plan.source.model, to: plan.destination.model
        ) { old, makeEmpty in
            try plan.carryOut(on: old, report) { _, step in try makeEmpty(step.destination.model) }
        }
    }

    func checkMigration(
        by plan: MigrationPlan, _ report: @escaping (MigrationProgress) -> Void
    ) throws {
        if PostgreSQLStore.isMigratedInPlace(by: plan) {
            return try PostgreSQLStore.checkMigration(url: url, by: plan, progress: report)
        }
        try PostgreSQLStore.check(plan.source.model, plan.destination.model)
        let old = try PostgreSQLStore.open(url: url, model: plan.source.model, creates: false)
        defer { old.close() }
        // A store in a file refuses the same objects, and the database gets no other schema.
        let copy = try PrivateCopy(of: name)
        defer { copy.remove() }
        try copy.explaining(name) {
            try plan.carryOut(on: old, report) { index, step in
                try SQLiteStore.open(
                    path: "\(copy.file)\(index)", model: step.destination.model,
                    identifier: old.identifier)
            }?.close()
        }
    }

    // Only an SQLite store may be an app's.
    func valuesLeftOut(by plan: MigrationPlan) -> [String] { [] }

    func rowsLeftOut(by plan: MigrationPlan) -> [(table: String, count: Int)] { [] }

    // What a migration replaces in the database is not looked at.
    func partsLeftOut(by plan: MigrationPlan) -> [String] { [] }

    // The next migration removes what another one has left, and opening needs none of it.
    var hasMigrationRemains: Bool { false }

    func removeMigrationRemains() {}

    func isLostToApps(_ plan: MigrationPlan) -> Bool { false }
}
