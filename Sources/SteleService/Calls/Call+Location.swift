/// Where in a call's texts stands what a store finds wrong with them.

import StelePersistence
import StelePredicates

extension Call {
    /// What is thrown, with its place in `where`, else in `having`.
    func locating<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch let error as StoreError {
            throw located(error) ?? error
        }
    }

    /// Nil for what is not the fault of a text.
    private func located(_ error: StoreError) -> PredicateError? {
        let mistake: PredicateError
        switch error {
        case .predicate(let error): mistake = error
        case .tooLarge(let what):
            mistake = .tooDeep(
                "the expression is larger than what the store takes: \(what)",
                hint: "nest it less deeply, or ask in several requests")
        default: return nil
        }
        for parameter in [Parameter.where, .having] {
            guard let text = query[parameter], !text.isEmpty else { continue }
            return ListCall.located(mistake, in: text, parameter)
        }
        return nil
    }
}
