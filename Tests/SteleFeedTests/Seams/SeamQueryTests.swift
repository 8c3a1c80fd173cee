// Values in conditions, orders, pages, entity tags and computed columns.

import SteleJSON
import SteleModel
import TestSupport
import Testing

@testable import SteleService

@Suite(.timeLimit(.minutes(60))) struct SeamQueryTests {
    /// Pages by position give each object once, in the order of the whole list, whatever values they
    /// are sorted by.
    @Test(arguments: StoreKind.allCases)
    func pagesGiveEachObjectOnce(_ kind: StoreKind) throws {
        var run = SeamRun("pagesGiveEachObjectOnce", kind)
        defer { run.report() }
        for _ in 0..<SeamRun.rounds {
            let stage = try run.filled()
            let keys = SeamModel.comparable + SeamModel.derived + Self.computed
            for key in run.some(keys, 3) {
                let direction = run.values.numbers.pick("", "-")
                let order = direction + (key.hasPrefix("-") ? "(\(key))" : key)
                let sort = "sort=\(order.percentEncoded)"
                let whole = try ids(stage.must("GET", "/Thing?limit=1000&\(sort)"))
                #expect(Set(whole).count == SeamRun.objects)
                for limit in [1, 7] {
                    run.count("pages of \(limit)")
                    let found = try pages(stage, "/Thing?limit=\(limit)&\(sort)")
                    if found != whole {
                        run.fail("\(sort)&limit=\(limit): \(found), not \(whole)")
                    }
                }
            }
        }
    }

    private static let computed = [
        "double/decimal", "large*3.0", "float+double", "-small", "decimal*decimal", "large*large",
        "double*double", "decimal/3", "small/medium", "large+1", "date+1", "sqrt(double)",
        "CAST(double,\"NSDecimalNumber\")", "abs(large)", "trunc:(double)",
        "TERNARY(flag == YES, double, decimal)",
    ]

    private func pages(_ stage: SeamStage, _ first: String) throws -> [String] {
        var (found, target): ([String], String?) = ([], first)
        while let next = target, found.count <= SeamRun.objects {
            let answer = try stage.must("GET", next)
            found += ids(answer)
            target = answer["Link"].flatMap { link in
                link.contains("rel=\"next\"") ? String(link.dropFirst().prefix { $0 != ">" }) : nil
            }
        }
        return found
    }

    private func ids(_ answer: SeamStage.Answer) -> [String] {
        RawJSON.elements(answer.text).compactMap { RawJSON.members($0)["_id"] }
    }

    /// A value that was read finds its objects, as a variable in a target and in a body.
    @Test(arguments: StoreKind.allCases)
    func aValueThatIsReadFindsItsObjects(_ kind: StoreKind) throws {
        var run = SeamRun("aValueThatIsReadFindsItsObjects", kind)
        defer { run.report() }
        for _ in 0..<SeamRun.rounds {
            let stage = try run.filled()
            let stored = try stage.stored()
            for (key, members) in try ReadingRoad.list.read(stage) {
                for name in run.some(SeamModel.comparable, 2) {
                    guard let token = members[name], let value = stored[key]?[name] else {
                        continue
                    }
                    let same = stored.filter { $0.value[name] == value }.keys.sorted()
                        .map(String.init)
                    let plain = try WritingRoad.plain(token)
                    let target =
                        "/Thing?limit=1000&sort=_id&where=\(name)%20==%20$V"
                        + "&var.V=\(plain.percentEncoded)"
                    let body =
                        "{\"limit\":1000,\"sort\":\"_id\",\"where\":\"\(name) == $V\","
                        + "\"var\":{\"V\":\(token)}}"
                    let list = body.replacing("== $V", with: "IN $V")
                        .replacing("{\"V\":\(token)}", with: "{\"V\":[\(token)]}")
                    for (road, answer) in [
                        ("var", stage.ask("GET", target)),
                        ("query", stage.ask("POST", "/Thing/query", body)),
                        ("a list in query", stage.ask("POST", "/Thing/query", list)),
                    ] where road == "query" || value != .null {
                        run.count(road)
                        if answer.status == 200, ids(answer) == same { continue }
                        run.fail(
                            "\(road) \(name) \(token): \(SeamRun.short(answer.text)), not \(same)")
                    }
                }
            }
        }
    }

    /// What is computed is the same in each kind of store as in memory.
    @Test(arguments: StoreKind.allCases.filter { $0 != .memory })
    func computedValuesAreThoseOfTheStoreInMemory(_ kind: StoreKind) throws {
        var run = SeamRun("computedValuesAreThoseOfTheStoreInMemory", kind)
        defer { run.report() }
        for _ in 0..<SeamRun.rounds {
            let memory = try SeamStage(.memory)
            try memory.fill(SeamRun.objects, &run.values)
            let stage = try SeamStage(kind)
            try stage.load(memory.export(.ndjson, of: nil), as: "ndjson", entity: nil)
            for target in run.some(Self.questions, 10) {
                for form in run.some(["json", "csv", "ndjson"], 1) {
                    run.count(form)
                    let asked = "\(target)&format=\(form)"
                    let (one, two) = (memory.ask("GET", asked), stage.ask("GET", asked))
                    let areEqual =
                        one.text == two.text
                        || kind == .postgresql && Self.areSums(target, memory, stage)
                    if one.status != 200 || two.status != 200 || !areEqual {
                        run.fail("\(asked):\n\(one.text.prefix(2000))\n\(two.text.prefix(2000))")
                    }
                    if form == "csv", two.text.contains("nan") || two.text.contains("inf") {
                        run.fail("\(asked):\n\(two.text.prefix(2000))")
                    }
                }
            }
        }
    }

    /// Whether the answers of two services are sums of the same Doubles. PostgreSQL adds them in an
    /// order of its own, so that its sum may differ by the rounding of what is added.
    private static func areSums(
        _ target: String, _ memory: SeamStage, _ stage: SeamStage
    ) -> Bool {
        guard let sum = try? /(sum|average)\((double|float)\)/.firstMatch(in: target) else {
            return false
        }
        let sizes = target.replacing("(\(sum.output.2))", with: "(abs(\(sum.output.2)))")
        let answers = [(memory, target), (stage, target), (memory, sizes)].map { stage, target in
            Self.members(stage.ask("GET", "\(target)&format=json").text)
        }
        guard answers.allSatisfy({ $0.count == answers[0].count && !$0.isEmpty }) else {
            return false
        }
        return answers[0].indices.allSatisfy { place in
            let texts = answers.map { $0[place] }
            if texts[0] == texts[1] { return true }
            // A sum of the sizes that no Double holds bounds nothing.
            guard let bound = Double(texts[2]) else { return texts[2] == "null" }
            guard let one = Double(texts[0]), let two = Double(texts[1]) else { return false }
            return abs(one - two) <= bound * Double(SeamRun.objects) * .ulpOfOne
        }
    }

    /// The values in all rows of an answer, as JSON.
    private static func members(_ text: String) -> [String] {
        guard let document = try? JSONDocument(Array(text.utf8)),
            case .array(let rows) = JSONValue(document.root)
        else { return [] }
        return rows.flatMap { row -> [String] in
            if case .object(let members) = row { members.map(\.1.compact) } else { [] }
        }
    }

    private static var questions: [String] {
        let numbers = ["small", "large", "double", "float", "decimal"]
        let functions = ["sum", "average", "min", "max", "median", "stddev"]
        var all = [
            "/Thing?select=_id,echo,shout&sort=_id", "/Box?sort=_id",
            "/Box?select=_id,floats,decimals,smalls,count&sort=_id",
        ]
        for expression in computed {
            all.append("/Thing?select=_id,\("c:\(expression)".percentEncoded)&sort=_id")
        }
        for number in numbers {
            for function in functions { all.append("/Thing?select=a:\(function)(\(number))") }
            all.append(
                "/Thing?select=flag,s:sum(\(number)),m:average(\(number))&groupBy=flag&sort=flag")
        }
        return all
    }

    /// An entity tag stays until a value changes, and writing what was read changes none.
    @Test(arguments: StoreKind.allCases)
    func writingWhatWasReadChangesNothing(_ kind: StoreKind) throws {
        var run = SeamRun("writingWhatWasReadChangesNothing", kind)
        defer { run.report() }
        for _ in 0..<SeamRun.rounds {
            let stage = try run.filled()
            for (key, members) in try ReadingRoad.strings.read(stage) {
                let object = "/Thing/\(key)"
                let before = try stage.must("GET", object)
                let tag = before["ETag"] ?? ""
                for name in run.some(SeamModel.names, 2) {
                    run.count("PATCH")
                    let body = "{\"\(name)\":\(members[name] ?? "-")}"
                    let answer = stage.ask("PATCH", object, body, [("If-Match", tag)])
                    let again = stage.ask("GET", object, "", [("If-None-Match", tag)])
                    if answer.status == 200, answer.text == before.text, again.status == 304 {
                        continue
                    }
                    run.fail(
                        "PATCH \(object) \(SeamRun.short(body)): \(answer.status), then GET "
                            + "\(again.status)")
                    break
                }
            }
        }
    }
}
