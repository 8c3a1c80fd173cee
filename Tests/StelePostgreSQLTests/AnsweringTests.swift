// Random requests have one answer in memory and in PostgreSQL.

import Foundation
import SteleDifferential
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.shared != nil)) struct AnsweringTests {
    /// The seed of a run in STELE_SEED.
    @Test func itAnswersAsTheStoreInMemory() throws {
        let seed = drawSeed("itAnswersAsTheStoreInMemory")
        let run = DifferentialRun(seed: seed, questions: 150, kind: .postgresql)
        var report = DifferentialRun.Report()
        for round in 0..<6 { report.add(try run.round(round)) }
        for mismatch in report.mismatches { Issue.record("\(mismatch)") }
        #expect(report.notBuilt.isEmpty, "\(report.notBuilt)")
        guard report.mismatches.isEmpty else { return }
        #expect(report.compared > 700 && report.telling > 200, "\(report.compared) compared")
    }
}
