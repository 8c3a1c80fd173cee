/// Opening a store for a command.

import Glibc
import SteleModel
import StelePersistence
import SteleSQLite

extension SQLiteStore {
    /// Opens the store at that path; creates it where there is none.
    /// - Throws: `Failure` whose sentence has the path.
    static func opened(_ path: String, _ model: Model) throws -> SQLiteStore {
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            let folder = String(path[..<slash])
            var found = stat()
            guard stat(folder, &found) == 0 else {
                throw Failure("\(path): the folder \(folder) does not exist")
            }
        }
        do {
            return try SQLiteStore.open(path: path, model: model)
        } catch {
            let sentence = Failure.sentence(error)
            throw Failure(sentence.contains(path) ? sentence : "\(path): \(sentence)")
        }
    }
}
