import StelePredicates

/// An error of an evaluation in which a rule may have failed. It may have words of the rule, and
/// texts of objects that the rule reads and its reader does not see, so only the log has it.
package struct RuleFailure: Error, CustomStringConvertible {
    private let cause: any Error

    /// - Returns: nil for an error that no evaluation ends with, and for one that is found before
    ///   anything is evaluated, which has the words of the request.
    package init?(_ error: any Error) {
        switch error {
        case let error as PredicateError where !error.isOfDepth: break
        case StoreError.predicate(let error) where !error.isOfDepth: break
        case StoreError.invalid: break
        default: return nil
        }
        cause = error
    }

    package var description: String { "a rule of the role, or the request itself: \(cause)" }
}

extension Sight {
    /// The error of a request as its answer shows it: a `RuleFailure` where a rule may have failed.
    package func told(_ error: any Error) -> any Error {
        mayFail ? RuleFailure(error) ?? error : error
    }
}
