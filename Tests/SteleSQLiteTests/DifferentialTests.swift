/// Random requests have one answer in memory and in SQL; `make differential` asks more of them.

import Foundation
import SteleDifferential
import Testing

@Suite struct DifferentialTests {
    /// Runs of neighbouring seeds, as the two halves below are, ask different questions.
    @Test func neighbouringSeedsShareNoRound() {
        let seeds = (0..<4 as Range<UInt64>).flatMap { number in
            let run = DifferentialRun(seed: 7 + number)
            return (0..<50).map { run.seed(of: $0) }
        }
        #expect(Set(seeds).count == seeds.count)
    }

    /// The seed of a run in STELE_SEED.
    @Test(arguments: [0, 1])
    func twoStoresAnswerAlike(half: Int) throws {
        let given = ProcessInfo.processInfo.environment["STELE_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 1...UInt64(UInt32.max))
        let run = DifferentialRun(seed: seed &+ UInt64(half), questions: 150)
        print("differential test: seed \(run.seed)")
        var report = DifferentialRun.Report()
        for round in 0..<20 { report.add(try run.round(round)) }
        for mismatch in report.mismatches { Issue.record("\(mismatch)") }
        #expect(report.notBuilt.isEmpty, "\(report.notBuilt)")
        guard report.mismatches.isEmpty else { return }
        #expect(report.compared > 2_500 && report.telling > 700, "\(report.compared) compared")
    }
}
