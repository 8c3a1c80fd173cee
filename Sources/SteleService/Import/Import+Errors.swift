/// The errors of an import, with file and line.

import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

extension Import {
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
        return ImportError(message, file: plan.files[place.file].path, line: place.number)
    }

    func unresolved(
        _ relationship: Relationship, _ name: Value, _ place: LinePlace
    ) -> ImportError {
        let destination = plan.model.destination(of: relationship)
        let attribute = plan.key(of: destination)?.name ?? "_id"
        return ImportError(
            "\(relationship.name) names a \(destination.name) whose \(attribute) is "
                + "\(KeyDirectory.shown(name)), which does not exist (import all files that name "
                + "one another with one command; to start over, use a new store)",
            file: plan.files[place.file].path, line: place.number)
    }

    /// The error for values that must be unique and that another object has, with their line.
    func duplicate(_ conflict: ConstraintConflict, _ lines: [ImportLine]) -> ImportError {
        let entity =
            plan.model.entities.indices.contains(conflict.entity)
            ? plan.model.entities[conflict.entity].name : "object"
        let named = zip(conflict.constraint, conflict.values).map {
            "\($0) \(KeyDirectory.shown($1))"
        }.joined(separator: ", ")
        let same = lines.filter { line in
            zip(conflict.constraint, conflict.values).allSatisfy { name, value in
                line.values.contains { $0.attribute.name == name && $0.value == value }
            }
        }
        let again =
            same.count > 1
            ? "is also in line \(same[0].place.number)" : "is already in the store"
        let message = "a \(entity) with \(named) \(again)"
        guard let place = same.last?.place else { return ImportError(message) }
        return ImportError(message, file: plan.files[place.file].path, line: place.number)
    }
}
