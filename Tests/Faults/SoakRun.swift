/// A mixed load with faults, for as long as one likes.

import Foundation
import SteleSystem
import TestSupport

/// Serves a store of 50,000 objects to clients of every kind, stops the service now and then, and
/// looks at what it takes of the machine.
public struct SoakRun: Sendable {
    private struct Sample {
        let second: Double
        let figures: ServedProgram.Figures
        /// Bytes of the `-wal`.
        let log: Int
    }

    private let seconds: Double
    private let seed: UInt64
    private let people: Int
    private static let teams = 100
    /// A shorter run has not filled the caches by its third tenth.
    private static let telling = 300.0
    private static let mostGrowth = 1.03
    private static let longestLog = 512 << 20

    /// - Parameters:
    ///   - seconds: how long clients are served.
    ///   - people: the objects of the store.
    public init(seconds: Double, seed: UInt64, people: Int = 50_000) {
        self.seconds = seconds
        self.seed = seed
        self.people = people
    }

    /// Runs it, and prints a line for each sample and what came of it.
    /// - Returns: whether all was as it should be.
    /// - Throws: what cannot be prepared.
    public func run() throws -> Bool {
        say("seed \(seed), \(Int(seconds)) s, \(people) objects")
        let folder = try TemporaryFolder()
        let model = try folder.write(SoakState.model, to: "Soak.json")
        let server = try ServedProgram(
            [
                model, "--store", folder.store, "--log-level", "error", "--history-size", "16",
                "--context-lifetime", "20", "--heartbeat", "1", "--idle-timeout", "10",
                "--row-cache", "8",
            ], folder: folder.path)
        try fill(server)
        try writeAll(server)
        try readAll(server)
        let start = server.figures()
        let state = SoakState(
            port: server.port, people: people, teams: Self.teams, seconds: seconds)
        let samples = play(server, state, log: folder.store + "-wal")
        var failures = state.failures + judge(samples)
        failures += departed(server, start, samples)
        if let end = server.stop() { failures.append(end) }
        failures += try check(folder.store)
        say(state.summary)
        let errors = server.errors.split(separator: "\n")
        if !errors.isEmpty {
            say(
                "the service said \(errors.count) lines: \(errors.prefix(5).joined(separator: "\n"))"
            )
        }
        for failure in failures { say("FAILED \(failure)") }
        say(failures.isEmpty ? "no failure" : "\(failures.count) failures, seed \(seed)")
        return failures.isEmpty
    }

    private func fill(_ server: ServedProgram) throws {
        func post(_ path: String, _ rows: [String]) throws {
            let body = "[\(rows.joined(separator: ","))]"
            let connection = RawConnection(port: server.port)
            connection?.send(
                SoakClient.bytes("POST", path, body, ["Prefer: return=minimal"]))
            guard case .answer(let answer)? = connection?.answer(within: 120, keep: 500),
                answer.status < 300
            else { throw FaultFailure("the store cannot be filled: \(server.errors)") }
        }
        try post("/Team", (1...Self.teams).map { "{\"name\":\"Team \($0)\"}" })
        let names = ["Ann", "Bo", "Cy", "Di", "Ed", "Ännchen"]
        for start in stride(from: 0, to: people, by: 1_000) {
            try post(
                "/Person",
                (start..<min(people, start + 1_000)).map {
                    "{\"name\":\"\(names[$0 % 6])\",\"age\":\($0 % 90),\"team\":\(1 + $0 % Self.teams),"
                        + "\"salary\":\"\($0 % 7_000).5\",\"born\":\"1990-01-01\",\"mark\":\"first \($0)\"}"
                })
        }
    }

    /// Changes each object once, so that the writer's page cache is full when the clients begin.
    private func writeAll(_ server: ServedProgram) throws {
        guard let connection = RawConnection(port: server.port) else {
            throw FaultFailure("the store cannot be written: \(server.errors)")
        }
        for age in 0..<90 {
            connection.send(
                SoakClient.bytes("PATCH", "/Person?where=age==\(age)", "{\"mark\":\"second\"}"))
            guard case .answer(let answer) = connection.answer(within: 60, keep: 500),
                answer.status == 200
            else { throw FaultFailure("the people of age \(age) cannot be changed") }
        }
    }

    /// Reads each object once, so that the row cache is full when the clients begin.
    private func readAll(_ server: ServedProgram) throws {
        guard let connection = RawConnection(port: server.port) else {
            throw FaultFailure("the store cannot be read: \(server.errors)")
        }
        for start in stride(from: 1, through: people, by: 100) {
            let ids = start...min(people, start + 99)
            connection.send(ids.flatMap { SoakClient.bytes("GET", "/Person/\($0)") })
            for id in ids {
                guard case .answer(let answer) = connection.answer(within: 60, keep: 500),
                    answer.status == 200
                else { throw FaultFailure("/Person/\(id) cannot be read") }
            }
        }
    }

    // MARK: Running

    private func play(_ server: ServedProgram, _ state: SoakState, log: String) -> [Sample] {
        let roles = SoakRole.allCases.flatMap { Array(repeating: $0, count: $0.count) }
        let samples = Mutex<[Sample]>([])
        onThreads(roles.count + 2) { thread in
            switch thread {
            case roles.count: disturb(server, state)
            case roles.count + 1:
                let began = Date()
                while !state.isOver {
                    state.sleep(min(10, seconds / 12))
                    let second = Date().timeIntervalSince(began)
                    let sample = Sample(
                        second: second, figures: server.figures(), log: Self.size(log))
                    samples.withLock { $0.append(sample) }
                    say(text(sample, state))
                    if !server.isRunning { state.fail("the service has ended") }
                }
            default:
                var client = SoakClient(
                    state, roles[thread], number: thread,
                    seed: seed &* 1_000_003 &+ UInt64(thread))
                client.run()
            }
        }
        return samples.withLock { $0 }
    }

    /// Stops the service for a second now and then.
    private func disturb(_ server: ServedProgram, _ state: SoakState) {
        var numbers = SeededNumbers(seed: seed)
        while !state.isOver {
            state.sleep(min(seconds / 3, 15 + Double(numbers.below(10))))
            if state.isOver { return }
            server.signal(SIGSTOP)
            usleep(1_000_000)
            server.signal(SIGCONT)
            state.noteStop()
        }
    }

    private static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    private func text(_ sample: Sample, _ state: SoakState) -> String {
        let figures = sample.figures
        return "\(Int(sample.second.rounded())) s: \(mebibytes(figures.resident)) resident, "
            + "\(mebibytes(figures.anonymous)) anonymous, wal \(mebibytes(sample.log >> 10)), "
            + "\(figures.descriptors) files, \(figures.sockets) sockets, \(figures.threads) threads, "
            + "\(state.answered) answers, \(state.refused) of 500 and more"
    }

    // MARK: Judging

    /// The middle one of what was seen from one share of the run to another.
    private func middle(
        _ samples: [Sample], _ from: Double, _ to: Double, _ value: (Sample) -> Int
    ) -> Int {
        let seen = samples.filter { (from * seconds...to * seconds + 2).contains($0.second) }
            .map(value).sorted()
        return seen.isEmpty ? 0 : seen[seen.count / 2]
    }

    private func most(
        _ samples: [Sample], _ from: Double, _ to: Double, _ value: (Sample) -> Int
    ) -> Int {
        samples.filter { (from * seconds...to * seconds + 2).contains($0.second) }
            .map(value).max() ?? 0
    }

    /// The memory in the last tenth of the time, as a ratio of that in the third. By then the caches
    /// are full, and the history has been trimmed, which is done once a minute.
    private func growth(
        _ name: String, _ samples: [Sample], _ value: (Sample) -> Int
    ) -> Double {
        let full = middle(samples, 0.2, 0.3, value)
        let last = middle(samples, 0.9, 1, value)
        let ratio = Double(last) / Double(max(1, full))
        say(
            "\(name): \(mebibytes(full)) in the third tenth of the time, when the caches are full, "
                + "\(mebibytes(last)) in the last: \(ratioText(ratio))")
        return ratio
    }

    private func judge(_ samples: [Sample]) -> [String] {
        var failures: [String] = []
        let isJudged = seconds >= Self.telling
        let ratio = growth("anonymous memory", samples, \.figures.anonymous)
        // It has the mapped pages of the store's file, once for each connection.
        _ = growth("resident memory, which is not judged", samples, \.figures.resident)
        if !isJudged { say("memory is not judged in so short a time") }
        if isJudged, ratio > Self.mostGrowth {
            failures.append("memory has grown to \(ratioText(ratio)) of what it was")
        }
        let log = most(samples, 0, 1, \.log)
        let (middleLog, lastLog) = (
            most(samples, 0.33, 0.66, \.log), most(samples, 0.66, 1, \.log)
        )
        say(
            "wal: \(mebibytes(log >> 10)) at most; \(mebibytes(middleLog >> 10)) in the middle "
                + "third, \(mebibytes(lastLog >> 10)) in the last")
        if log > Self.longestLog { failures.append("the wal had \(mebibytes(log >> 10))") }
        if isJudged, lastLog > middleLog + middleLog / 2 + (16 << 20) {
            failures.append("the wal grows without end")
        }
        return failures
    }

    /// What is left when all clients have gone.
    private func departed(
        _ server: ServedProgram, _ start: ServedProgram.Figures, _ samples: [Sample]
    ) -> [String] {
        // Some are noticed when they have been idle for too long.
        var last = server.figures()
        for _ in 0..<200 where last.sockets > start.sockets {
            usleep(100_000)
            last = server.figures()
        }
        say(
            "files: \(start.descriptors) with \(start.sockets) sockets at the start, "
                + "\(last.descriptors) with \(last.sockets) sockets when all clients had gone")
        var failures: [String] = []
        if last.sockets > start.sockets {
            failures.append("\(last.sockets - start.sockets) connections are left")
        }
        // Readers of the store are opened as they are needed.
        let files = most(samples, 0.2, 0.4) { $0.figures.descriptors - $0.figures.sockets }
        if last.descriptors - last.sockets > files + 8 {
            failures.append("\(last.descriptors - last.sockets) files are open, and were \(files)")
        }
        return failures
    }

    private func check(_ store: String) throws -> [String] {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: ServedProgram.file)
        process.arguments = ["check", store]
        process.standardOutput = output
        try process.run()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        say(
            "stele check: \(String(decoding: said, as: UTF8.self).split(separator: "\n").last ?? "")"
        )
        return process.terminationStatus == 0
            ? [] : ["stele check: \(String(decoding: said, as: UTF8.self))"]
    }
}
