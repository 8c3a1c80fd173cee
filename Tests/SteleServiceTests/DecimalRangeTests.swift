// Decimals at the ends of their range, and numbers of many digits that other programs store.

import SteleJSON
import SteleModel
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleRequests
@testable import SteleService

@Suite struct DecimalRangeTests {
    private func books(_ kind: StoreKind, withTotal: Bool = true) throws -> ServiceFixture {
        var book = EntityMaker("Book").attribute("price", .decimal).attribute("weight", .double)
            .toOne("whole", "Book", inverse: "parts").toMany("parts", "Book", inverse: "whole")
        if withTotal {
            book = book.attribute("total", .decimal) {
                $0.derivationExpression = "parts.price.@sum"
            }
        }
        let model = try makeModel([book])
        return try ServiceFixture(opening: { try kind.open(model, at: $0) })
    }

    private func count(_ predicate: String, in books: ServiceFixture) -> String {
        books.get("/Book/count?where=" + encoded(predicate)).text
    }

    /// Core Data stores Decimals of any digits as numbers, and not as the bytes of their digits.
    @Test(arguments: [
        "1e15 + Z_PK * 1.5", "1e16 + Z_PK * 2", "-1e16 - Z_PK * 2", "1000000000000000000 + Z_PK",
        "1e19 + Z_PK * 4096", "-1e19 - Z_PK * 4096", "9223372036854775807 - Z_PK",
    ])
    func pagesByNumbersThatAnotherProgramHasStoredHaveEachObjectOnce(_ numbers: String) throws {
        let books = try books(.sqlite)
        #expect(books.post("/Book", "[{},{},{}]").status == 201)
        try RawDatabase(books.path).run("UPDATE ZBOOK SET ZPRICE = \(numbers)")
        for (sort, isUp) in [("price", true), ("-price", false)] {
            let list = "/Book?select=_id,price&sort=\(sort)&limit="
            let all = try JSONDocument(books.get(list + "10").bytes).root.elements
            #expect(all.count == 3)
            let first = all.first?["_id"]?.integer
            let isDescending = numbers.contains(" - ")
            #expect(first == (isUp == isDescending ? 3 : 1), "\(sort)")
            let rows = try books.pages(list + "1", atMost: 3).flatMap { try $0.json.elements }
            #expect(rows == all.map { JSONValue($0) }, "\(sort)")
        }
        for key in 1...3 {
            let one = "/Book?numbers=string&select=price&where=_id==\(key)"
            let shown = books.get(one).text
            let parts = shown.split(separator: "\"")
            let price = try #require(parts.count > 3 ? parts[3] : nil, "\(shown)")
            #expect(count("_id == \(key) AND price == \(price)", in: books) == #"{"count":1}"#)
        }
    }

    @Test(arguments: StoreKind.single)
    func aDecimalIsFoundByTheTextThatWasStored(_ kind: StoreKind) throws {
        let books = try books(kind)
        let texts = [
            "99999999999999999999e110", "12345678901234567890123456789012345678e91", "5e130",
            "1e164", "-99999999999999999999999999999999999999e127", "1.5e-127", "1e-128",
            "123456789012345678901e-120",
        ]
        for (index, text) in texts.enumerated() {
            #expect(books.post("/Book", #"{"price":"\#(text)"}"#).status == 201, "\(text)")
            for test in ["==", ">=", "<="] {
                let predicate = "_id == \(index + 1) AND price \(test) \(text)"
                #expect(count(predicate, in: books) == #"{"count":1}"#, "\(test) \(text)")
            }
            let query = "/Book/count?where=" + encoded("price == $it") + "&var.it=\(text)"
            #expect(books.get(query).text == #"{"count":1}"#, "\(text)")
        }
        // What is refused as a value is a Double in a predicate.
        #expect(books.post("/Book", #"{"price":"1e165"}"#).status == 422)
        #expect(count("price < 1e165", in: books) == "{\"count\":\(texts.count)}")
    }

    @Test(arguments: StoreKind.single)
    func aSumOfMoreDigitsIsRoundedAndFound(_ kind: StoreKind) throws {
        let books = try books(kind)
        let most = String(repeating: "9", count: 38)
        let parts = #"[{"price":"\#(most)"},{"price":"\#(most)"}]"#
        #expect(books.post("/Book", #"{"parts":\#(parts)}"#).status == 201)
        let whole = "_id == 1 AND "
        for sum in ["total", "parts.price.@sum"] {
            #expect(count(whole + sum + " == 2e38", in: books) == #"{"count":1}"#, "\(sum)")
        }
        #expect(
            books.get("/Book?select=sum(price),average(price)").text
                == #"[{"sum(price)":2e38,"average(price)":9.\#(most.dropFirst())e37}]"#)
        let got = books.get("/Book/1?numbers=string").text
        #expect(got.contains(#""total":"200000000000000000000000000000000000000""#), "\(got)")
        let put = books.ask("PUT", "/Book/1", got)
        #expect(put.status == 200, "\(put.text)")
    }

    @Test(arguments: StoreKind.single)
    func aComputedDecimalIsTheNearestOf38Digits(_ kind: StoreKind) throws {
        let books = try books(kind)
        let small = "7.1001656442690109995816861220415634501e-13"
        let whole = #"{"price":2,"parts":[{"price":"\#(small)"},{"price":"0.9"}]}"#
        #expect(books.post("/Book", whole).status == 201)
        let sum = "0.90000000000071001656442690109995816861"
        #expect(count("_id == 1 AND total == \(sum)", in: books) == #"{"count":1}"#)
        for (asked, filter, value) in [
            ("price / 3", "price == 2", "0.66666666666666666666666666666666666667"),
            ("price + 0.9", "price < 0.5", sum),
            ("0.9 - price", "price < 0.5", "0.89999999999928998343557309890004183139"),
            ("price * 0.9", "price < 0.5", "6.3901490798421098996235175098374071051e-13"),
            ("price / 0.9", "price < 0.5", "7.8890729380766788884240956911572927223e-13"),
            ("sum(price)", "price < 2", sum), ("parts.price.@sum", "price == 2", sum),
            ("sum(price)", "price != nil", "2.9000000000007100165644269010999581686"),
            ("average(price)", "price != nil", "0.96666666666690333885480896703331938954"),
        ] {
            let query = "/Book?select=\(encoded("r:" + asked))&where=\(encoded(filter))"
            #expect(books.get(query).text == #"[{"r":\#(value)}]"#, "\(asked)")
        }
    }

    /// The results of the model's arithmetic, whose own tests have another reference.
    @Test(arguments: StoreKind.single)
    func aPredicateFindsTheRoundedResult(_ kind: StoreKind) throws {
        let books = try books(kind)
        let seed = drawSeed("aPredicateFindsTheRoundedResult(\(kind))")
        var numbers = SeededNumbers(seed: seed)
        func digits(_ most: Int) -> String {
            let rest = (0..<numbers.below(most)).map { _ in String(numbers.below(10)) }
            return String(1 + numbers.below(9)) + rest.joined()
        }
        for key in 1...40 {
            let price = "\(digits(38))e-\(numbers.below(36))"
            let other = "\(numbers.below(90)).\(digits(30))"
            #expect(books.post("/Book", #"{"price":"\#(price)"}"#).status == 201, "\(price)")
            let x = try #require(DecimalText.parse(price.utf8))
            let y = try #require(DecimalText.parse(other.utf8))
            for (sign, result) in [
                ("+", DecimalText.sum(x, y)), ("-", DecimalText.difference(x, y)),
                ("*", DecimalText.product(x, y)), ("/", DecimalText.quotient(x, y)),
            ] {
                let test = "price \(sign) \(other) == \(DecimalText.text(result))"
                let found = count("_id == \(key) AND \(test)", in: books)
                #expect(found == #"{"count":1}"#, "seed \(seed): \(test)")
            }
        }
    }

    /// Each part has a sum of more than 38 digits.
    @Test(arguments: StoreKind.single)
    func aSumOfGroupsIsRoundedAfterAllPartsAreAdded(_ kind: StoreKind) throws {
        let books = try books(kind)
        let most = String(repeating: "9", count: 37)
        for parts in [#""\#(most)9","0.4""#, #""-\#(most)8","0.4""#] {
            let prices = parts.split(separator: ",").map { #"{"price":\#($0)}"# }
            let body = #"{"weight":1,"parts":[\#(prices.joined(separator: ","))]}"#
            #expect(books.post("/Book", body).status == 201)
        }
        let groups =
            "/Book?select=w:whole.weight,s:sum(price),a:average(price)&groupBy=whole.weight"
            + "&where=" + encoded("whole != nil")
        #expect(books.get(groups).text == #"[{"w":1,"s":1.8,"a":0.45}]"#)
    }

    @Test func aDamagedDecimalOfManyCharactersIsNull() throws {
        let books = try books(.sqlite)
        #expect(books.post("/Book", #"[{"price":1},{"price":1}]"#).status == 201)
        for digit in [".1", "-5"] {
            let damaged = "1" + String(repeating: digit, count: 22)
            try RawDatabase(books.path)
                .run("UPDATE ZBOOK SET ZPRICE = CAST('\(damaged)' AS BLOB)")
            #expect(count("price == nil", in: books) == #"{"count":2}"#)
            #expect(books.get("/Book?select=price&where=_id==1").text == #"[{"price":null}]"#)
        }
    }

    /// A sum of groups is made of the sums of their parts, of which one is out of range.
    @Test(arguments: StoreKind.single)
    func aGroupWithAPartOutOfRangeHasNoSum(_ kind: StoreKind) throws {
        let books = try books(kind, withTotal: false)
        let most = #"{"price":"99999999999999999999999999999999999999e127"}"#
        for parts in ["[\(most),\(most)]", #"[{"price":3}]"#] {
            #expect(books.post("/Book", #"{"weight":1,"parts":\#(parts)}"#).status == 201)
        }
        let groups =
            "/Book?select=w:whole.weight,s:sum(price),a:average(price)&groupBy=whole.weight"
            + "&where=" + encoded("whole != nil")
        #expect(books.get(groups).text == #"[{"w":1,"s":null,"a":null}]"#)
    }

    @Test(arguments: StoreKind.single)
    func theSmallestDecimalAndTheLargestDoubleHaveMeans(_ kind: StoreKind) throws {
        let books = try books(kind)
        #expect(
            books.post("/Book", #"[{"price":"1e-128","weight":1.7e308},{"weight":1.7e308}]"#).status
                == 201)
        #expect(
            books.get("/Book?select=a:average(price),b:median(price),c:median(weight)").text
                == #"[{"a":1e-128,"b":1e-128,"c":1.7e+308}]"#)
        #expect(
            books.get("/Book?select=a:price/1,b:price*2/2,c:price/3&where=_id==1").text
                == #"[{"a":1e-128,"b":1e-128,"c":null}]"#)
    }
}
