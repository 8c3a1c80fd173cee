// Numbers of JSON are judged by the type of the attribute that they are for, on every road.

import SteleJSON
import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleRequests
@testable import SteleService

@Suite struct NumberTests {
    /// Integers as JavaScript and Python write large numbers, and the Doubles that they are.
    private static let large: [(String, String)] = [
        ("10000000000000000000", "1e+19"), ("-10000000000000000000", "-1e+19"),
        ("9223372036854775808", "9.223372036854776e+18"),
        ("18446744073709551616", "1.8446744073709552e+19"),
        ("123456789012345680000", "1.2345678901234568e+20"),
        ("1" + String(repeating: "0", count: 300), "1e+300"),
    ]

    /// The ways in which a value comes into the object 1 of an empty zoo.
    private enum Road: CaseIterable {
        case post, postOfArray, patch, put, jsonPatch, transaction, editingContext

        /// - Returns: the object, or the answer that refuses the value.
        func send(_ key: String, _ value: String, to zoo: ServiceFixture) throws -> Answer {
            let body = #"{"\#(key)":\#(value)}"#
            let answer: Answer
            switch self {
            case .post: return zoo.post("/Sample", body)
            case .patch: return made(zoo).patch("/Sample/1", body)
            case .put: return made(zoo).ask("PUT", "/Sample/1", body)
            case .jsonPatch:
                return made(zoo).ask(
                    "PATCH", "/Sample/1", #"[{"op":"add","path":"/\#(key)","value":\#(value)}]"#,
                    [("Content-Type", "application/json-patch+json")])
            case .postOfArray: answer = zoo.post("/Sample", "[\(body)]")
            case .transaction:
                answer = zoo.post(
                    "/transactions", #"[{"op":"insert","entity":"Sample","values":\#(body)}]"#)
            case .editingContext:
                let editor = try Editor(zoo)
                let posted = editor.post("/Sample", body)
                answer = posted.status == 201 ? editor.post("/save") : posted
            }
            return answer.status < 300 ? zoo.get("/Sample/1") : answer
        }

        private func made(_ zoo: ServiceFixture) -> ServiceFixture {
            _ = zoo.post("/Sample", "{}")
            return zoo
        }
    }

    @Test(arguments: [false, true])
    func aDoubleIsTakenInFullDigitsByEveryRoad(_ inMemory: Bool) throws {
        for road in Road.allCases {
            for (digits, double) in Self.large {
                let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory)
                let answer = try road.send("double", digits, to: zoo)
                #expect(answer.text.contains("\"double\":\(double),"), "\(road): \(answer.text)")
            }
            let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory)
            let float = try road.send("float", "10000000000000000000", to: zoo)
            #expect(float.text.contains("\"float\":1e+19,"), "\(road): \(float.text)")
        }
    }

    @Test(arguments: [false, true])
    func aNumberInJSONValuesIsTakenAndGiven(_ inMemory: Bool) throws {
        for road in Road.allCases {
            for (digits, _) in Self.large {
                let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory)
                let answer = try road.send("list", #"{"n":[\#(digits)]}"#, to: zoo)
                let given = try JSONDocument(answer.bytes).root["list"]?["n"]?[0]?.real
                #expect(given == Double(digits), "\(road): \(answer.text)")
                // What is given changes nothing when it is sent back.
                let version = try zoo.get("/Sample/1").json["_version"]
                let same = zoo.ask("PUT", "/Sample/1", zoo.get("/Sample/1").text)
                #expect(same.status == 200, "\(same.text)")
                #expect(try same.json["_version"] == version, "\(road): \(same.text)")
            }
        }
    }

    @Test(arguments: [false, true])
    func anIntegerBeyondItsTypeIsTheKeysError(_ inMemory: Bool) throws {
        for road in Road.allCases {
            for (key, value, code) in [
                ("int64", "9223372036854775808", "1610"), ("int64", "1e19", "1610"),
                ("int64", "-9223372036854775809", "1620"),
                ("int64", "\"9223372036854775808\"", "1610"), ("int64", "1e300", "1610"),
                ("int16", "10000000000000000000", "1610"), ("int16", "32768", "1610"),
                ("int32", "-1e10", "1620"),
            ] {
                let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory)
                let answer = try road.send(key, value, to: zoo)
                #expect(answer.status == 422 && answer.code == code, "\(road): \(answer.text)")
                #expect(answer.detail.contains("\(key) of Sample"), "\(road): \(answer.text)")
                #expect(answer.text.contains("\"key\":\"\(key)\""), "\(road): \(answer.text)")
            }
        }
    }

    @Test func anIntegerWithAFractionOfZerosOrAnExponentIsThatInteger() throws {
        for road in Road.allCases {
            for (value, number) in [
                ("5.0", "5"), ("1e3", "1000"), ("9007199254740993.0", "9007199254740993"),
                ("123456789012345e3", "123456789012345000"),
                ("9223372036854775807.0", "9223372036854775807"),
            ] {
                let answer = try road.send("int64", value, to: ServiceFixture.zoo())
                #expect(answer.text.contains("\"int64\":\(number),"), "\(road): \(answer.text)")
            }
            let refused = try road.send("int64", "9007199254740993.5", to: ServiceFixture.zoo())
            #expect(refused.code == "value.type", "\(road): \(refused.text)")
        }
    }

    @Test(arguments: [false, true])
    func variablesAreTakenInFullDigits(_ inMemory: Bool) throws {
        let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory)
        _ = zoo.post("/Sample", #"[{"double":1e19,"int64":9223372036854775807},{"double":1}]"#)
        for (filter, value, keys) in [
            ("double == $x", "10000000000000000000", "[1]"),
            ("double < $x", "10000000000000000000", "[2]"),
            ("int64 < $x", "9223372036854775808", "[1]"),
            ("double IN $x", "[10000000000000000000, 1]", "[1,2]"),
        ] {
            let found = zoo.post(
                "/Sample/query",
                #"{"where":"\#(filter)","select":"_id","limit":10.0,"var":{"x":\#(value)}}"#)
            let ids = try found.json.elements.compactMap { $0["_id"]?.compact }
            #expect("[\(ids.joined(separator: ","))]" == keys, "\(filter): \(found.text)")
        }
    }

    @Test(arguments: StoreKind.single)
    func anIntegerComputedBeyond64BitsIsComparedAsADouble(_ kind: StoreKind) throws {
        let zoo = try ServiceFixture(opening: { try kind.open(TestModels.zoo(), at: $0) })
        let objects = #"[{"int64":-9223372036854775808},{"int64":9223372036854775807}]"#
        #expect(zoo.post("/Sample", objects).status == 201)
        for (test, keys) in [
            ("-int64 == 9223372036854775808", "[1]"), ("-int64 != 9223372036854775808", "[2]"),
            ("-int64 > 9223372036854775808", "[]"), ("-int64 <= 9223372036854775808", "[1,2]"),
            ("9223372036854775808 == -int64", "[1]"), ("-int64 == $x", "[1]"),
            ("-int64 IN {9223372036854775808, 3}", "[1]"),
            ("{9223372036854775808, 3} CONTAINS -int64", "[1]"),
            ("-int64 BETWEEN {9223372036854775808, 1e19}", "[1]"),
            ("-int64 == 9223372036854776000", "[1]"),
            ("int64 * 2 == 18446744073709551614", "[2]"), ("int64 - 2 >= -1e19", "[1,2]"),
            ("int64 < 9223372036854775808", "[1,2]"), ("int64 == 9223372036854775808", "[]"),
        ] {
            let variable = test.contains("$x") ? "&var.x=9223372036854775808" : ""
            let found = zoo.get("/Sample?select=_id&where=" + encoded(test) + variable)
            let ids = try found.json.elements.compactMap { $0["_id"]?.compact }
            #expect("[\(ids.joined(separator: ","))]" == keys, "\(test): \(found.text)")
        }
    }

    /// Texts, with the number that each is.
    private static let texts = [
        ("+5", "5"), (".5", "0.5"), ("-.5", "-0.5"), ("1.", "1"), ("-1.e2", "-100"),
        ("+.25E+1", "2.5"), ("007", "7"),
    ]

    @Test func numbersInTextsHaveOneGrammarOnEveryRoad() throws {
        for road in Road.allCases {
            for key in ["double", "float", "decimal", "int64"] {
                for (text, number) in Self.texts where key != "int64" || !number.contains(".") {
                    let given = try road.send(key, "\"\(text)\"", to: ServiceFixture.zoo())
                    let wanted = try road.send(key, number, to: ServiceFixture.zoo())
                    #expect(given.text == wanted.text, "\(road), \(key): \(text)")
                }
                for text in ["0x10", "1,5", ".", "+", "1e", "--1", " 1", "1 ", "nan", "1.2.3", ""] {
                    let answer = try road.send(key, "\"\(text)\"", to: ServiceFixture.zoo())
                    #expect(answer.code == "value.type", "\(road), \(key): \(text)")
                }
            }
        }
        let zoo = try ServiceFixture.zoo()
        for (text, number) in Self.texts {
            let key = number.contains(".") ? "double" : "int64"
            let made = zoo.post("/Sample", #"{"\#(key)":\#(number)}"#)
            let id = try made.json["_id"]?.compact ?? ""
            let found = zoo.get(
                "/Sample?select=_id&where=" + encoded("\(key) == $x") + "&var.x=" + encoded(text))
            #expect(found.text == #"[{"_id":\#(id)}]"#, "\(text): \(found.text)")
            let query = zoo.post(
                "/Sample/query",
                #"{"where":"\#(key) == $x","select":"_id","var":{"x":"\#(text)"}}"#)
            #expect(query.text == found.text, "\(text): \(query.text)")
        }
    }

    @Test(arguments: [false, true])
    func variablesBesideWhatHasNoTypeHaveThatGrammar(_ inMemory: Bool) throws {
        let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory)
        #expect(zoo.post("/Sample", #"{"int64":1}"#).status == 201)
        for (text, number) in Self.texts {
            for condition in [
                "sum({$x, 0}) == \(number)", "max({$x, -200}) == \(number)", "$x + 0 == \(number)",
                "TERNARY(1 == 1, $x, nil) == \(number)",
            ] {
                let found = zoo.get(
                    "/Sample?count=true&where=" + encoded(condition) + "&var.x=" + encoded(text))
                #expect(found.status == 200, "\(condition), \(text): \(found.text)")
                #expect(found["Total-Count"] == "1", "\(condition), \(text): \(found.text)")
            }
        }
        for condition in ["int64 == $x", "int64 == $x + 0", "sum({$x, 1}) == 17"] {
            let hexadecimal = zoo.get("/Sample?where=" + encoded(condition) + "&var.x=0x10")
            #expect(hexadecimal.status == 400, "\(condition): \(hexadecimal.text)")
        }
    }

    @Test(arguments: [false, true])
    func metadataTakesNumbersInFullDigits(_ inMemory: Bool) throws {
        let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory)
        let answer = zoo.patch(
            "/metadata",
            #"{"a":10000000000000000000,"b":1e19,"c":[18446744073709551616,1],"#
                + #""d":18446744073709551615,"e":-9223372036854775809}"#)
        #expect(answer.status == 200, "\(answer.text)")
        let metadata = try zoo.coordinator.store.metadata
        #expect(metadata["a"] == .unsigned(10_000_000_000_000_000_000))
        #expect(metadata["b"] == .real(1e19) && metadata["d"] == .unsigned(.max))
        #expect(metadata["c"] == .array([.real(0x1p64), .integer(1)]))
        #expect(metadata["e"] == .real(-0x1p63))
        // What is read is taken back as the same values.
        #expect(zoo.patch("/metadata", answer.text).text == answer.text)
        let again = try zoo.coordinator.store.metadata
        #expect(again == metadata)
    }

    @Test func aDecimalIsTakenWithUpTo15Digits() throws {
        let zoo = try ServiceFixture.zoo()
        let short = zoo.post("/Sample", #"{"decimal":10000000000000000000}"#)
        #expect(short.status == 201, "\(short.text)")
        #expect(
            zoo.get("/Sample?select=_id&where=" + encoded("decimal == 1e19")).text
                == #"[{"_id":1}]"#)
        let long = zoo.post("/Sample", #"{"decimal":18446744073709551616}"#)
        #expect(long.code == "value.type" && long.hint.contains("18446744073709551616"))
    }
}
