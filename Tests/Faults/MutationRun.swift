/// Random changes of bytes in valid requests, over sockets.

import Foundation
import SteleFuzz
import TestSupport

/// Serves the model of the fuzzer, and sends it mutations of requests that are valid.
public struct MutationRun: Sendable {
    private let count: Int
    private let seed: UInt64
    private let threads: Int
    private let requests: Int
    /// The least number of requests in a tenth for which memory is judged.
    private static let telling = 50_000
    /// Bytes of growth for each request. Pages of SQLite and freed memory between what is in use are
    /// about 25 for a million requests; an object that is kept for each is more than 48, and what a
    /// request makes is thousands. The address sanitizer looks for leaks at the end.
    private static let mostGrowth = 48.0

    /// - Parameters:
    ///   - count: mutations of each request.
    ///   - requests: how many valid ones there are.
    public init(count: Int, seed: UInt64, requests: Int = 1_000, threads: Int = 8) {
        self.count = count
        self.seed = seed
        self.requests = requests
        self.threads = threads
    }

    /// Runs it, and prints what came of it.
    /// - Returns: whether all was as it should be.
    /// - Throws: what cannot be prepared.
    public func run() throws -> Bool {
        say("seed \(seed), \(count) mutations of \(requests) requests")
        let folder = try TemporaryFolder()
        let model = try folder.write(RequestMessage.model, to: "Fuzz.json")
        let server = try ServedProgram(
            [
                model, "--store", folder.store, "--log-level", "error", "--history-size", "16",
                "--context-lifetime", "20",
                // Else it fills during the run, which looks like a leak.
                "--row-cache", "1",
            ], folder: folder.path)
        let kept = NSTemporaryDirectory() + "stele-mutations-\(seed)"
        try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: true)
        let tally = MutationTally()
        let start = Date()
        var failures = try play(server, tally, kept)
        let seconds = Date().timeIntervalSince(start)
        if let end = server.stop() { failures.append(end) }
        failures += tally.findings
        say("\(tally.sent) requests in \(Int(seconds)) s: \(tally.counts)")
        let errors = server.errors
        if !errors.isEmpty { say("the service said: \(errors.suffix(2_000))") }
        for failure in failures { say("FAILED \(failure)") }
        if tally.findings.isEmpty { try? FileManager.default.removeItem(atPath: kept) }
        say(failures.isEmpty ? "no failure" : "\(failures.count) failures, seed \(seed)")
        return failures.isEmpty
    }

    private func play(
        _ server: ServedProgram, _ tally: MutationTally, _ kept: String
    ) throws -> [String] {
        let first = settled(server, sockets: nil)
        let valid = try validRequests(server, tally, kept)
        say("started: \(text(first))")
        var second = first
        var last = first
        for tenth in 0..<10 {
            let share = valid.indices.filter { $0 % 10 == tenth }
            onThreads(threads) { thread in
                var client = MutationClient(server, tally, folder: kept)
                for index in share where index / 10 % threads == thread && !tally.isOver {
                    client.mutate(
                        valid[index], count: count, seed: seed &* 1_000_003 &+ UInt64(index))
                }
            }
            guard server.isRunning, !tally.isOver else { return [] }
            // A long read, or a wait for an editing context, may go on without its client.
            last = settled(server, sockets: first.sockets, seconds: tenth < 9 ? 5 : 60)
            if tenth == 1 { second = last }
            say("tenth \(tenth + 1): \(tally.sent) requests, \(text(last))")
        }
        return judge(first, second, last, server, sent: tally.sent)
    }

    private func judge(
        _ first: ServedProgram.Figures, _ second: ServedProgram.Figures,
        _ last: ServedProgram.Figures, _ server: ServedProgram, sent: Int
    ) -> [String] {
        var failures: [String] = []
        if RawConnection(port: server.port).map({ connection in
            connection.send(Array("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            if case .answer(let answer) = connection.answer(within: 10) {
                return answer.status == 200
            }
            return false
        }) != true {
            failures.append("the service does not answer at the end")
        }
        let growth =
            1_024 * Double(last.anonymous - second.anonymous) / Double(max(1, sent / 10 * 8))
        let isJudged = sent / 10 >= Self.telling
        say(
            "anonymous memory: \(mebibytes(second.anonymous)) after the second tenth, "
                + "\(mebibytes(last.anonymous)) after the last: "
                + "\(Int(growth.rounded())) bytes for each request"
                + (isJudged ? "" : ", not judged after so few requests"))
        if isJudged, growth > Self.mostGrowth {
            failures.append("memory grows by \(Int(growth)) bytes for each request")
        }
        if last.sockets > first.sockets {
            failures.append("\(last.sockets) sockets are open, and \(first.sockets) at the start")
        }
        // Connections to the store are opened as they are needed.
        if last.descriptors > second.descriptors + 16 {
            failures.append(
                "\(last.descriptors) files are open, and \(second.descriptors) after two tenths")
        }
        return failures
    }

    /// Requests that are answered well, in different forms.
    private func validRequests(
        _ server: ServedProgram, _ tally: MutationTally, _ folder: String
    ) throws -> [ValidRequest] {
        var client = MutationClient(server, tally, folder: folder)
        var valid: [ValidRequest] = []
        var tried = 0
        for round in 0..<40 where valid.count < requests {
            for (index, text) in RequestMessage.seeds.enumerated() where valid.count < requests {
                let form = RequestMessage.forms[(round + index) % RequestMessage.forms.count]
                // An event stream has no end.
                let request = ValidRequest(
                    text: text, form: text.contains("event-stream") ? [] : form,
                    isChunked: round % 4 == 3)
                tried += 1
                if client.isValid(request) { valid.append(request) }
            }
        }
        guard valid.count == requests else {
            throw FaultFailure(
                "only \(valid.count) of \(tried) requests are answered well: \(server.errors)")
        }
        say("\(requests) valid requests of \(tried) in \(RequestMessage.seeds.count) texts")
        return valid
    }

    /// What the system knows of it once the clients have gone.
    private func settled(
        _ server: ServedProgram, sockets: Int?, seconds: Int = 5
    ) -> ServedProgram.Figures {
        var figures = server.figures()
        for _ in 0..<10 * seconds {
            usleep(100_000)
            figures = server.figures()
            if let sockets, figures.sockets <= sockets { break }
            if sockets == nil { break }
        }
        return figures
    }

    private func text(_ figures: ServedProgram.Figures) -> String {
        "\(mebibytes(figures.resident)) resident, \(mebibytes(figures.anonymous)) of it anonymous, "
            + "\(figures.descriptors) files, \(figures.sockets) sockets, \(figures.threads) threads"
    }
}
