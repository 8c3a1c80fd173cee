/// From errors to statuses: the only table.

import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

/// An error in a body, with the places of the body's new objects by their keys.
package struct Placed<Cause: Sendable>: Error {
    package let cause: Cause
    package let places: [(key: Int64, path: [String])]

    package init(_ cause: Cause, places: [(key: Int64, path: [String])]) {
        self.cause = cause
        self.places = places
    }
}

/// What a client is told of an error.
package struct ErrorResponse {
    package let problem: Problem
    /// The text that only the log gets, under the id in the answer.
    package let secret: (id: String, text: String)?

    /// - Parameters:
    ///   - basePath: the prefix of objects' addresses.
    ///   - isEditing: whether the answer is of an editing context.
    package init(
        _ error: any Error, renderer: SnapshotRenderer, basePath: String = "",
        isEditing: Bool = false
    ) {
        let renderer = ErrorRenderer(
            renderer: renderer, basePath: basePath, isEditing: isEditing)
        if let problem = renderer.problem(of: error) {
            self.problem = problem
            secret = nil
            return
        }
        let id = String(UInt64.random(in: .min ... .max), radix: 16)
        problem = Problem(
            .internal, "internal error; the log has it under \(id)",
            members: [("id", .string(id))])
        secret = (id, String(describing: error))
    }
}

extension ErrorRenderer {
    /// The problem of an error; nil for one that only the log records.
    package func problem(of error: any Error) -> Problem? {
        switch error {
        case let problem as Problem: problem
        case let error as JSONError: problem(error)
        case let error as PredicateError: problem(error)
        case let errors as ValidationErrors: problem(errors)
        case let errors as Placed<ValidationErrors>: problem(errors.cause, places: errors.places)
        case let error as Placed<ConstraintConflict>: problem(error.cause, places: error.places)
        case let error as ValidationError: problem(ValidationErrors([error]))
        case let error as ContextError: problem(error)
        case let error as StoreError: problem(error)
        default: nil
        }
    }
}
