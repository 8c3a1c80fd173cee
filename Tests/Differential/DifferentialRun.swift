/// Many random questions asked of both stores.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport

/// One run: rounds, each with a model, objects and questions of its own, all from one seed.
public struct DifferentialRun: Sendable {
    /// What came of it.
    public struct Report: Sendable {
        /// Questions that both stores answered.
        public var compared = 0
        /// Those among them that some objects answer and some do not.
        public var telling = 0
        /// Questions that the check refuses, by both stores' word.
        public var refused = 0
        /// What a store cannot yet, and how often it was asked for.
        public var notBuilt: [String: Int] = [:]
        public var mismatches: [Mismatch] = []
        /// What the check says of questions that it refuses, and how often.
        public var refusals: [String: Int] = [:]

        public init() {}

        /// Both together.
        public mutating func add(_ other: Report) {
            compared += other.compared
            telling += other.telling
            refused += other.refused
            notBuilt.merge(other.notBuilt) { $0 + $1 }
            refusals.merge(other.refusals) { $0 + $1 }
            mismatches += other.mismatches
        }
    }

    public let seed: UInt64
    /// Questions a round.
    public let questions: Int
    /// The most objects an entity.
    public let size: Int
    /// The most mismatches that are made smaller and kept; further ones end the round.
    public let most: Int

    /// The store that is compared with the one in memory.
    let kind: StoreKind

    public init(seed: UInt64, questions: Int = 500, size: Int = 14, most: Int = 1) {
        self.init(seed: seed, questions: questions, size: size, most: most, kind: .sqlite)
    }

    package init(
        seed: UInt64, questions: Int = 500, size: Int = 14, most: Int = 1, kind: StoreKind
    ) {
        self.kind = kind
        self.seed = seed
        self.questions = questions
        self.size = size
        self.most = most
    }

    /// A round's own seed; the first round's is the run's. Other runs' rounds have others, also
    /// where their seeds are neighbours.
    public func seed(of round: Int) -> UInt64 {
        if round == 0 { return seed }
        var run = SeededNumbers(seed: seed)
        var numbers = SeededNumbers(seed: run.next() &+ UInt64(truncatingIfNeeded: round))
        return numbers.next() >> 16
    }

    /// Makes one round's model and objects and asks its questions.
    public func round(_ round: Int) throws -> Report {
        let seed = seed(of: round)
        let model = try SampleModel.make(seed: seed)
        var numbers = SeededNumbers(seed: seed &+ 1)
        let sample = Sample(model, size: size, &numbers)
        let pair = try StorePair(sample, kind)
        var maker = QuestionMaker(model, seed: seed &+ 2)
        var report = Report()
        for _ in 0..<questions {
            let question = maker.question()
            let again = "make differential SEED=\(seed) COUNT=\(questions)"
            if try ask(question, pair, sample, &report) {
                var shrinker = Shrinker(sample, question, pair)
                report.mismatches.append(shrinker.shrunk(again: again))
            }
            if report.mismatches.count >= most { break }
        }
        return report
    }

    /// Whether both stores say different things.
    private func ask(
        _ question: Question, _ pair: StorePair, _ sample: Sample, _ report: inout Report
    ) throws -> Bool {
        let request: FetchRequest
        do {
            request = try question.request(pair.model)
        } catch let error as PredicateError {
            report.refused += 1
            report.refusals[String(error.message.prefix(60)), default: 0] += 1
            return false
        }
        let rows = Answer(pair.rows, request)
        if case .notBuilt(let what) = rows {
            report.notBuilt[what, default: 0] += 1
            return false
        }
        let memory = Answer(pair.memory, request)
        if memory != rows { return true }
        report.compared += 1
        switch memory {
        case .keys(let keys) where !keys.isEmpty && keys.count < sample.objects.count / 4:
            report.telling += 1
        case .rows(let rows) where !rows.isEmpty: report.telling += 1
        default: break
        }
        guard report.compared % 16 == 0 else { return false }
        return Answer(pair.memory, request, isCounted: true)
            != Answer(pair.rows, request, isCounted: true)
    }
}
