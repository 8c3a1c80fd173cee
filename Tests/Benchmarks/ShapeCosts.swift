/// What a predicate costs at first, and what the next one of its shape costs.

import Foundation
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQL

/// `Benchmarks shapes`: reading, checking and translating a predicate of ten terms, at first and
/// with other constants, against the get of a server written by hand.
enum ShapeCosts {
    private static let rounds = 15
    private static let batch = 400

    static func run(_ folder: String) throws {
        let model = try PeopleModel.model()
        guard let person = model.entity(named: "Person") else { throw PredicateCosts.Missing() }
        let check = PredicateCheck(model: model, entity: person)
        let floor = try FloorServer(folder)
        defer { floor.stop() }
        let schema = SQLSchema(model: model)
        let texts = (0..<batch).map(text)
        let shapes = (0..<batch).map { spaced(text($0), $0) }
        let known = FetchTranslator(schema: schema)
        let cache = PredicateCache()
        var (gets, plains, firsts, seconds) = ([Double](), [Double](), [Double](), [Double]())
        var sink = 0
        for _ in 0..<rounds {
            gets.append(try floor.microsecondsOfAGet())
            plains.append(
                try perUse {
                    for text in texts {
                        var request = FetchRequest(entity: person)
                        request.predicate = try check.check(Predicate(format: text))
                        sink += try known.snapshots(request).bindings.count
                    }
                })
            let (newCache, new) = (PredicateCache(), FetchTranslator(schema: schema))
            firsts.append(
                try perUse {
                    for text in shapes {
                        var request = FetchRequest(entity: person)
                        try newCache.set(text, on: &request, by: check)
                        sink += try new.snapshots(request).bindings.count
                    }
                })
            seconds.append(
                try perUse {
                    for text in texts {
                        var request = FetchRequest(entity: person)
                        try cache.set(text, on: &request, by: check)
                        sink += try known.snapshots(request).bindings.count
                    }
                })
        }
        precondition(sink > 0, "all were made")
        print("a predicate of ten terms, read, checked and translated; \(rounds) rounds in turn")
        print(
            "  the floor's get, by wrk:              \(floor.isThere ? middle(gets) : "no floor.c")"
        )
        print("  without a cache:                      \(middle(plains))")
        print("  first use, and kept:                  \(middle(firsts))")
        print("  second use, with other constants:     \(middle(seconds))")
        if floor.isThere {
            print("  without a cache, over two gets:       \(ratio(plains, gets, 2))")
            print("  first use, and kept, over two gets:   \(ratio(firsts, gets, 2))")
            print("  second use, over a fifth of a get:    \(ratio(seconds, gets, 0.2))")
        }
    }

    /// First or second uses for a while, for a profiler to look at.
    static func spin(_ isFirst: Bool) throws {
        let model = try PeopleModel.model()
        guard let person = model.entity(named: "Person") else { throw PredicateCosts.Missing() }
        let check = PredicateCheck(model: model, entity: person)
        let texts = (0..<batch).map { isFirst ? spaced(text($0), $0) : text($0) }
        var cache = PredicateCache()
        var translator = FetchTranslator(schema: SQLSchema(model: model))
        for _ in 0..<(isFirst ? 100 : 1_000) {
            if isFirst {
                cache = PredicateCache()
                translator = FetchTranslator(schema: translator.schema)
            }
            for text in texts {
                var request = FetchRequest(entity: person)
                try cache.set(text, on: &request, by: check)
                _ = try translator.snapshots(request)
            }
        }
    }

    /// `PredicateCosts.text` with other constants.
    private static func text(_ index: Int) -> String {
        "age > \(20 + index % 40) AND age < \(61 + index % 30) AND salary >= \(index * 7).5 "
            + "AND name BEGINSWITH \"A\(index)\" AND email ENDSWITH \"\(index)@example.com\" "
            + "AND team != nil AND name != \"Bob \(index)\" AND team.name LIKE \"Team \(index)*\" "
            + "AND salary BETWEEN {\(index), \(90_000 + index)} "
            + "AND NOT (age IN {\(index), \(index + 1), \(index + 2)})"
    }

    /// The same in a shape of its own: where a space stands and where two.
    private static func spaced(_ text: String, _ number: Int) -> String {
        var place = 0
        return text.map { character -> String in
            guard character == " ", place < 9 else { return String(character) }
            place += 1
            return number >> (place - 1) & 1 == 1 ? "  " : " "
        }.joined()
    }

    private static func perUse(_ work: () throws -> Void) rethrows -> Double {
        try ContinuousClock().measure(work) / .microseconds(1) / Double(batch)
    }

    /// The middle one, and the least, which other programs disturbed least.
    private static func middle(_ times: [Double]) -> String {
        let all = times.sorted()
        return String(format: "%6.2f us   (%.2f at best)", all[all.count / 2], all[0])
    }

    /// The middle of the rounds' ratios, and their range.
    private static func ratio(_ times: [Double], _ gets: [Double], _ share: Double) -> String {
        let all = zip(times, gets).map { $0 / ($1 * share) }.sorted()
        return String(
            format: "%.2f   (%.2f to %.2f)", all[all.count / 2], all[0], all[all.count - 1])
    }
}
