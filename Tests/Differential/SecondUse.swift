/// A question asked again by way of its shape, with other constants.

import SteleModel
import StelePersistence
import StelePredicates

/// Asks the store in SQLite through a cache of predicates, and compares with what is made anew.
struct SecondUse {
    let pair: StorePair
    let first: Question
    let second: Question

    /// What came of it.
    enum Outcome {
        /// Whether the second question took what was made for the first.
        case agreed(reused: Bool)
        case differs(String)
    }

    init(_ question: Question, _ pair: StorePair, _ other: inout OtherLiterals) {
        self.pair = pair
        first = question
        var second = question
        second.condition = question.condition.map { other.changed($0) }
        self.second = second
    }

    func asked() -> Outcome {
        let before: FilledPredicate?
        switch compare(first) {
        case .failure(let difference): return .differs(difference.text)
        case .success(let filled): before = filled
        }
        switch compare(second) {
        case .failure(let difference): return .differs(difference.text)
        case .success(let filled):
            return .agreed(reused: before != nil && before?.prepared === filled?.prepared)
        }
    }

    private struct Difference: Error { let text: String }

    /// One question by way of the cache, and without it.
    private func compare(_ question: Question) -> Result<FilledPredicate?, Difference> {
        let plain = request(question, nil)
        let cached = request(question, pair.cache)
        switch (plain, cached) {
        case (.failure(let a), .failure(let b)):
            return "\(a)" == "\(b)"
                ? .success(nil) : difference(question, "refused as \(a) and as \(b)")
        case (.failure(let error), .success): return difference(question, "not refused: \(error)")
        case (.success, .failure(let error)): return difference(question, "refused: \(error)")
        case (.success(let plain), .success(let cached)):
            guard plain.predicate == cached.predicate else {
                return difference(
                    question, "understood as \(cached.predicate?.description ?? "nothing")")
            }
            let (memory, rows) = (Answer(pair.memory, plain), Answer(pair.rows, cached))
            if case .notBuilt = rows {
                return Answer(pair.rows, plain) == rows
                    ? .success(nil) : difference(question, "not built: \(rows)")
            }
            guard memory == rows else {
                return difference(question, "in memory \(memory)\n  in SQL \(rows)")
            }
            return .success(cached.filled)
        }
    }

    private func request(
        _ question: Question, _ cache: PredicateCache?
    ) -> Result<FetchRequest, any Error> {
        Result { try question.request(pair.model, cache) }
    }

    private func difference(
        _ question: Question, _ text: String
    ) -> Result<FilledPredicate?, Difference> {
        .failure(
            Difference(
                text: "by its shape, after\n    \(first.text)\n  asked\n    \(question.text)\n  "
                    + "\(text)"))
    }
}
