/// What reading, checking and translating a predicate costs, against reading one row by its key.

import StelePersistence
import StelePredicates
import SteleModel
import SteleSQL
import SteleSQLite

/// A predicate of ten terms.
enum PredicateCosts {
    static let text =
        "age > 30 AND age < 60 AND salary >= 25000.5 AND name BEGINSWITH \"A\" "
        + "AND email ENDSWITH \"example.com\" AND team != nil AND name != \"Bob\" "
        + "AND team.name LIKE \"Team *\" AND salary BETWEEN {20000, 90000} "
        + "AND NOT (age IN {41, 42, 43})"

    struct Missing: Error {}

    /// Goes on for a while, for a profiler to look at.
    static func spin() throws {
        let model = try PeopleModel.model()
        guard let person = model.entity(named: "Person") else { throw Missing() }
        let translator = FetchTranslator(schema: SQLSchema(model: model))
        let check = PredicateCheck(model: model, entity: person)
        for _ in 0..<50_000 {
            var request = FetchRequest(entity: person)
            request.predicate = try check.check(Predicate(format: text))
            _ = try translator.snapshots(request)
        }
    }

    static func run(_ store: SQLiteStore, _ raw: RawSQL) throws {
        guard let person = store.model.entity(named: "Person") else { throw Missing() }
        let translator = FetchTranslator(schema: SQLSchema(model: store.model))
        let check = PredicateCheck(model: store.model, entity: person)
        let parsed = try Predicate(format: text)
        let checked = try check.check(parsed)
        var key = Int64(0)
        /// Two gets: a prepared statement, and all columns read.
        func twoGets() {
            for _ in 0..<2 {
                key = key * 37 % 99_991 + 1
                _ = raw.read("SELECT * FROM ZPERSON WHERE Z_PK = ?1", key: key)
            }
        }
        print("a predicate of ten terms, over two gets")
        try Comparison.print("  all of its first use") {
            var request = FetchRequest(entity: person)
            request.predicate = try check.check(Predicate(format: text))
            _ = try translator.snapshots(request)
        } with: {
            twoGets()
        }
        try Comparison.print("  parsing") {
            _ = try Predicate(format: text)
        } with: {
            twoGets()
        }
        try Comparison.print("  checking") {
            _ = try check.check(parsed)
        } with: {
            twoGets()
        }
        try Comparison.print("  translating") {
            var request = FetchRequest(entity: person)
            request.predicate = checked
            _ = try translator.snapshots(request)
        } with: {
            twoGets()
        }
    }
}
