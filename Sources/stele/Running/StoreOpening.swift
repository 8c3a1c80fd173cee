/// Opening a store for a command.

import SteleModel
import StelePersistence
import SteleSQLite

extension SQLiteStore {
    /// The store at that path, made where there is none.
    /// - Throws: `Failure` whose sentence begins with the path.
    static func opened(_ path: String, _ model: Model) throws -> SQLiteStore {
        do {
            return try SQLiteStore.open(path: path, model: model)
        } catch {
            let sentence = Failure.sentence(error)
            throw Failure(sentence.contains(path) ? sentence : "\(path): \(sentence)")
        }
    }
}
