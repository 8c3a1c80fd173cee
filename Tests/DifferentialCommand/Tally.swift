/// What the threads of a run share.

import Foundation
import SteleDifferential
import Synchronization

/// Rounds still to do, and what came of those done.
final class Tally: Sendable {
    private struct State {
        var next = 0
        var report = DifferentialRun.Report()
        var failure: String?
    }

    private static let mostMismatches = 12
    private let rounds: Int
    private let state = Mutex(State())

    init(rounds: Int) { self.rounds = rounds }

    var report: DifferentialRun.Report { state.withLock { $0.report } }
    var failure: String? { state.withLock { $0.failure } }

    /// The next round, or nil where there is none left or enough has gone wrong.
    func next() -> Int? {
        state.withLock { state in
            guard state.next < rounds, state.report.mismatches.count < Self.mostMismatches,
                state.failure == nil
            else { return nil }
            state.next += 1
            return state.next - 1
        }
    }

    /// Runs one round and says what is wrong at once.
    func add(_ run: DifferentialRun, _ round: Int) {
        do {
            let report = try run.round(round)
            state.withLock { $0.report.add(report) }
            for mismatch in report.mismatches { print("MISMATCH \(mismatch)\n") }
        } catch {
            state.withLock { $0.failure = "\(error)" }
            print("seed \(run.seed(of: round)): \(error)")
        }
    }
}
