import StelePersistence
import StelePostgreSQL

extension Ground {
    /// Opens the store in a database of PostgreSQL.
    /// - Throws: `Failure` for a setting that is for files, and for a store that cannot be opened.
    static func database(
        _ url: String, _ package: ModelPackage, _ settings: Settings
    ) throws -> Ground {
        let place = ConnectionURL.place(of: url)
        let others = [
            ("read-only", settings.readOnly), ("store-type", settings.storeType != nil),
            ("migrate", settings.migrate), ("backups", settings.backups != nil),
        ]
        if let (name, _) = others.first(where: \.1) {
            throw Failure("\(name) is for stores in files, and the store is \(place)")
        }
        do throws(StoreError) {
            let store = try PostgreSQLStore.open(url: url, model: package.model)
            var ground = Ground(store: store, name: place, modelName: package.name)
            if store.isNew { ground.newness = ", new" }
            return ground
        } catch {
            let sentence = Failure.sentence(error)
            throw Failure(sentence.contains(place) ? sentence : "\(place): \(sentence)")
        }
    }
}
