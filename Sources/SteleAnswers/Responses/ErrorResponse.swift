/// The only table from errors to statuses.

import Logging
import SteleGraph
import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

/// What validation finds in a body, with the places of the body's new objects by their keys.
package struct PlacedErrors: Error {
    package let errors: ValidationErrors
    package let places: [(key: Int64, path: [String])]

    package init(errors: ValidationErrors, places: [(key: Int64, path: [String])]) {
        self.errors = errors
        self.places = places
    }
}

/// Values that two objects have, with the places of the body's new objects by their keys.
package struct PlacedConflict: Error {
    package let conflict: ConstraintConflict
    package let places: [(key: Int64, path: [String])]

    package init(conflict: ConstraintConflict, places: [(key: Int64, path: [String])]) {
        self.conflict = conflict
        self.places = places
    }
}

/// What a client is told of an error, whatever threw it.
package struct ErrorResponse {
    package let problem: Problem
    /// What only the log is told, under the id that the answer names.
    package let secret: (id: String, text: String)?

    /// - Parameters:
    ///   - basePath: what addresses of objects begin with.
    ///   - isEditing: whether it is of an editing context.
    package init(
        _ error: any Error, renderer: SnapshotRenderer, basePath: String = "",
        isEditing: Bool = false
    ) {
        let renderer = ErrorRenderer(
            renderer: renderer, basePath: basePath, isEditing: isEditing)
        switch error {
        case let problem as Problem: self.init(problem)
        case let error as JSONError: self.init(renderer.problem(error))
        case let error as PredicateError: self.init(renderer.problem(error))
        case let error as ValidationErrors: self.init(renderer.problem(error))
        case let error as PlacedErrors:
            self.init(renderer.problem(error.errors, places: error.places))
        case let error as PlacedConflict:
            self.init(renderer.problem(error.conflict, places: error.places))
        case let error as ValidationError:
            self.init(renderer.problem(ValidationErrors([error])))
        case let error as ContextError: self.init(renderer.problem(error))
        case let error as StoreError:
            if let problem = renderer.problem(error) {
                self.init(problem)
            } else {
                self.init(unknown: error)
            }
        default: self.init(unknown: error)
        }
    }

    private init(_ problem: Problem) {
        self.problem = problem
        secret = nil
    }

    private init(unknown error: any Error) {
        let id = String(UInt64.random(in: .min ... .max), radix: 16)
        problem = Problem(
            .internal, "an error of the service; the log has it under \(id)",
            members: [("id", .string(id))])
        secret = (id, String(describing: error))
    }
}
