/// Models in files of every kind, stores among them.

import Stele
import SteleFiles
import SteleModel
import SteleModelFiles
import SteleSQLite

extension ModelFile {
    /// Reads the model that a command was given: a model file, or a store of Core Data with its
    /// model in the model cache. It is the one place where commands read models.
    /// - Throws: `Failure` whose sentence has the path.
    static func given(_ path: String) throws -> ModelFile {
        if let database = DatabaseOpening(path) {
            throw Failure(
                "\(database.name) is a database of PostgreSQL, and no model: stele model from makes "
                    + "one of its tables")
        }
        do throws(ModelErrors) {
            if StoreType.isSQLite(file: path) { return try SQLiteStore.modelFile(path: path) }
            if ModelPath(path).kind == .file, let format = try? FileFormats.format(ofFile: path) {
                return try AtomicStore.modelFile(path: path, format: format)
            }
            return try ModelFile.read(path)
        } catch {
            let text = error.description
            throw Failure(text.contains(path) ? text : "\(path): \(text)")
        }
    }
}
