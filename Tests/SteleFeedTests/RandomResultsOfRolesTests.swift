// Random saves against the live queries and feeds of random roles.

import Foundation
import TestSupport
import Testing

/// `make live-check` makes ten thousand saves, STELE_RESULTS as many; STELE_SEED repeats a run.
@Suite struct RandomResultsOfRolesTests {
    private static let given =
        ProcessInfo.processInfo.environment["STELE_RESULTS"].flatMap { Int($0) }

    @Test(arguments: [StoreKind.memory, .sqlite])
    func eachSubscriberHasWhatItsListGives(_ kind: StoreKind) throws {
        let count = Self.given.map { $0 / 2 } ?? 60
        let seed = drawSeed("eachSubscriberHasWhatItsListGives(\(kind)), \(count) saves")
        var (saves, compared, changes, asked, refused) = (0, 0, 0, 0, 0)
        let isWhole = try play(kind, saves: count, inEach: 40, seed: seed) { play in
            saves += play.saves
            compared += play.compared
            changes += play.changes
            asked += play.asked
            refused += play.refused
        }
        guard isWhole else { return }
        #expect(changes > saves / 4, "hardly anything was sent")
        #expect(refused * 10 < asked, "lists refuse \(refused) of \(asked) queries")
        print(
            "live check of roles, \(kind): seed \(seed), \(saves) saves, \(asked) queries, "
                + "\(compared) comparisons, \(changes) changes, \(refused) refused")
    }

    /// The roles have rules of each kind of expression that leads over other objects.
    @Test(arguments: StoreKind.allCases)
    func eachClientOfAFeedHasWhatTheListsGive(_ kind: StoreKind) throws {
        let count = Self.given.map { $0 / 2 } ?? 120
        let seed = drawSeed("eachClientOfAFeedHasWhatTheListsGive(\(kind)), \(count) saves")
        var (saves, compared, changes) = (0, 0, 0)
        let isWhole = try play(kind, saves: count, inEach: 10, seed: seed, ofFeeds: true) { play in
            saves += play.saves
            compared += play.compared
            changes += play.changes
        }
        guard isWhole else { return }
        #expect(changes > saves, "hardly anything was reported")
        print(
            "feeds of roles, \(kind): seed \(seed), \(saves) saves, \(compared) comparisons, "
                + "\(changes) changes")
    }

    /// Plays sequences until there are so many saves.
    /// - Parameter inEach: the saves that are followed in a sequence.
    /// - Returns: whether all went well.
    private func play(
        _ kind: StoreKind, saves count: Int, inEach: Int, seed: UInt64, ofFeeds: Bool = false,
        _ note: (RolePlay) -> Void
    ) throws -> Bool {
        var (saves, sequence) = (0, UInt64(0))
        while saves < count {
            var play = try RolePlay(kind, seed: seed &+ sequence &* 7919, ofFeeds: ofFeeds)
            do { try play.run(saves: min(inEach, count - saves)) } catch {
                Issue.record("sequence \(sequence) of seed \(seed): \(error)")
                return false
            }
            saves += play.saves
            note(play)
            guard play.failures.isEmpty else {
                Issue.record(
                    "sequence \(sequence) of seed \(seed):\n\(play.failures.joined(separator: "\n"))"
                )
                return false
            }
            sequence += 1
        }
        return true
    }
}
