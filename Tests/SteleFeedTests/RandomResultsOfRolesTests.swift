// Random saves against the live queries of random roles.

import Foundation
import TestSupport
import Testing

/// `make live-check` makes ten thousand saves, STELE_RESULTS as many; STELE_SEED repeats a run.
@Suite struct RandomResultsOfRolesTests {
    @Test(arguments: [StoreKind.memory, .sqlite])
    func eachSubscriberHasWhatItsListGives(_ kind: StoreKind) throws {
        let given = ProcessInfo.processInfo.environment["STELE_RESULTS"].flatMap { Int($0) }
        let count = given.map { $0 / 2 } ?? 60
        let seed = drawSeed("eachSubscriberHasWhatItsListGives(\(kind)), \(count) saves")
        var (saves, compared, changes, asked, refused) = (0, 0, 0, 0, 0)
        var sequence: UInt64 = 0
        while saves < count {
            var play = try RolePlay(kind, seed: seed &+ sequence &* 7919)
            do { try play.run(saves: min(40, count - saves)) } catch {
                Issue.record("sequence \(sequence) of seed \(seed): \(error)")
                return
            }
            saves += play.saves
            compared += play.compared
            changes += play.changes
            asked += play.asked
            refused += play.refused
            guard play.failures.isEmpty else {
                Issue.record(
                    "sequence \(sequence) of seed \(seed):\n\(play.failures.joined(separator: "\n"))"
                )
                return
            }
            sequence += 1
        }
        #expect(changes > saves / 4, "hardly anything was sent")
        #expect(refused * 10 < asked, "lists refuse \(refused) of \(asked) queries")
        print(
            "live check of roles, \(kind): seed \(seed), \(saves) saves, \(asked) queries, "
                + "\(compared) comparisons, \(changes) changes, \(refused) refused")
    }
}
