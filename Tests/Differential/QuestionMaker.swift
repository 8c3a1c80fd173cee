/// Random fetch requests: conditions with an order, and rows with columns, groups and conditions.

import SteleModel
import TestSupport

/// Makes questions over one model.
struct QuestionMaker {
    private let model: Model
    private var maker: PredicateMaker

    init(_ model: Model, seed: UInt64) {
        self.model = model
        maker = PredicateMaker(model, SeededNumbers(seed: seed))
    }

    mutating func question() -> Question {
        let entity = model.entities[maker.numbers.below(model.entities.count)]
        var question = Question(entity: entity.name)
        question.condition = maker.predicate(of: entity)
        maker.starts = [PredicateMaker.Start(prefix: "", entity: entity)]
        question.hasSubentities = !maker.numbers.one(in: 8)
        if maker.numbers.one(in: 6) {
            rows(&question)
        } else if maker.numbers.one(in: 3) {
            question.sort = (0...maker.numbers.below(2)).map { _ in key() }
        }
        if maker.numbers.one(in: 10) {
            question.limit = 1 + maker.numbers.below(5)
            question.offset = maker.numbers.below(3)
        }
        return question
    }

    /// A key to sort by.
    private mutating func key() -> String {
        let sign = maker.numbers.pick("", "-")
        switch maker.numbers.below(3) {
        case 0:
            return "\(sign)\(maker.text(1))\(maker.numbers.pick("", "[c]", "[cd]", "[cdl]", "[l]"))"
        case 1: return "\(sign)\(maker.number(1))"
        default: return "\(sign)\(maker.date(0))"
        }
    }

    private mutating func value(objects: Bool = false) -> String {
        switch maker.numbers.below(4) {
        case 0: maker.text(1)
        case 1: maker.date(0)
        case 2: objects ? maker.object().text : maker.number(0)
        default: maker.number(1)
        }
    }

    private mutating func rows(_ question: inout Question) {
        if maker.numbers.one(in: 2) {
            question.select = (0...maker.numbers.below(2)).map { "c\($0):\(value())" }
            question.isDistinct = maker.numbers.one(in: 2)
            if maker.numbers.one(in: 3) { question.sort = [maker.numbers.pick("c0", "-c0")] }
            return
        }
        question.groupBy = (0..<maker.numbers.below(3)).map { _ in value() }
        question.select =
            question.groupBy.enumerated().map { "g\($0):\($1)" }
            + (0...maker.numbers.below(2)).map { "a\($0):\(aggregate())" }
        if maker.numbers.one(in: 3) {
            question.having = "\(aggregate()) \(maker.order()) \(maker.number(0))"
            if !question.groupBy.isEmpty, maker.numbers.one(in: 3) {
                question.having? += " OR g0 != nil"
            }
        }
        if maker.numbers.one(in: 2) {
            question.sort = [
                maker.numbers.pick(
                    ["a0", "-a0", aggregate()] + (question.groupBy.isEmpty ? [] : ["g0"]), or: "a0")
            ]
        }
        question.isDistinct = maker.numbers.one(in: 6)
    }

    /// A key path, which `distinct` may stand before.
    private mutating func plain() -> String {
        let goals: [PredicateMaker.Goal] = [.text, .integer, .real, .date, .decimal]
        return maker.path(to: maker.numbers.pick(goals, or: .text)) ?? "_id"
    }

    private mutating func aggregate() -> String {
        switch maker.numbers.below(6) {
        case 0: return "count()"
        case 1: return "count(\(maker.numbers.pick("", "distinct "))\(plain()))"
        case 2: return "\(maker.numbers.pick("min", "max"))(\(maker.number(1)))"
        case 3: return "\(maker.numbers.pick("min", "max"))(\(maker.text(0)))"
        default:
            let name = maker.numbers.pick("sum", "average", "median", "stddev")
            return "\(name)(\(maker.path(to: name == "sum" ? .exact : .mean) ?? "_id"))"
        }
    }
}
