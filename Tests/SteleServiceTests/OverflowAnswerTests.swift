// Sums and means beyond a Double are null in every answer, and an empty cell of CSV.

import SteleModel
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleRequests
@testable import SteleService

@Suite struct OverflowAnswerTests {
    private func check(_ get: (String) -> Answer, _ road: String) {
        let totals = "sum(double),average(double),count()"
        #expect(
            get("/Sample?select=\(totals)").text
                == #"[{"sum(double)":null,"average(double)":null,"count()":3}]"#, "\(road)")
        #expect(
            get("/Sample?select=string,\(totals)&groupBy=string&sort=string").text
                == #"[{"string":"a","sum(double)":null,"average(double)":null,"count()":2},"#
                + #"{"string":"b","sum(double)":1,"average(double)":1,"count()":1}]"#, "\(road)")
        #expect(
            get("/Sample?select=string,\(totals)&groupBy=string&format=csv").text
                == "string,sum(double),average(double),count()\r\na,,,2\r\nb,1,1,1\r\n", "\(road)")
        for (having, groups) in [
            ("sum(double) > 5", "[]"), ("sum(double) == nil", #"[{"string":"a"}]"#),
            ("average(double) < 5", #"[{"string":"b"}]"#),
        ] {
            let found = get("/Sample?select=string&groupBy=string&having=" + encoded(having))
            #expect(found.text == groups, "\(road): \(having): \(found.text)")
        }
        let product = get("/Sample?select=_id,x:double*10&where=" + encoded("string == 'a'"))
        #expect(product.text == #"[{"_id":1,"x":null},{"_id":2,"x":null}]"#, "\(road)")
    }

    @Test(arguments: [false, true])
    func aSumThatOverflowsIsNull(_ inMemory: Bool) throws {
        let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory)
        let objects =
            #"[{"string":"a","double":1e308},{"string":"a","double":1e308},"#
            + #"{"string":"b","double":1}]"#
        #expect(zoo.post("/Sample", objects).status == 201)
        check({ zoo.get($0) }, "list")
        let editor = try Editor(zoo)
        check({ editor.get($0) }, "editing context")
        // With a change that is not saved, the context evaluates the query itself.
        #expect(editor.patch("/Sample/3", #"{"int16":1}"#).status == 200)
        check({ editor.get($0) }, "changed editing context")
    }

    private func boxes(
        _ type: AttributeType, of size: AttributeType, inMemory: Bool = false
    ) throws -> ServiceFixture {
        let model = try makeModel([
            EntityMaker("Box")
                .attribute("sum", type) { $0.derivationExpression = "parts.size.@sum" }
                .toMany("parts", "Part", inverse: "box"),
            EntityMaker("Part").attribute("size", size)
                .toOne("box", "Box", inverse: "parts"),
        ])
        return try ServiceFixture(model, inMemory: inMemory)
    }

    @Test(arguments: [false, true])
    func aDerivedValueBeyondItsTypeRefusesTheWrite(_ inMemory: Bool) throws {
        let boxes = try boxes(.integer16, of: .integer32, inMemory: inMemory)
        let answer = boxes.post("/Box", #"{"parts":[{"size":40000}]}"#)
        #expect(answer.status == 422 && answer.code == "1550", "\(answer.text)")
        #expect(
            answer.detail.contains("the derived value of sum is out of the range of Integer 16"),
            "\(answer.text)")
        #expect(boxes.get("/Part/count").text == #"{"count":0}"#)
    }

    @Test func partsOfAnotherProgramWhoseSumIsBeyondADoubleAreRead() throws {
        let boxes = try boxes(.double, of: .double)
        let two = #"[{"parts":[{"size":1.7e308}]},{"parts":[{"size":1.7e308}]}]"#
        #expect(boxes.post("/Box", two).status == 201)
        let other = try RawDatabase(boxes.path)
        try other.run("UPDATE ZPART SET ZBOX = 1")
        try other.run("UPDATE ZBOX SET ZSUM = NULL")
        #expect(
            boxes.get("/Box?select=_id,sum,n:parts.@count&sort=_id").text
                == #"[{"_id":1,"sum":null,"n":2},{"_id":2,"sum":null,"n":0}]"#)
        #expect(boxes.patch("/Part/1", #"{"size":1.6e308}"#).status == 200)
        #expect(boxes.get("/Box/1?select=sum").text == #"{"sum":null}"#)
        #expect(boxes.patch("/Part/1", #"{"size":1}"#).status == 200)
        #expect(boxes.get("/Box/1?select=sum").text == #"{"sum":1.7e+308}"#)
    }

    /// What another program has stored is read as null, and JSON null is no text.
    @Test func csvNeverHasTheWordNull() throws {
        let zoo = try ServiceFixture.zoo()
        _ = zoo.post("/Sample", #"{"string":"null","double":1,"float":1,"list":[1]}"#)
        try RawDatabase(zoo.path).run(
            "UPDATE ZSAMPLE SET ZDOUBLE = 9e999, ZFLOAT = -9e999, ZDATE = 9e300, "
                + "ZLIST = X'6E756C6C'")
        let answer = zoo.get("/Sample?select=string,double,float,date,list&format=csv")
        #expect(answer.text == "string,double,float,date,list\r\nnull,,,,\r\n")
    }
}
