/// The place of errors that a store finds in the texts of a call.

import StelePersistence
import StelePredicates

extension Call {
    /// Runs `body`. An error in a text of the call is thrown with its parameter and place.
    package func locating<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch let error as StoreError {
            throw located(error) ?? error
        }
    }

    /// The error with its place; nil if it is not in a text.
    private func located(_ error: StoreError) -> PredicateError? {
        guard let mistake = error.mistake else { return nil }
        let given = [Parameter.where, .having, .select, .sort, .groupBy].compactMap { parameter in
            query[parameter].map { Excerpt($0, of: parameter) }
        }
        guard let first = given.first else { return nil }
        if mistake.isOfDepth {
            let deepest = given.max {
                PredicateError.nesting(in: $0.text) < PredicateError.nesting(in: $1.text)
            }
            return (deepest ?? first).located(mistake)
        }
        return (given.first { mistake.found(in: $0.text) != nil } ?? first).located(mistake)
    }
}
