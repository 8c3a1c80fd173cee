/// Fetches against SQL written by hand, on the same file and in turn.

import StelePersistence
import StelePredicates
import SteleModel
import SteleSQL
import SteleSQLite

/// One fetch, and SQL that finds the same.
struct FetchPair {
    var entity = "Team"
    /// What is asked, as a query string would.
    var asked: String
    var select: [String] = []
    var groupBy: [String] = []
    var having: String?
    /// The SQL that is given, and others that are known to be good.
    var sql: [String]

    private static let row =
        "t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZTEAM, t0.ZHIREDAT, t0.ZSALARY, t0.ZEMAIL, "
        + "t0.ZNAME"
    private static let rich = "SELECT ZTEAM FROM ZPERSON WHERE ZAGE > 60 AND ZSALARY > 100000"
    private static let old = "SELECT ZTEAM FROM ZPERSON WHERE ZAGE > 95"

    static let all: [FetchPair] = [
        FetchPair(
            asked: "ANY people.age > 95", sql: ["SELECT * FROM ZTEAM WHERE Z_PK IN (\(old))"]),
        FetchPair(
            asked: "SUBQUERY(people, $p, $p.age > 60 AND $p.salary > 100000).@count > 5",
            sql: [
                "SELECT * FROM ZTEAM WHERE Z_PK IN (\(rich) GROUP BY ZTEAM HAVING COUNT(*) > 5)",
                "SELECT * FROM ZTEAM WHERE Z_PK IN (\(rich) GROUP BY +ZTEAM HAVING COUNT(*) > 5)",
                "SELECT * FROM ZTEAM t WHERE EXISTS (SELECT 1 FROM ZPERSON WHERE ZTEAM = t.Z_PK "
                    + "AND ZAGE > 60 AND ZSALARY > 100000 LIMIT 1 OFFSET 5)",
            ]),
        FetchPair(
            asked: "NONE people.age > 95",
            sql: ["SELECT * FROM ZTEAM WHERE Z_PK NOT IN (\(old) AND ZTEAM IS NOT NULL)"]),
        FetchPair(
            entity: "Person", asked: "team.name == \"Team 7\"",
            sql: [
                "SELECT \(row) FROM ZPERSON t0 JOIN ZTEAM t1 ON t1.Z_PK = t0.ZTEAM "
                    + "WHERE t1.ZNAME = 'Team 7'"
            ]),
        FetchPair(
            entity: "Person", asked: "name BEGINSWITH \"Ab\"",
            sql: ["SELECT \(row) FROM ZPERSON t0 WHERE ZNAME >= 'Ab' AND ZNAME < 'Ac'"]),
        FetchPair(
            entity: "Person", asked: "TRUEPREDICATE",
            select: ["team.name", "count()", "average(salary)"], groupBy: ["team.name"],
            having: "count() > 400",
            sql: [
                "SELECT t1.ZNAME, COUNT(*), AVG(t0.ZSALARY) FROM ZPERSON t0 LEFT JOIN ZTEAM t1 "
                    + "ON t1.Z_PK = t0.ZTEAM GROUP BY t1.ZNAME HAVING COUNT(*) > 400",
                "SELECT t1.ZNAME, SUM(c), SUM(s) / SUM(n) FROM (SELECT ZTEAM k, COUNT(*) c, "
                    + "COUNT(ZSALARY) n, SUM(ZSALARY) s FROM ZPERSON GROUP BY ZTEAM) LEFT JOIN "
                    + "ZTEAM t1 ON t1.Z_PK = k GROUP BY t1.ZNAME HAVING SUM(c) > 400",
            ]),
    ]

    struct Unknown: Error { let name: String }

    func request(_ model: Model) throws -> FetchRequest {
        guard let entity = model.entity(named: entity) else { throw Unknown(name: entity) }
        var request = FetchRequest(entity: entity)
        var check = PredicateCheck(model: model, entity: entity)
        request.predicate = try check.check(Predicate(format: asked))
        check.allowsRowAggregates = true
        request.propertiesToFetch = try select.map {
            ExpressionDescription(name: $0, expression: try check.check(Expression(format: $0)).0)
        }
        request.propertiesToGroupBy = try groupBy.map { try check.check(Expression(format: $0)).0 }
        request.havingPredicate = try having.map { try check.check(Predicate(format: $0)) }
        return request
    }
}

/// The fetches, run.
enum FetchBenchmark {
    /// - Parameter part: what is in the predicates of those that are run; all are for nil.
    static func run(_ folder: String, _ part: String? = nil) throws {
        let path = folder + "/people.sqlite"
        try PeopleModel.makeStore(path)
        let store = try SQLiteStore.open(path: path, model: PeopleModel.model())
        defer { store.close() }
        let reader = try store.reader()
        defer { reader.close() }
        let raw = RawSQL(path)
        let translator = FetchTranslator(schema: SQLSchema(model: store.model))
        for pair in FetchPair.all where part.map(pair.asked.contains) ?? true {
            let request = try pair.request(store.model)
            let isRows = !request.propertiesToFetch.isEmpty
            var count = 0
            for (index, sql) in pair.sql.enumerated() {
                let name = index == 0 ? pair.asked + (pair.having ?? "") : "  against other SQL"
                try Comparison.print(name) {
                    count =
                        isRows
                        ? try reader.fetchRows(request).count : try reader.fetch(request).count
                } with: {
                    let other = raw.read(sql)
                    precondition(other == count, "\(count) rows against \(other): \(sql)")
                }
            }
            let ours = isRows ? try translator.rows(request) : try translator.snapshots(request)
            print("  \(ours.sql.string)")
            print("  \(raw.plan(ours.sql.string))")
        }
        if part != nil { return }
        try heavy(store, reader)
        try PredicateCosts.run(store, raw)
    }
}

extension FetchBenchmark {
    /// Conditions that go through all people for each of the people, unless it is done well:
    /// against one pass over all of them.
    private static func heavy(_ store: SQLiteStore, _ reader: any StoreReader) throws {
        guard let person = store.model.entity(named: "Person") else { return }
        let check = PredicateCheck(model: store.model, entity: person)
        func request(_ text: String) throws -> FetchRequest {
            var request = FetchRequest(entity: person)
            request.predicate = try check.check(Predicate(format: text))
            return request
        }
        let pass = try request("salary > 100000")
        let list = (0..<10_000).map { "\($0 * 7).5" }.joined(separator: ", ")
        let names = (0..<10_000).map { "'Aaa Person \($0)'" }.joined(separator: ", ")
        print("counts, over one pass through all people")
        for text in [
            "team.people.@count > 400", "team.people.@avg.salary > salary",
            "ANY team.people.salary > salary * 2", "ALL team.people.age <= age",
            "age IN team.people.age", "SUBQUERY(team.people, $p, $p.age > 90).@count > 50",
            "NONE team.people.name == \"x\"", "salary IN {\(list)}", "name IN {\(names)}",
        ] {
            let heavy = try request(text)
            try Comparison.print("  " + text.prefix(60), rounds: 3) {
                _ = try reader.count(heavy)
            } with: {
                _ = try reader.count(pass)
            }
        }
    }
}

/// Two things measured in turn.
enum Comparison {
    /// Prints the middle of the ratios of several rounds, each of enough runs to be measured.
    static func print(
        _ name: String, rounds: Int = 9, _ ours: () throws -> Void, with theirs: () throws -> Void
    ) throws {
        let clock = ContinuousClock()
        var runs = 1
        try ours()
        try theirs()
        while try clock.measure({ for _ in 0..<runs { try theirs() } }) < .milliseconds(20) {
            runs *= 2
        }
        var ratios: [Double] = []
        var times: [Double] = []
        for round in 0..<rounds {
            var (a, b) = (Duration.zero, Duration.zero)
            if round % 2 == 0 { a = try clock.measure { for _ in 0..<runs { try ours() } } }
            b = try clock.measure { for _ in 0..<runs { try theirs() } }
            if round % 2 == 1 { a = try clock.measure { for _ in 0..<runs { try ours() } } }
            ratios.append(a / b)
            times.append(a / .microseconds(1) / Double(runs))
        }
        ratios.sort()
        times.sort()
        func short(_ it: Double) -> Double { (it * 100).rounded() / 100 }
        Swift.print(
            "\(name): \(short(ratios[rounds / 2]))   (\(short(ratios[0])) to "
                + "\(short(ratios[rounds - 1])); ours \(short(times[rounds / 2])) us)")
    }
}
