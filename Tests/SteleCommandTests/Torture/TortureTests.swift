// The torture of the change feed: subscribers that drop and come back at random, writers, and a
// server that is killed again and again. At the end each subscriber has the history under its
// filter, once each, in order, and every answered save is in it.

import Foundation
import SteleDifferential
import TestSupport
import Testing

/// `make torture` kills the server twenty times, STELE_KILLS as often, under STELE_WRITERS; STELE_SEED
/// repeats what is drawn, though not what the threads make of it.
@Suite(.serialized) struct TortureTests {
    @Test func eachSubscriberHasTheHistoryUnderItsFilter() throws { try run("torture") }

    /// With each kill, what the server has not synced is lost: as if the machine had lost power.
    @Test(.enabled(if: PreloadedLibrary.compiler != nil, "there is no C compiler"))
    func answeredSavesOutliveAPowerCut() throws { try run("power cuts", losesUnsynced: true) }

    private func run(_ name: String, losesUnsynced: Bool = false) throws {
        let environment = ProcessInfo.processInfo.environment
        let kills = environment["STELE_KILLS"].flatMap { Int($0) } ?? 2
        let writers = environment["STELE_WRITERS"].flatMap { Int($0) } ?? 3
        let seed = drawSeed("\(name), \(kills) kills, \(writers) writers")
        let torture = try Torture(
            seed: seed, subscribers: 20, writers: writers, losesUnsynced: losesUnsynced)
        try torture.run(kills: kills)
        let failures = torture.failures
        let few = failures.prefix(12).map { String($0.prefix(2_000)) }.joined(separator: "\n")
        #expect(failures.isEmpty, "seed \(seed), \(failures.count) failures:\n\(few)")
        #expect(
            torture.counts.told > 100 && torture.counts.cuts > 0 && torture.counts.inParts > 0,
            "hardly anything happened")
        print("\(name): seed \(seed), \(torture.counts)")
    }
}

/// One run, and what came of it.
final class Torture {
    struct Failure: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }

    struct Counts: CustomStringConvertible {
        var kills = 0
        var saves = 0
        var answered = 0
        var unanswered = 0
        var told = 0
        var connections = 0
        var cuts = 0
        var inParts = 0
        var cut: PowerCut.Counts?

        var description: String {
            "\(kills) kills, \(saves) saves, \(answered) answered and \(unanswered) writes unanswered; "
                + "\(told) events told, \(inParts) in parts, over \(connections) connections, "
                + "\(cuts) of them cut within one"
                + (cut.map { "; \($0)" } ?? "")
        }
    }

    private(set) var counts = Counts()
    private(set) var failures: [String] = []
    private var numbers: SeededNumbers
    private let arguments: [String]
    private let state = TortureState()
    private let crews: (readers: Crew<FeedSubscriber.Report>, writers: Crew<[StaffWriter.Save]>)
    private let sizes: (readers: Int, writers: Int)
    private let store: String
    private let power: PowerCut?

    init(seed: UInt64, subscribers: Int, writers: Int, losesUnsynced: Bool) throws {
        numbers = SeededNumbers(seed: seed)
        let model = try temporaryFile(FeedFilter.model, name: "Staff.json")
        let folder = String(model.dropLast("/Staff.json".count))
        store = folder + "/staff.sqlite"
        power = losesUnsynced ? try PowerCut(folder) : nil
        arguments = [
            "serve", model, "--store", store, "--port", "0", "--heartbeat", "1", "--log-level",
            "warning",
        ]
        crews = (Crew(), Crew())
        sizes = (subscribers, writers)
    }

    /// - Throws: where the server does not start, or its history cannot be read.
    func run(kills: Int) throws {
        var server = try start()
        for index in 0..<sizes.readers {
            var filter = FeedFilter(&numbers)
            // The plain ones are there, whatever is drawn.
            if index < 2 { filter = FeedFilter() }
            if index == 1 { filter.values = true }
            let seed = numbers.next()
            crews.readers.start { [state, filter] in
                var subscriber = FeedSubscriber(state, filter, seed: seed)
                return subscriber.follow()
            }
        }
        for index in 0..<sizes.writers {
            let seed = numbers.next()
            crews.writers.start { [state, writers = sizes.writers] in
                // Together they make as many large saves as three do.
                var writer = StaffWriter(
                    state, name: "w\(index)", seed: seed, largeEach: max(100, 33 * writers))
                return writer.write()
            }
        }
        for _ in 0..<kills {
            usleep(UInt32(300_000 + numbers.below(900_000)))
            try kill(server)
            server = try start()
        }
        usleep(300_000)
        // A slow machine's server is killed before it has answered much.
        for _ in 0..<600 where !state.hasLargeSave || state.saves < 60 { usleep(100_000) }
        state.isOver = true
        let written = crews.writers.reported().flatMap { $0 }
        if power != nil {
            try kill(server, losing: .all)
            server = try start()
        }
        guard let port = state.port else { throw Failure("the server is not there") }
        let caller = Caller(port: port)
        let history = try caller.history()
        state.goal = Self.number(Self.text(history.last?["transaction"]))
        let reports = crews.readers.reported()
        let check = HistoryCheck(history)
        failures += check.failures + check.failures(of: written)
        try compare(check, with: caller)
        compare(reports, with: history)
        counts.saves = history.count
        counts.answered = written.filter { $0.status != nil }.count
        counts.unanswered = written.count - counts.answered
        try kill(server, losing: .all)
        counts.kills = kills
        counts.cut = power?.counts
        try checkFile()
    }

    /// The file itself, after the last kill.
    private func checkFile() throws {
        let (status, output, errors) = try Program.run("check", store)
        if status != 0 { failures.append("stele check says \(output)\(errors)") }
        let said = try RawDatabase(store).texts("PRAGMA integrity_check")
        if said != ["ok"] { failures.append("integrity_check says \(said)") }
    }

    private func start() throws -> Program {
        let server = try Program(arguments, environment: try power?.environment(delay: 5) ?? [:])
        let lines = server.lines(3)
        guard lines.count == 3 else { throw Failure("no start: \(server.end())") }
        state.port = try Caller(lines).port
        return server
    }

    /// - Parameter loss: what is lost of what was not synced, where anything is; nil draws it.
    private func kill(_ server: Program, losing loss: PowerCut.Loss? = nil) throws {
        // Nobody looks for it any more, and who is there is cut off.
        state.port = nil
        server.signal(SIGKILL)
        let (status, errors) = server.end()
        if status != SIGKILL || !errors.isEmpty {
            failures.append("the server ended by \(status): \(errors)")
        }
        guard let power else { return }
        try power.cut(loss ?? numbers.pick(PowerCut.Loss.allCases, or: .all), &numbers)
    }

    // MARK: Comparing

    /// The history leads to what the lists give.
    private func compare(_ check: HistoryCheck, with caller: Caller) throws {
        var listed: [String: String] = [:]
        for entity in ["Person", "Team"] {
            var last = 0
            while true {
                let path = "/\(entity)?sort=_id&limit=1000&where=_id%20%3E%20\(last)"
                guard let rows = caller.ask("GET", path)?.json as? [[String: Any]] else {
                    throw Failure("no answer to \(path)")
                }
                guard let end = rows.last?["_id"] as? NSNumber else { break }
                last = end.intValue
                for row in rows { listed["\(entity) \(row["_id"] ?? "")"] = Self.json(row) }
            }
        }
        let played = check.objects.mapValues(Self.json)
        for key in Set(listed.keys).union(played.keys) where listed[key] != played[key] {
            failures.append(
                "\(key) is \(listed[key] ?? "-"), and by the history \(played[key] ?? "-")")
        }
    }

    private func compare(_ reports: [FeedSubscriber.Report], with history: [[String: Any]]) {
        for report in reports {
            let who = "the subscriber of ?\(report.filter.query)"
            failures += report.failures.map { "\(who): \($0)" }
            counts.connections += report.connections
            counts.cuts += report.cuts
            counts.told += report.saves.count
            counts.inParts += report.saves.count { $0.parts.count > 1 }
            let start = report.start.map { Self.number($0) } ?? 0
            let wanted = history.compactMap { save -> (Int64, [String: Any])? in
                let number = Self.number(Self.text(save["transaction"]))
                guard number > start, let told = report.filter.told(of: save) else { return nil }
                return (number, told)
            }
            let (had, lacked) = (report.saves.map { $0.number }, wanted.map { $0.0 })
            if had != lacked {
                let twice = zip(had, had.dropFirst()).filter { $0 >= $1 }.map { "\($0), \($1)" }
                failures.append(
                    "\(who) from \(start) lacks \(Set(lacked).subtracting(had).sorted()), has "
                        + "\(Set(had).subtracting(lacked).sorted()) too much, and not in order \(twice)"
                )
                continue
            }
            for (save, (number, all)) in zip(report.saves, wanted) {
                let told = Self.joined(save.parts)
                if !Self.isSame(told, all) {
                    failures.append(
                        "\(who) was told \(Self.json(told)) for \(Self.json(all)) at \(number)")
                }
            }
        }
    }

    /// The parts of a save as one: each says which it is, and of how many.
    private static func joined(_ parts: [[UInt8]]) -> [String: Any] {
        let read = parts.compactMap {
            try? JSONSerialization.jsonObject(with: Data($0)) as? [String: Any]
        }
        guard var whole = read.first, read.count == parts.count else { return ["no": "JSON"] }
        if parts.count > 1 {
            for (index, part) in read.enumerated() {
                let numbers = [part["part"], part["of"]].map { ($0 as? NSNumber)?.intValue }
                guard numbers == [index + 1, parts.count] else {
                    return ["part": "\(numbers)"]
                }
            }
            whole["part"] = nil
            whole["of"] = nil
        }
        whole["changes"] = read.flatMap { $0["changes"] as? [Any] ?? [] }
        return whole
    }

    /// Whether two values of JSON are the same. Texts would have to be sorted first, which takes ten
    /// times as long.
    private static func isSame(_ one: Any, _ other: Any) -> Bool {
        switch (one, other) {
        case (let one as [String: Any], let other as [String: Any]):
            one.count == other.count
                && one.allSatisfy { key, value in other[key].map { isSame(value, $0) } ?? false }
        case (let one as [Any], let other as [Any]):
            one.count == other.count && zip(one, other).allSatisfy { isSame($0, $1) }
        case (let one as String, let other as String): one.utf8.elementsEqual(other.utf8)
        case (let one as NSNumber, let other as NSNumber):
            // True is not 1.
            one == other && strcmp(one.objCType, other.objCType) == 0
        case (is NSNull, is NSNull): true
        default: false
        }
    }

    // MARK: JSON

    /// The same text for the same values.
    static func json(_ object: [String: Any]) -> String {
        let data = try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "no JSON"
    }

    static func text(_ value: Any?) -> String { value as? String ?? "" }

    /// The number of a token; -1 for what is none.
    static func number(_ token: String) -> Int64 {
        token.split(separator: "-").last.flatMap { Int64($0) } ?? -1
    }

    /// The number of the save that an event's data begins with.
    static func saveNumber(ofEvent data: String) -> Int64 {
        number(data.components(separatedBy: "\"").dropFirst(3).first ?? "")
    }
}
