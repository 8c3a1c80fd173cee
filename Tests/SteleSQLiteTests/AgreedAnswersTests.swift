/// Requests that two stores once answered differently, as the differential test found them.

import SteleDifferential
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

@Suite struct AgreedAnswersTests {
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
            // An integer keeps its digits beside a Double.
            ("{real, large}[LAST] > 9223372036854775807", []),
            ("({real} UNION {large})[1] > 9223372036854775807", []),
            // Of a Decimal and a Double either is a Double, also where no Decimal is so small.
            ("{price, real}[1] > 0 AND {price, 5e-324}[_id - 2] > 0", [3]),
            ("{price, real}[_id - 3] == 3", [3]),
            ("max({1e300, price}) == 1e300 AND max({5e-324, price}) > 0", [1, 2, 3]),
            ("sum({price, real}) == real", [1]),
            ("median({price, 1e300}) == 5e299", [1, 3]),
            ("count({price} UNION {1e300}) == 2", [1, 2, 3]),
            ("1e300 IN (parts.price UNION {1e300})", [1, 2, 3]),
            // Beside a Decimal an integer is one, also where 64 bits do not hold it.
            (
                "(TERNARY(_id < 0, 0.5, 9223372036854775807) - large * 2) == -9223372036854770000",
                []
            ),
            ("(TERNARY(_id < 0, 0.5, 18446744073709551614) - large * 2) == -386", [1]),
            ("price * 0 - large * 2 == -18446744073709552000", [1]),
            ("{price, large * 2}[1] == 18446744073709552000", [1]),
            ("ANY ({real} UNION {large}) == 9223372036854775807", [1]),
            ("mode({real, large, large}) CONTAINS 9223372036854775807", [1]),
            // Nor is a Double equal to an integer that no Double is.
            ("real != 9007199254740993 AND NOT (real IN {9007199254740993})", [1, 2, 3]),
            ("large IN {9223372036854775807, 1} AND large != 9223372036854775806", [1]),
            // Among Decimals of many digits a number is itself, whatever it is held as.
            ("count({price, 9223372036854775807} UNION {large}) == 2", [1, 2]),
            ("count({large} INTERSECT {price, 9223372036854775807}) == 1", [1, 2]),
            ("count(distinct {price, large, large + 0}) == 2", [1, 3]),
            // Beside a Decimal a whole number of a list with Doubles is a Double.
            ("price - max({real, large}) == -1e38", [1]),
            ("price - {real, large}[1] == -1e38", [1]),
            // The mean of whole numbers of a list with Decimals is a Decimal.
            ("median({price, large, large}) == large AND large > 0", [1, 3]),
            // A sum of no Doubles is a Double.
            ("parts.parts.real.@sum + price >= price", [3]),
            ("(sum(parts.parts.real) + 5) / 2 == 2.5", [1, 2, 3]),
            ("(parts.parts.price.@sum + large) / 2 == 2.5", [3]),
            ("(parts.parts.large.@sum + 5) / 2 == 2", [1, 2, 3]),
            // A place is cut to a whole one, and there is nothing beyond the end.
            ("{1, 2}[9223372036854775808] == nil", [1, 2, 3]),
            ("{1, 2, 3}[1.5] == 2 AND {1, 2}[-0.5] == 1", [1, 2, 3]),
            ("({1, 2} UNION {3})[1.5] == 2 AND ({1} UNION {3})[1e30] == nil", [1, 2, 3]),
            ("parts[0.5].large == 5 AND parts[-1] == nil", [1]),
            // A product that no Decimal holds is null.
            ("price * 1e-100 * 1e-100 == nil", [1, 2, 3]),
            ("price * 0.00001 * 1e-123 == 0.00003 * 1e-123", [3]),
            // What is a Double for some objects is one for all, whatever a Decimal is beside it.
            ("0 / TERNARY(_id > 0, TERNARY(_id < 0, 0, real), price) == 0", [1, 3]),
            ("large / TERNARY(_id > 0, TERNARY(_id < 0, 2, real), price) == nil", [2, 3]),
            ("TERNARY(_id < 9, TERNARY(_id < 0, 0.5, real), price) * 2 == nil", [1, 2]),
            // A difference of dates is a Double, wherever they come from.
            ("(max(parts.born) - born) / 4 == 0.5", [1]),
            ("(parts.@min.born - born) / 4 == 0.5", [1]),
            ("(parts[0].born - TERNARY(_id > 0, born, now())) / 4 == 0.5", [1]),
            // The numbers of a list with a Decimal are Decimals.
            ("max({0.5, large}) / 2 == 2.5", [3]),
            ("max({0.5, large}) + large == 18446744073709551614", [1]),
            ("{0.5, large}[_id - 2] / 2 == 2.5", [3]),
            // With a Double they are Doubles, but for integers of 64 bits.
            ("max({real, small}) / 2 == 1.5 AND {small, real}[0] / 2 == 1.5", [3]),
            ("max({real, large}) == 9223372036854775807", [1]),
            ("modulus(max({real, large}), 2) == 1", [3]),
            ("CAST(max({real, large}), \"NSString\") == \"5.0\"", [3]),
            ("max(parts.price UNION {1e300}) == 1e300", [1, 2, 3]),
            // A null that is computed has no type.
            ("TERNARY(_id == 1, TERNARY(_id == 1, nil, nil), name) == \"k\"", [3]),
            ("NOT (\"a\" IN {name, 7}[1])", [1, 2, 3]),
            // What fits into a Double needs no digits.
            ("small * 2 > 5.5 AND price > small - 1", [3]),
            ("sum({large, large, real}) < 0 AND abs(min({real, large})) == 1e308", [1]),
            ("{parts[0].real, large}[LAST] == 9223372036854775807", [1]),
            // Values of two types are never equal, and have no order.
            ("ANY {name, 7} == 7 AND NOT (ANY {name, 7} < 5)", [1, 2, 3]),
            ("ANY {name, large} BETWEEN {4, 6}", [3]),
            ("{large, name}[_id - 3] == 5", [3]),
            ("large IN ({name, 7} UNION {5})", [3]),
            (
                "count({name, large, price}) == 3 AND count(distinct {name, 7, 7}) == 2", [1, 2, 3]
            ),
            ("mode({name, 7, 7}) CONTAINS 7", [1, 2, 3]),
            ("{large, name} == {5, \"k\"}", [3]),
            // A place may be a Decimal.
            ("({7, 8} UNION {9})[price - 2] == 8", [3]),
            // One time for all of a request.
            ("now() == now() AND now() - now() == 0", [1, 2, 3]),
            ("now() <= now() AND NOT (now() > now())", [1, 2, 3]),
            // A list's place may be another for each object.
            ("SUBQUERY(parts, $p, $p.large > {1, 20}[_id - 1]).@count == 1", [1]),
            ("SUBQUERY(whole.parts, $p, $p.large > {1, 2, 3}[_id - 1]).@count > 0", [3]),
            // Each draw is one, and of nothing there is none.
            ("randomn(1) == 0 AND randomn(0) == nil AND randomn(randomn(1)) == nil", [1, 2, 3]),
            ("randomn(3) >= 0 AND randomn(3) < 3", [1, 2, 3]),
        ] as [(String, [Int64])])
    func objects(text: String, expected: [Int64]) throws {
        let pair = try StorePair()
        try pair.expect(text, finds: expected)
    }

    @Test("lists so long that they are not written out")
    func longLists() throws {
        let pair = try StorePair()
        func repeated(_ item: String, _ count: Int) -> String {
            "{\(Array(repeating: item, count: count).joined(separator: ", "))}"
        }
        let numbers = "{\((0...300).map(String.init).joined(separator: ", "))}"
        let texts = "{\((0...300).map { "\"\($0)\"" }.joined(separator: ", "))}"
        for (text, expected) in [
            ("max(\(repeated("real", 450))) == real", [1, 2, 3]),
            ("sum(\(repeated("large", 201))) == 1005", [3]),
            ("count(\(repeated("name, nil", 300))) == 600", [1, 2, 3]),
            ("large + 0.0 IN \(numbers)", [3]),
            ("large IN (\(numbers) UNION {5})", [3]),
            ("(\(numbers) UNION {7})[LAST] == 300", [1, 2, 3]),
            ("(\(texts) UNION {\"k\"}) CONTAINS name", [3]),
            ("count(\(numbers) UNION {large, price}) == 302", [2]),
            ("count(\(numbers) UNION {large, price, 9223372036854775807}) == 302", [3]),
        ] as [(String, [Int64])] {
            try pair.expect(text, finds: expected)
        }
    }

    @Test func whatSQLDoesNotHaveIsEvaluatedInMemory() throws {
        let pair = try StorePair()
        var (request, check) = try pair.request()
        request.predicate = try check.check(
            Predicate(format: "{large, name}[_id - 1] != nil OR large IN ({name, 7} UNION {5})"))
        var columns = request
        columns.propertiesToFetch = try check.columns(["id:_id", "most:max({real, large})"])
        var sorted = request
        sorted.sortDescriptors = try SortList("-max({real, large})").checked(by: check)
        func answers(_ store: any PersistentStore) throws -> [[[ValueKey]]] {
            let reader = try store.reader()
            defer { reader.close() }
            let cursor = try reader.cursor(sorted)
            guard case .objects(let first) = try cursor.next(1) else { return [] }
            return [
                [[.int(Int64(try reader.count(request)))]], try reader.fetchRows(columns),
                try reader.fetch(sorted).map { [.int($0.key)] }, first.map { [.int($0.key)] },
                [try reader.position(of: 1, in: sorted)],
            ].map { rows in rows.map { row in row.map(ValueKey.init) } }
        }
        let told = try pair.stores.map(answers)
        #expect(told[0] == told[1])
        #expect(
            told[1]
                == [
                    [[2]], [[1, .max], [3, 5]], [[1], [3]], [[1]], [[.max, 1]],
                ].map { rows in rows.map { row in row.map { ValueKey(.int($0)) } } })
    }

    @Test func aLongListHasTextsWithNull() throws {
        let pair = try StorePair(isFilled: false)
        try pair.fill([["name": .string("a\0b")], ["name": .string("a")]])
        let others = (0..<12).map { Expression.constant(.string("\($0)")) }
        var (request, check) = try pair.request()
        request.predicate = try check.check(
            .comparison(
                Comparison(
                    .keyPath("name"), .in,
                    .aggregate(others + [.constant(.string("a\0b"))]))))
        #expect(try pair.answer(request) == [[.int(1)]])
    }

    @Test func aListOfKeysAndTheValuesOfARequestHaveALimit() throws {
        let pair = try StorePair()
        let (_, check) = try pair.request()
        let most = PredicateLimits.listedExpressions
        let keys = Array(repeating: "real", count: most + 1).joined(separator: ", ")
        for text in ["1 IN {\(keys)}", "sum({\(keys)}) > 1", "ANY {1} == sum({\(keys)})"] {
            let error = #expect(throws: PredicateError.self) {
                do { _ = try check.check(Predicate(format: text)) } catch let error
                    as PredicateError
                {
                    throw error.located(in: text)
                }
            }
            #expect(error?.code == "predicate.limit" && error?.near == "real")
            #expect(error?.position ?? 0 > 0)
        }
        let numbers = "{\((0..<200).map(String.init).joined(separator: ", "))}"
        let many = Array(repeating: "sum(\(numbers)) > large", count: 200)
            .joined(separator: " OR ")
        var (request, _) = try pair.request()
        request.predicate = try check.check(Predicate(format: many))
        let reader = try pair.stores[1].reader()
        defer { reader.close() }
        #expect {
            try reader.fetch(request)
        } throws: { error in
            guard case StoreError.predicate(let error)? = error as? StoreError else { return false }
            return error.code == "predicate.limit"
        }
    }

    @Test func distinctRowsAreSortedByAColumnThatIsAConstant() throws {
        let pair = try StorePair()
        var (request, check) = try pair.request()
        request.propertiesToFetch = try check.columns(["c:1"])
        check.aliases = ["c": request.propertiesToFetch[0].expression]
        request.sortDescriptors = try SortList("-c").checked(by: check)
        request.returnsDistinctResults = true
        #expect(try pair.answer(request) == [[.int(1)]])
    }

    @Test func groupsAreMadeAndChosenByATotal() throws {
        let pair = try StorePair()
        var (request, check) = try pair.request()
        let columns = try check.columns(["g:parts.@count", "n:count()"])
        request.propertiesToFetch = columns
        request.propertiesToGroupBy = [columns[0].expression]
        check.aliases = ["g": columns[0].expression]
        request.havingPredicate = try check.check(Predicate(format: "g != nil AND g < 1"))
        #expect(try pair.answer(request) == [[.int(0), .int(2)]])
    }

    @Test func bothRefuseAKeyThatAGroupHasManyOf() throws {
        let pair = try StorePair()
        var (request, check) = try pair.request()
        request.propertiesToFetch = try check.columns(["n:count()"])
        check.allowsRowAggregates = true
        // Before any row: what is refused does not depend on what is there.
        for condition in ["TRUEPREDICATE", "FALSEPREDICATE"] {
            request.predicate = try check.check(Predicate(format: condition))
            for text in [
                "count() < large", "count() < parts[-1].large", "count() < {1, 2}[large]",
                "count() < {1, large}[0]", "count() < sum(parts.large)", "parts[-1] == nil",
                "TERNARY(TRUEPREDICATE, SELF, SELF).large == count()",
            ] {
                request.havingPredicate = try check.check(Predicate(format: text))
                for store in pair.stores {
                    let reader = try store.reader()
                    defer { reader.close() }
                    #expect(throws: StoreError.self, "\(text)") { try reader.fetchRows(request) }
                }
            }
        }
    }
}
