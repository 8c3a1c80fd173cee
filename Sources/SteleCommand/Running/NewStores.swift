import Glibc
import SteleFiles
import StelePersistence
import SteleSQLite

/// The files that a command creates by opening its stores.
struct NewStores {
    private let paths: [String]

    /// - Parameter opening: whose stores are not open yet.
    init(_ opening: StoresOpening) {
        // An empty file that was there before stays.
        paths = opening.newPaths.filter { access($0, F_OK) != 0 }
    }

    /// Removes those to which nothing was saved, and closes them. Tables in a database stay.
    func discard(_ store: any PersistentStore) {
        for member in (store as? StoreGroup)?.stores ?? [store] {
            switch member {
            case let store as SQLiteStore where paths.contains(store.path): store.discardIfUnused()
            case let store as AtomicStore where paths.contains(store.path): store.discardIfUnused()
            default: break
            }
        }
    }
}
