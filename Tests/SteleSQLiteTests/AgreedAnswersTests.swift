/// Requests that two stores once answered differently, as the differential test found them.

import SteleDifferential
import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import Testing

@Suite struct AgreedAnswersTests {
    /// Both stores with the same few objects.
    private final class Pair {
        let model: Model
        let stores: [any PersistentStore]
        private let folder: TemporaryFolder

        init(isFilled: Bool = true) throws {
            var declared = ManagedObjectModel(name: "Test")
            declared.entities = [
                EntityMaker(
                    "Item",
                    { it in
                        it.attribute("name", .string)
                        it.attribute("real", .double)
                        it.attribute("large", .integer64)
                        it.attribute("price", .decimal)
                        it.toMany("parts", "Item", inverse: "whole")
                        it.toOne("whole", "Item", inverse: "parts")
                    })
            ].map(\.entity)
            model = try Model(declared)
            folder = try TemporaryFolder()
            stores = [
                InMemoryStore(model: model), try SQLiteStore.open(path: folder.store, model: model),
            ]
            if isFilled { for store in stores { try fill(store) } }
        }

        deinit { for store in stores { store.close() } }

        /// Three, of which the first holds what is great, the second nothing, the third what is
        /// small.
        private func fill(_ store: any PersistentStore) throws {
            let context = ManagedObjectContext(PersistentStoreCoordinator(store: store))
            defer { context.close() }
            let entity = try #require(model.entity(named: "Item"))
            let objects = try (0..<3).map { _ in try context.insert(entity) }
            objects[0]["name"] = .string("\u{212A}")
            objects[0]["real"] = .double(-1e308)
            objects[0]["large"] = .int(.max)
            objects[0]["price"] =
                Decimal(string: "-99999999999999999999999999999999999999")
                .map { .decimal($0) } ?? .null
            objects[2]["name"] = .string("k")
            objects[2]["real"] = .double(5e-324)
            objects[2]["large"] = .int(5)
            objects[2]["price"] = .decimal(3)
            try objects[0].add("parts", objects[2])
            try context.save()
        }

        /// An object for each of the numbers.
        func fill(large: [Int64]) throws {
            let entity = try #require(model.entity(named: "Item"))
            for store in stores {
                let context = ManagedObjectContext(PersistentStoreCoordinator(store: store))
                defer { context.close() }
                for number in large { try context.insert(entity)["large"] = .int(number) }
                try context.save()
            }
        }

        /// What each store answers, which is the same.
        func answer(_ request: FetchRequest) throws -> [[Value]] {
            let answers = try stores.map { store in
                let reader = try store.reader()
                defer { reader.close() }
                if !request.propertiesToFetch.isEmpty { return try reader.fetchRows(request) }
                return try reader.fetch(request).map { [Value.int($0.key)] }
            }
            #expect(answers[0] == answers[1])
            return answers[1]
        }

        func request() throws -> (FetchRequest, PredicateCheck) {
            let entity = try #require(model.entity(named: "Item"))
            let check = PredicateCheck(model: model, entity: entity) {
                try? ISO8601.secondsSinceReferenceDate($0)
            }
            return (FetchRequest(entity: entity), check)
        }
    }

    @Test(
        arguments: [
            // What is no finite number is null.
            ("31 * real == nil", [1, 2]),
            ("large <= 1 / real", []),
            // A Double and a Decimal compare by their digits, whatever their size.
            ("real < price", [1, 3]),
            ("real < 9223372036854775808.5", [1, 3]),
            ("trunc(10000000000000000.0) > real", [1, 3]),
            ("real IN {5e-324, price, 7}", [3]),
            ("_entity ==[c] \"iTEM\" AND _entity IN[c] {\"item\", \"other\"}", [1, 2, 3]),
            // Quotients of Decimals have a digit more than can be stored.
            ("price / 7 BETWEEN {0.42, 0.43}", [3]),
            // K, k and the sign for Kelvin are one letter, and still in an order.
            ("\"K\" <[l] name", [1]),
            ("name <[l] \"K\"", [3]),
            // A list with keys in it.
            ("{_id, large}[LAST] > 1", [1, 3]),
            // A remainder of what 64 bits do not hold.
            ("modulus(large * 4, 7) >= 0", [1, 3]),
            ("CAST(real * 0, \"NSString\") == \"0.0\"", [1, 3]),
        ] as [(String, [Int64])])
    func objects(text: String, expected: [Int64]) throws {
        let pair = try Pair()
        var (request, check) = try pair.request()
        request.predicate = try check.check(Predicate(format: text))
        #expect(try pair.answer(request) == expected.map { [.int($0)] }, "\(text)")
    }

    @Test func sumsBeyond64BitsAreDoubles() throws {
        let pair = try Pair()
        var (request, check) = try pair.request()
        request.propertiesToFetch = try SelectList("total:sum(large),most:max(large + 1)")
            .checked(by: check).map { .init(name: $0.name, expression: $0.expression) }
        check.allowsRowAggregates = true
        #expect(try pair.answer(request) == [[.double(0x1p63), .double(0x1p63)]])
    }

    @Test func meansAndSumsOfWideIntegersAreTheNearestNumbers() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("meansAndSumsOfWideIntegersAreTheNearestNumbers: seed \(seed)")
        var numbers = SeededNumbers(seed: seed)
        for round in 0..<40 {
            let pair = try Pair(isFilled: false)
            let width = Int.random(in: 0..<64, using: &numbers)
            let values = (0..<Int.random(in: 1...9, using: &numbers)).map { _ in
                Int64.random(in: .min ... .max, using: &numbers) >> Int64(width)
            }
            try pair.fill(large: values)
            var (request, check) = try pair.request()
            check.allowsRowAggregates = true
            request.propertiesToFetch = try SelectList(
                "sum(large),average(large),sum(large + 0),average(distinct large)"
            ).checked(by: check).map { .init(name: $0.name, expression: $0.expression) }
            let exact = values.reduce(Int128(0)) { $0 + Int128($1) }
            let sum = try Int64(exactly: exact).map(Value.int) ?? .double(nearest(exact, over: 1))
            let once = Set(values)
            let distinct = once.reduce(Int128(0)) { $0 + Int128($1) }
            let expected: [Value] = [
                sum, .double(try nearest(exact, over: values.count)), sum,
                .double(try nearest(distinct, over: once.count)),
            ]
            #expect(try pair.answer(request) == [expected], "round \(round): \(values)")
        }
    }

    /// By the digits of the quotient.
    private func nearest(_ dividend: Int128, over divisor: Int) throws -> Double {
        var (whole, rest) = dividend.magnitude.quotientAndRemainder(dividingBy: UInt128(divisor))
        var text = (dividend < 0 ? "-" : "") + "\(whole)."
        for _ in 0..<400 {
            (whole, rest) = (rest * 10).quotientAndRemainder(dividingBy: UInt128(divisor))
            text += "\(whole)"
        }
        return try #require(Double(text))
    }

    @Test func aSumThatIsAnIntegerIsOneWhateverComesBetween() throws {
        let pair = try Pair(isFilled: false)
        try pair.fill(large: [.min, -5, 3, .max, 9_007_199_254_740_993])
        var (request, check) = try pair.request()
        check.allowsRowAggregates = true
        request.propertiesToFetch = try SelectList("sum(large),n:sum(large) - 9007199254740993")
            .checked(by: check).map { .init(name: $0.name, expression: $0.expression) }
        #expect(try pair.answer(request) == [[.int(9_007_199_254_740_990), .int(-3)]])
    }

    @Test func aDecimalOf39DigitsIsComputedAndSorted() throws {
        let pair = try Pair()
        var (request, check) = try pair.request()
        request.sortDescriptors = try SortList("10 - price").checked(by: check)
        #expect(try pair.answer(request) == [[.int(2)], [.int(3)], [.int(1)]])
    }

    @Test func distinctRowsAreSortedByAColumnThatIsAConstant() throws {
        let pair = try Pair()
        var (request, check) = try pair.request()
        let columns = try SelectList("c:1").checked(by: check)
        request.propertiesToFetch = columns.map { .init(name: $0.name, expression: $0.expression) }
        request.sortDescriptors = try SortList("-c").checked(by: check, columns: columns)
        request.returnsDistinctResults = true
        #expect(try pair.answer(request) == [[.int(1)]])
    }

    @Test func groupsAreMadeAndChosenByATotal() throws {
        let pair = try Pair()
        var (request, check) = try pair.request()
        let columns = try SelectList("g:parts.@count,n:count()").checked(by: check)
        request.propertiesToFetch = columns.map { .init(name: $0.name, expression: $0.expression) }
        request.propertiesToGroupBy = [columns[0].expression]
        check.aliases = ["g": columns[0].expression]
        request.havingPredicate = try check.check(Predicate(format: "g != nil AND g < 1"))
        #expect(try pair.answer(request) == [[.int(0), .int(2)]])
    }

    @Test func bothRefuseAKeyThatAGroupHasManyOf() throws {
        let pair = try Pair()
        var (request, check) = try pair.request()
        request.propertiesToFetch = try SelectList("n:count()").checked(by: check)
            .map { .init(name: $0.name, expression: $0.expression) }
        check.allowsRowAggregates = true
        request.havingPredicate = try check.check(Predicate(format: "count() < large"))
        for store in pair.stores {
            let reader = try store.reader()
            defer { reader.close() }
            #expect(throws: StoreError.self) { try reader.fetchRows(request) }
        }
    }
}
