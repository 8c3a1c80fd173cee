// Random saves against random queries: each difference, applied to what a listener has, leads to
// what the query gives.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `make live-check` makes ten thousand comparisons, STELE_RESULTS as many; STELE_SEED repeats
/// a run.
@Suite struct RandomResultsTests {
    @Test(arguments: StoreKind.allCases)
    func eachDifferenceLeadsToWhatTheQueryGives(_ kind: StoreKind) throws {
        let given = getenv("STELE_RESULTS").flatMap { Int(String(cString: $0)) }
        let count = given.map { $0 / 2 } ?? (kind == .memory ? 600 : 200)
        let seed = drawSeed("eachDifferenceLeadsToWhatTheQueryGives(\(kind)), \(count) comparisons")
        let model = try makeLeague()
        var compared = 0
        var told = 0
        var rewound = 0
        var sequence: UInt64 = 0
        while compared < count {
            var play = try ResultsPlay(model, kind, SeededNumbers(seed: seed &+ sequence &* 7919))
            do { try play.run(saves: 25) } catch {
                Issue.record("sequence \(sequence) of seed \(seed): \(error)")
                return
            }
            compared += play.compared
            told += play.told
            rewound += play.rewound
            guard play.failures.isEmpty else {
                Issue.record(
                    "sequence \(sequence) of seed \(seed):\n\(play.failures.joined(separator: "\n"))"
                )
                return
            }
            sequence += 1
        }
        #expect(told > count / 8, "hardly anything was told")
        #expect(rewound > count / 32, "hardly anything was taken back")
        print(
            "live check, \(kind): seed \(seed), \(compared) comparisons, \(told) differences, \(rewound) taken back"
        )
    }
}
