/// Where in a call's texts stands what a store finds wrong with them.

import StelePersistence
import StelePredicates

extension Call {
    /// What is thrown, with its place in the parameter that it stands in.
    package func locating<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch let error as StoreError {
            throw located(error) ?? error
        }
    }

    /// Nil for what is not the fault of a text.
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
