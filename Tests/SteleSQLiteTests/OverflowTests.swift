/// Sums and means that leave the range of their type are null in every store.

import FoundationEssentials
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@Suite struct OverflowTests {
    private func model() throws -> Model {
        try makeModel([
            EntityMaker("Team").attribute("name", .string)
                .toMany("players", "Player", inverse: "team"),
            EntityMaker("Player").attribute("pay", .double).attribute("less", .double)
                .attribute("fixed", .double) { $0.isOptional = false }
                .attribute("share", .float).attribute("price", .decimal)
                .attribute("age", .integer16).attribute("large", .integer64)
                .toOne("team", "Team", inverse: "players"),
        ])
    }

    /// The greatest Decimals: a sum of two of them is none.
    private static let greatest = "99999999999999999999999999999999999999e127"

    /// Fills a store. Numbers have one sign in each column, so that the order in which they are
    /// added does not decide whether the sum overflows.
    private func fill(_ store: any PersistentStore, seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let context = ManagedObjectContext(PersistentStoreCoordinator(store: store))
        defer { context.close() }
        let model = store.model
        let teams = try (0..<4).map { index in
            let team = try context.insert(#require(model.entity(named: "Team")))
            team["name"] = .string(["red", "red", "blue", "green"][index])
            return team
        }
        let price = try #require(Decimal(string: Self.greatest))
        for _ in 0..<(2 + numbers.below(9)) {
            let player = try context.insert(#require(model.entity(named: "Player")))
            player["pay"] = numbers.pick(
                [.double(1e308), .double(2), .double(0), .null], or: .null)
            player["less"] = numbers.pick([.double(-1.7e308), .double(-1), .null], or: .null)
            player["share"] = numbers.pick([.double(2), .double(0.5)], or: .null)
            player["price"] = numbers.pick([.decimal(price), .decimal(3), .null], or: .null)
            player["fixed"] = .double(numbers.one(in: 2) ? 1e308 : 4)
            player["age"] = .int(Int64(numbers.below(3)))
            player["large"] = .int(numbers.pick([.max, 1], or: 0))
            if !numbers.one(in: 4) { try teams[numbers.below(3)].add("players", player) }
        }
        try context.save()
    }

    private static let totals = [
        "sum(pay)", "average(pay)", "sum(less)", "average(less)", "median(pay)", "stddev(pay)",
        "sum(price)", "average(price)", "sum(pay) + 1", "sum(pay * 2)", "sum(distinct pay)",
        "average(pay) * 4", "max(pay) * 2", "sum(large) * 1e300", "sum(share * 1e308)",
    ]

    /// A request in the words of the predicate language.
    private struct Asked {
        let entity: String
        var filter: String?
        let columns: [String]
        var groups: [String] = []
        var having: String?

        func request(_ model: Model) throws -> FetchRequest {
            let entity = try #require(model.entity(named: entity))
            var check = PredicateCheck(model: model, entity: entity)
            var request = FetchRequest(entity: entity)
            request.predicate = try filter.map { try check.check(Predicate(format: $0)) }
            check.allowsRowAggregates = true
            request.propertiesToFetch = try columns.map {
                ExpressionDescription(
                    name: $0, expression: try check.check(Expression(format: $0)).0)
            }
            request.propertiesToGroupBy = try groups.map {
                try check.check(Expression(format: $0)).0
            }
            request.havingPredicate = try having.map { try check.check(Predicate(format: $0)) }
            return request
        }
    }

    /// Totals of all rows and of groups, conditions on groups, and totals of members.
    private static let asked: [Asked] = {
        var all = [Asked(entity: "Player", columns: totals)]
        for groups in [["age"], ["team"], ["team.name"], ["team.name", "age"]] {
            for total in totals {
                all.append(Asked(entity: "Player", columns: groups + [total], groups: groups))
            }
            for total in ["sum(pay)", "average(less)", "sum(price)"] {
                for test in ["> 5", "!= 5", "== nil", "< 0", "<= 1e308", "!= nil"] {
                    all.append(
                        Asked(
                            entity: "Player", columns: groups + ["count()"], groups: groups,
                            having: "\(total) \(test)"))
                }
            }
        }
        for key in ["pay", "less", "price"] {
            for total in ["players.\(key).@sum", "players.\(key).@avg"] {
                all.append(Asked(entity: "Team", columns: ["_id", total]))
                all.append(Asked(entity: "Player", columns: ["_id", "team.\(total)"]))
                for test in ["> 5", "!= 5", "== nil", "< 0", "!= nil", "BETWEEN {0, 9e307}"] {
                    for filter in ["\(total) \(test)", "NOT (\(total) \(test))"] {
                        all.append(Asked(entity: "Team", filter: filter, columns: ["_id"]))
                        let across = filter.replacing("players", with: "team.players")
                        all.append(Asked(entity: "Player", filter: across, columns: ["_id"]))
                    }
                }
            }
        }
        for test in ["== nil", "!= nil", "> 5", "< 5"] {
            for sum in ["fixed * 10", "fixed + fixed", "pay / 1e-9", "pay - less * 2"] {
                all.append(Asked(entity: "Player", filter: "\(sum) \(test)", columns: ["_id"]))
                let denied = "NOT (\(sum) \(test))"
                all.append(Asked(entity: "Player", filter: denied, columns: ["_id"]))
            }
        }
        let product = Array(repeating: "large", count: 17).joined(separator: " * ")
        for text in [
            product, "(\(product)) - 1", "abs(\(product)) * large", "sum(team.players.large)",
        ] {
            for test in ["== nil", "!= nil", "> 5", "< 5"] {
                all.append(Asked(entity: "Player", filter: "\(text) \(test)", columns: ["_id"]))
            }
            all.append(Asked(entity: "Player", columns: ["_id", text]))
        }
        let sums = ["_id", "pay + pay", "pay - less * 2", "less / 1e-9"]
        all.append(Asked(entity: "Player", columns: sums))
        return all
    }()

    @Test(arguments: StoreKind.single)
    func computedDatesWithoutATextAreNull(_ kind: StoreKind) throws {
        let model = try makeModel([
            EntityMaker("Item").attribute("d", .date).attribute("x", .double)
        ])
        let folder = try TemporaryFolder()
        let store = try kind.open(model, at: folder.store)
        defer { store.close() }
        let context = ManagedObjectContext(PersistentStoreCoordinator(store: store))
        defer { context.close() }
        let item = try context.insert(model.named("Item"))
        item["d"] = .date(2.9999999999999995e18)
        item["x"] = .double(1e18)
        try context.save()
        let reader = try store.reader()
        defer { reader.close() }
        for (text, isNull) in [
            ("d + x", true), ("x + d", true), ("d + x - x", true), ("d - x", false),
            ("d - x - x", false), ("d - x * 7", true), ("CAST(x * 3, \"NSDate\")", true),
            ("CAST(x * 2, \"NSDate\")", false),
        ] {
            for (test, isFound) in [("== nil", isNull), ("!= nil", !isNull)] {
                var request = FetchRequest(entity: try model.named("Item"))
                request.predicate = try Predicate(format: "\(text) \(test)")
                let count = try reader.count(request.checked(in: model))
                #expect(count == (isFound ? 1 : 0), "\(text) \(test)")
            }
        }
    }

    @Test(arguments: StoreKind.single)
    func sumsAndAveragesBeyondTheRangeAreNull(_ kind: StoreKind) throws {
        let model = try model()
        var numbers = SeededNumbers(seed: drawSeed("sumsAndAveragesBeyondTheRangeAreNull(\(kind))"))
        var nulls = 0
        for _ in 0..<12 {
            let seed = numbers.next()
            let folder = try TemporaryFolder()
            let memory = InMemoryStore(model: model)
            let store = try kind.open(model, at: folder.store)
            defer { store.close() }
            for it in [memory, store] as [any PersistentStore] { try fill(it, seed: seed) }
            let readers = try [memory.reader(), store.reader()]
            defer { for reader in readers { reader.close() } }
            for it in Self.asked {
                let request = try it.request(model)
                let answers = try readers.map { try $0.fetchRows(request) }
                let isSame = answers[0] == answers[1]
                #expect(isSame, "seed \(seed): \(it): \(answers)")
                nulls += answers[1].count { $0.contains(.null) }
            }
        }
        #expect(nulls > 500)
    }
}
