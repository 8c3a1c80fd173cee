// Decimals at the ends of their range, and numbers of many digits that other programs store.

import SteleJSON
import SteleModel
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleRequests
@testable import SteleService

@Suite struct DecimalRangeTests {
    private func books(_ kind: StoreKind) throws -> ServiceFixture {
        let model = try makeModel([
            EntityMaker("Book").attribute("price", .decimal).attribute("weight", .double)
                .attribute("total", .decimal) { $0.derivationExpression = "parts.price.@sum" }
                .toOne("whole", "Book", inverse: "parts")
                .toMany("parts", "Book", inverse: "whole")
        ])
        return try ServiceFixture(opening: { try kind.open(model, at: $0) })
    }

    private func count(_ predicate: String, in books: ServiceFixture) -> String {
        books.get("/Book/count?where=" + encoded(predicate)).text
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
                == #"[{"sum(price)":2e38,"#
                + #""average(price)":9.9999999999999999999999999999999999999e37}]"#)
        let got = books.get("/Book/1?numbers=string").text
        #expect(got.contains(#""total":"200000000000000000000000000000000000000""#), "\(got)")
        let put = books.ask("PUT", "/Book/1", got)
        #expect(put.status == 200, "\(put.text)")
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
