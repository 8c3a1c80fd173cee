/// What planning costs for each kind of node: the nodes that it looks at, and the times of reading,
/// checking, translating, and of the database's preparing. `Benchmarks planning`.

import Dispatch
import StelePersistence
import StelePredicates
import SteleModel
import SteleSQL
import SteleSQLite
import SteleSystem

/// Predicates of one kind of node, of as many nodes as are asked for.
private struct NodeKind {
    let name: String
    /// What is repeated.
    let part: String
    /// What is around a number of parts.
    let open: String
    let close: String
    /// The most parts in one of these.
    let most: Int

    init(_ name: String, _ part: String, in open: String, _ close: String, most: Int = 1_000) {
        (self.name, self.part, self.open, self.close, self.most) = (name, part, open, close, most)
    }

    /// A condition with so many parts.
    func text(_ count: Int) -> String {
        var left = count
        var conditions: [String] = []
        while left > 0 {
            let taken = min(left, most)
            let parts = Array(repeating: part, count: taken).joined(separator: ", ")
            conditions.append(open + parts + close)
            left -= taken
        }
        return conditions.joined(separator: " OR ")
    }

    static let nested = 10

    /// So many of a form within one another.
    static func deep(_ open: String, _ core: String, _ close: String) -> String {
        String(repeating: open, count: nested) + core + String(repeating: close, count: nested)
    }

    static let all = [
        NodeKind("comparison, OR", "age == 1", in: "", "", most: 1),
        NodeKind("NOT within NOT", deep("NOT ", "age == 1", ""), in: "", "", most: 1),
        NodeKind("literal in a list", "7", in: "age IN {", "}", most: .max),
        NodeKind("literal in another list", "7", in: "count({", "}) > 1", most: .max),
        NodeKind("key path", "age", in: "count({", "}) > 1"),
        NodeKind("key path across a to-one", "team.name", in: "count({", "}) > 1"),
        NodeKind("variable", "$V", in: "count({", "}) > 1"),
        NodeKind("arithmetic", "age + age * age - age", in: "count({", "}) > 1"),
        NodeKind(
            "arithmetic, a chain", Array(repeating: "age", count: 200).joined(separator: " + "),
            in: "count({", "}) > 1", most: 100),
        NodeKind("function", "abs(age)", in: "count({", "}) > 1"),
        NodeKind("function within function", deep("sqrt(", "age", ")"), in: "count({", "}) > 1"),
        NodeKind("CAST", "CAST(age, 'NSDecimalNumber')", in: "count({", "}) > 1"),
        NodeKind("UNION", "count({age} UNION {age, 2})", in: "count({", "}) > 1", most: 100),
        NodeKind("index", "{age, 2, 3}[0]", in: "count({", "}) > 1"),
        NodeKind("TERNARY", "TERNARY(age == 1, age, 2)", in: "count({", "}) > 1"),
        NodeKind(
            "TERNARY within TERNARY", deep("TERNARY(age == 1, 2, ", "age", ")"),
            in: "count({", "}) > 1", most: 100),
        NodeKind(
            "TERNARY in a condition", deep("TERNARY(", "age == 1", ", 1, 2) == 1"), in: "", "",
            most: 1),
        NodeKind(
            "SUBQUERY", "SUBQUERY(team.people, $x, $x.age == 1).@count > 1", in: "", "", most: 1),
        NodeKind(
            "SUBQUERY within SUBQUERY",
            String(repeating: "SUBQUERY(team.people, $x, ", count: 8) + "age == 1"
                + String(repeating: ").@count > 1", count: 8), in: "", "", most: 1),
        NodeKind("ANY", "ANY team.people.age == 1", in: "", "", most: 1),
        NodeKind(
            "ANY within ANY",
            String(repeating: "ANY SUBQUERY(team.people, $x, ", count: 8) + "age == 1"
                + String(repeating: ").age == 1", count: 8), in: "", "", most: 1),
    ]
}

enum PlanningCosts {
    private static let sizes = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000]

    private static func nodes(_ predicate: Predicate) -> Int {
        var count = 0
        predicate.visit { _ in count += 1 }
        return count
    }

    /// The least of three measurements, in microseconds.
    private static func time(_ body: () throws -> Void) rethrows -> Double {
        var least = UInt64.max
        for _ in 0..<3 {
            let start = MonotonicClock.now
            try body()
            least = min(least, MonotonicClock.now - start)
        }
        return Double(least) / 1_000
    }

    /// Measures on a thread such as plans requests: to know the bounds of the stack takes much longer
    /// on the first thread of a process.
    static func run(_ folder: String) throws {
        nonisolated(unsafe) var failure: (any Error)?
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            do { try measure(folder) } catch { failure = error }
            done.signal()
        }
        done.wait()
        if let failure { throw failure }
    }

    private static func measure(_ folder: String) throws {
        let model = try PeopleModel.model()
        let store = try SQLiteStore.open(path: folder + "/planning.sqlite", model: model)
        defer { store.close() }
        print("times in µs; nodes are expressions, and steps what planning looks at")
        print(
            "| kind | nodes | steps a node | SQL bytes | read | check | translate | run | ratio |"
        )
        print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
        for kind in NodeKind.all {
            let each =
                try nodes(Predicate(format: kind.text(2)))
                - nodes(
                    Predicate(format: kind.text(1)))
            var last: Double?
            for size in sizes {
                do {
                    let line = try measure(kind.text(max(size / max(each, 1), 1)), model, store)
                    let ratio = last.map { " \(rounded(line.time / $0)) |" } ?? " |"
                    print("| \(kind.name) | \(line.text) |" + ratio)
                    last = line.time
                } catch let error as PredicateError {
                    print("| \(kind.name) | \(size): \(error.message) |")
                    break
                } catch {
                    // SQLite's parser is at its limit, or the statement would be too long.
                    print("| \(kind.name) | \(size): \(error) |")
                    break
                }
            }
        }
    }

    private static func rounded(_ number: Double) -> Double { (number * 100).rounded() / 100 }

    private static func measure(
        _ text: String, _ model: Model, _ store: SQLiteStore
    ) throws -> (text: String, time: Double) {
        let entity = try model.named("Person")
        let translator = FetchTranslator(schema: SQLSchema(model: model))
        let check = PredicateCheck(model: model, entity: entity, variables: ["V": "1"])
        let read = try Predicate(format: text)
        var request = FetchRequest(entity: entity)
        let work = PlanningWork()
        var bytes = 0
        try work.run {
            request.predicate = try check.check(read)
            bytes = try translator.count(request).sql.string.utf8.count
        }
        request.isChecked = true
        let times = [
            try time { _ = try Predicate(format: text) }, try time { _ = try check.check(read) },
            try time { _ = try translator.count(request) },
        ]
        // Each reader has a connection, which has prepared nothing yet; the table is empty.
        let reader = try store.reader()
        let start = MonotonicClock.now
        _ = try reader.count(request)
        let prepared = Double(MonotonicClock.now - start) / 1_000 - times[2]
        reader.close()
        let count = nodes(read)
        let columns =
            ["\(count)", "\(rounded(Double(work.steps) / Double(count)))", "\(bytes)"]
            + (times + [max(prepared, 0)]).map { "\(Int($0))" }
        return (columns.joined(separator: " | "), times.reduce(0, +))
    }
}
