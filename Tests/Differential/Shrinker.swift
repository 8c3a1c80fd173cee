/// From a failure to the smallest one like it: a smaller question, then fewer objects.

import SteleModel
import StelePredicates
import SteleSQL

/// A question that two stores answer differently.
public struct Mismatch: Sendable, CustomStringConvertible {
    public let description: String
}

/// Makes one failure smaller, step by step, as long as it stays one.
struct Shrinker {
    private var sample: Sample
    private var question: Question
    private var pair: StorePair
    private var attempts = 0

    init(_ sample: Sample, _ question: Question, _ pair: StorePair) {
        self.sample = sample
        self.question = question
        self.pair = pair
    }

    /// - Parameter again: how to run just this one again.
    mutating func shrunk(again: String) -> Mismatch {
        shrinkQuestion()
        shrinkObjects()
        shrinkLinks()
        shrinkValues()
        shrinkQuestion()
        let request = try? question.request(sample.model)
        let memory = request.map { "\(Answer(pair.memory, $0))".prefix(400) } ?? ""
        let rows = request.map { "\(Answer(pair.rows, $0))".prefix(400) } ?? ""
        return Mismatch(
            description: "\(question.text.plain)\n  in memory \(memory)\n  in SQL    \(rows)\n"
                + "\(sample.dump)\n  \(sql)\n  again: \(again)")
    }

    /// The conditions as the store is asked for them.
    private var sql: String {
        let schema = SQLSchema(model: sample.model)
        let long = sample.model.entities.flatMap { entity in
            entity.properties.map { "\(entity.name).\($0.name)" }.filter { $0.contains("wild") }
        }
        let translator = FetchTranslator(schema: schema, longDecimals: Set(long))
        guard let request = try? question.request(sample.model),
            let statement = try? request.propertiesToFetch.isEmpty
                ? translator.snapshots(request) : translator.rows(request)
        else { return "" }
        return "\(statement.sql.string) with \(statement.bindings)".plain
    }

    /// Whether both stores say different things of it.
    static func fails(_ question: Question, _ pair: StorePair) -> Bool {
        guard let request = try? question.request(pair.model) else { return false }
        let rows = Answer(pair.rows, request)
        if case .notBuilt = rows { return false }
        if Answer(pair.memory, request) != rows { return true }
        return Answer(pair.memory, request, isCounted: true)
            != Answer(pair.rows, request, isCounted: true)
    }

    private mutating func shrinkQuestion() {
        search: while attempts < 3_000 {
            for smaller in question.smaller {
                attempts += 1
                if Self.fails(smaller, pair) {
                    question = smaller
                    continue search
                }
            }
            return
        }
    }

    private mutating func take(_ smaller: Sample) -> Bool {
        attempts += 1
        guard attempts < 4_000, let next = try? pair.with(smaller),
            Self.fails(question, next)
        else { return false }
        (sample, pair) = (smaller, next)
        return true
    }

    private mutating func shrinkObjects() {
        var size = max(1, sample.objects.count / 2)
        while true {
            var start = 0
            while start < sample.objects.count {
                let end = min(start + size, sample.objects.count)
                if !take(sample.without(start..<end)) { start = end }
            }
            if size == 1 { return }
            size /= 2
        }
    }

    private mutating func shrinkLinks() {
        for index in sample.links.indices.reversed() {
            var smaller = sample
            smaller.links.remove(at: index)
            if take(smaller) { continue }
            for place in sample.links[index].members.indices.reversed()
            where sample.links[index].members.count > 1 {
                var smaller = sample
                smaller.links[index].members.remove(at: place)
                _ = take(smaller)
            }
        }
    }

    private mutating func shrinkValues() {
        for index in sample.objects.indices {
            var smaller = sample
            let entity = sample.model.entities[sample.objects[index].entity]
            for (slot, property) in entity.slots.enumerated() {
                guard case .attribute(let it) = property, it.isOptional,
                    !sample.objects[index].values[slot].isNull
                else { continue }
                smaller = sample
                smaller.objects[index].values[slot] = .null
                _ = take(smaller)
            }
        }
    }
}
