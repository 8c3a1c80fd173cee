/// Asks random questions of the store in memory and the one in SQLite for as long as one likes.

import Foundation
import SteleDifferential
import TestSupport

/// `Differential COUNT [SEED] [THREADS]`; STELE_STORE=postgresql compares another store than SQLite.
@main
struct Differential {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst().filter { !$0.isEmpty }
        let count = arguments.first.flatMap { Int($0) } ?? 100_000
        let seed =
            arguments.dropFirst().first.flatMap { UInt64($0) }
            ?? UInt64.random(in: 1...UInt64(UInt32.max))
        let threads =
            arguments.dropFirst(2).first.flatMap { Int($0) }
            ?? ProcessInfo.processInfo.activeProcessorCount
        let questions = 500
        let named = ProcessInfo.processInfo.environment["STELE_STORE"].flatMap(StoreKind.init)
        let run = DifferentialRun(
            seed: seed, questions: min(questions, max(count, 1)), kind: named ?? .sqlite)
        let rounds = max(1, (count + questions - 1) / questions)
        print("seed \(seed), \(rounds) rounds of \(run.questions) questions on \(threads) threads")
        let tally = Tally(rounds: rounds)
        let start = Date()
        let group = DispatchGroup()
        for _ in 0..<threads {
            let thread = Thread {
                while let round = tally.next() { tally.add(run, round) }
                group.leave()
            }
            thread.stackSize = 8 << 20
            group.enter()
            thread.start()
        }
        group.wait()
        let report = tally.report
        print(
            "\(report.compared) compared, \(report.telling) of them telling, "
                + "\(report.refused) refused by the check, "
                + "\(report.notBuilt.values.reduce(0, +)) not built, "
                + "\(report.mismatches.count) mismatches, "
                + "\(Int(Date().timeIntervalSince(start))) s")
        for (what, count) in report.notBuilt.sorted(by: { $0.value > $1.value }).prefix(30) {
            print("  not built, \(count): \(what)")
        }
        if ProcessInfo.processInfo.environment["STELE_REFUSALS"] != nil {
            for (what, count) in report.refusals.sorted(by: { $0.value > $1.value }).prefix(40) {
                print("  refused, \(count): \(what)")
            }
        }
        exit(report.mismatches.isEmpty && tally.failure == nil ? 0 : 1)
    }
}
