import StelePostgreSQL

extension Ground {
    /// Opens the store in a database of PostgreSQL.
    /// - Throws: `Failure` for a setting that is for files, and for a store that cannot be opened.
    static func database(
        _ database: DatabaseOpening, _ package: ModelPackage, _ settings: Settings
    ) throws -> Ground {
        let others = [
            ("read-only", settings.readOnly), ("store-type", settings.storeType != nil),
            ("history", settings.history != .auto), ("backups", settings.backups != nil),
        ]
        if let (name, _) = others.first(where: \.1) {
            throw Failure("\(name) is for stores in files, and the store is \(database.name)")
        }
        let store = try database.read(from: settings.replica).open(
            package, settings.migrate ? .migrate : .offer)
        var ground = Ground(store: store, name: database.name, modelName: package.name)
        ground.versions = try package.modelVersions()
        if (store as? PostgreSQLStore)?.isNew == true { ground.newness = ", new" }
        return ground
    }
}
