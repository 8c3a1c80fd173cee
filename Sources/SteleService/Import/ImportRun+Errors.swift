/// The errors of an import, with file and line.

import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

extension ImportPlan {
    /// Runs work for one record, and gives its errors the record's place.
    func placing<Result>(_ place: LinePlace, _ work: () throws -> Result) throws -> Result {
        do { return try work() } catch { throw placed(error, place) }
    }

    /// An error with the line that caused it. An error of the store itself is unchanged.
    func placed(_ error: any Error, _ place: LinePlace) -> any Error {
        let message: String
        switch error {
        case let error as ImportError:
            if error.file != nil { return error }
            message = error.message
        case let problem as Problem:
            message = problem.hint.map { "\(problem.detail) (\($0))" } ?? problem.detail
        case let error as JSONError: message = "not JSON: \(error.description)"
        case let error as ContextError: message = error.description
        default: return error
        }
        return ImportError(message, file: files[place.file].path, line: place.number)
    }
}

extension ImportRun {
    /// The error for objects that are not valid, with the line of the first.
    func refusal(_ errors: ValidationErrors, _ batch: Batch) -> any Error {
        let error = errors.errors.first
        let failure = ImportError(error?.detail ?? "an object is not valid")
        guard let error, let place = batch.place(root: error.entity.root, key: error.key) else {
            return failure
        }
        return plan.placed(failure, place)
    }

    /// The error for values that must be unique and that another object has, with their line.
    func duplicate(_ conflict: ConstraintConflict, _ batch: Batch) -> ImportError {
        let entity = plan.model.entities[conflict.entity]
        let named = zip(conflict.constraint, conflict.values).map {
            "\($0) \(ImportKey.shown($1))"
        }.joined(separator: ", ")
        let same = batch.lines.filter { line in
            zip(conflict.constraint, conflict.values).allSatisfy { name, value in
                line.values.contains { $0.attribute.name == name && $0.value == value }
            }
        }
        let again =
            same.count > 1
            ? "is also in line \(same[0].place.number)"
            : "is already in the store (--on-conflict update changes it, --on-conflict skip leaves "
                + "it)"
        let message = "\(entity.name.withArticle) with \(named) \(again)"
        guard let place = same.last?.place ?? batch.place(root: entity.root, key: conflict.key)
        else { return ImportError(message) }
        return ImportError(message, file: plan.files[place.file].path, line: place.number)
    }
}

extension ImportRun.Batch {
    /// The place of the line that an object was made of.
    fileprivate func place(root: Int, key: Int64) -> LinePlace? {
        let id = ObjectID(root: root, key: key)
        return zip(lines, objects).first { $0.1?.id == id }?.0.place
    }
}
