// Whatever is written is read back as the same value, by every road.

import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleService

@Suite(.timeLimit(.minutes(60))) struct SeamTests {
    @Test(arguments: StoreKind.allCases)
    func everyRoadReadsAndWritesTheSameValue(_ kind: StoreKind) throws {
        var run = SeamRun("everyRoadReadsAndWritesTheSameValue", kind)
        defer { run.report() }
        for _ in 0..<SeamRun.rounds {
            let stage = try run.filled()
            let stored = try stage.stored()
            var tokens: [ReadingRoad: [Int64: [String: String]]] = [:]
            for road in ReadingRoad.allCases { tokens[road] = try road.read(stage) }
            try compare(tokens, stored, &run)
            let copies = try SeamStage(kind)
            for (key, values) in stored.sorted(by: { $0.key < $1.key }) {
                for name in run.some(SeamModel.names, 3) {
                    let journey = picked(name, values[name], &run)
                    let token = tokens[journey.reading]?[key]?[name] ?? "-"
                    let outcome = try journey.writing.write(name, token, on: copies)
                    let wanted = SeamStage.exact(values[name])
                    run.count("\(journey.writing)")
                    if outcome == .stored(wanted) { continue }
                    let smallest = values[name].flatMap { journey.smallest($0, outcome) }
                    run.fail(
                        "\(journey): "
                            + (smallest ?? "\(SeamRun.short(token)) of \(wanted) is \(outcome)"))
                }
            }
        }
    }

    /// Nor a value that fails in another way, or not at all.
    @Test func aCompositeIsNotMadeSmaller() {
        for (name, value) in [("part", Value.string("x")), ("double", .double(1.5))] {
            let journey = SeamJourney(
                kind: .memory, name: name, reading: .select, writing: .post)
            #expect(journey.smallest(value, .stored("x")) == nil)
        }
        let refused = SeamOutcome.refused("value")
        #expect(refused.sort != SeamOutcome.refused("unknown-key").sort)
        #expect(refused.sort != SeamOutcome.stored("value").sort)
        #expect(SeamOutcome.stored("x").sort == SeamOutcome.stored("y").sort)
    }

    /// The metadata takes the same numbers, and gives the same.
    @Test(arguments: StoreKind.allCases)
    func numbersOfTheMetadataAreTheSame(_ kind: StoreKind) throws {
        let stage = try SeamStage(kind)
        for spelling in SeamSpelling.all where spelling.name == "double" {
            guard case .double(let number)? = spelling.value else { continue }
            try stage.must("PATCH", "/metadata", "{\"seam\":\(spelling.token)}")
            let text = RawJSON.members(try stage.must("GET", "/metadata").text)["seam"] ?? ""
            #expect(Double(text.filter { $0 != "\"" }) == number, "\(spelling): \(text)")
        }
    }

    /// All roads of reading give the same text, but for the digits of those with strings.
    private func compare(
        _ tokens: [ReadingRoad: [Int64: [String: String]]],
        _ stored: [Int64: [String: Value]], _ run: inout SeamRun
    ) throws {
        let texts = tokens[.select] ?? [:]
        for (road, read) in tokens where road != .strings {
            #expect(read.keys.sorted() == stored.keys.sorted(), "\(road)")
            for (key, members) in texts {
                for name in SeamModel.names + SeamModel.derived where road.has(name) {
                    run.count("\(road)")
                    if let text = read[key]?[name], text == members[name] { continue }
                    run.fail(
                        "\(road) gives \(name) \(SeamRun.short(read[key]?[name])), and select "
                            + SeamRun.short(members[name]))
                }
            }
        }
    }

    private func picked(_ name: String, _ value: Value?, _ run: inout SeamRun) -> SeamJourney {
        // Decimals of more digits than a Double keeps are taken as strings alone.
        var isLong = false
        if case .decimal(let it)? = value {
            isLong = "\(it)".filter(\.isNumber).drop { $0 == "0" }.count > 15
        }
        let reading = ReadingRoad.allCases.filter { isLong ? $0 == .strings : $0.has(name) }
        // A composite is several columns of CSV.
        let writing = name == "part" ? WritingRoad.ofJSON : WritingRoad.allCases
        return SeamJourney(
            kind: run.kind, name: name, reading: run.values.numbers.pick(reading, or: .select),
            writing: run.values.numbers.pick(writing, or: .post))
    }

    /// However a value is spelled, all roads store the same, or all refuse it, but for what imports
    /// take besides.
    @Test(arguments: StoreKind.allCases)
    func everySpellingIsTakenByAllRoadsOrByNone(_ kind: StoreKind) throws {
        var run = SeamRun("everySpellingIsTakenByAllRoadsOrByNone", kind)
        defer { run.report() }
        let stage = try SeamStage(kind)
        let all = SeamSpelling.all
        for spelling in run.some(all, kind == .memory ? all.count : 30) {
            let roads = WritingRoad.allCases.filter { spelling.isForCSV || $0 != .csv }
            for road in run.some(roads, kind == .memory ? roads.count : 1) {
                run.count("\(road)")
                let outcome = try road.write(spelling.name, spelling.token, on: stage)
                let wanted = spelling.wanted(by: road)
                switch (outcome, wanted) {
                case (.refused, nil): break
                case (.stored(let text), let value?) where text == SeamStage.exact(value): break
                default:
                    run.fail(
                        "\(spelling) by \(road): \(outcome), not "
                            + (wanted.map { SeamStage.exact($0) } ?? "refused"))
                }
            }
            if spelling.value != nil, SeamModel.comparable.contains(spelling.name) {
                try find(spelling, in: stage, &run)
            }
        }
    }

    /// A variable that is spelled so finds what was stored.
    private func find(
        _ spelling: SeamSpelling, in stage: SeamStage, _ run: inout SeamRun
    ) throws {
        let (name, token) = (spelling.name, spelling.token)
        let plain = try WritingRoad.plain(token)
        let body = "{\"where\":\"\(name) == $V\",\"select\":\"_id\",\"var\":{\"V\":\(token)}}"
        for (road, answer) in [
            (
                "var",
                stage.ask(
                    "GET",
                    "/Thing?where=\(name)%20==%20$V&select=_id&var.V=\(plain.percentEncoded)")
            ), ("query", stage.ask("POST", "/Thing/query", body)),
        ] {
            run.count(road)
            if answer.status == 200, !RawJSON.elements(answer.text).isEmpty { continue }
            run.fail("\(spelling) is not found by \(road): \(SeamRun.short(answer.text))")
        }
    }
}
