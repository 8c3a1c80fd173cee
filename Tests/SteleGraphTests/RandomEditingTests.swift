// Random sequences of everything that two contexts can do, against what must hold after each step.

import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleGraph

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `make sequences` plays ten thousand new ones of each kind, STELE_SEQUENCES as many; STELE_SEED
/// repeats a run. Without either it is always the same few hundred.
@Suite struct RandomEditingTests {
    /// Each context is told of the other's saves at once.
    @Test func whateverIsDoneTheGraphHolds() throws {
        try play("whateverIsDoneTheGraphHolds", .init())
    }

    /// Each context is told of the other's saves at any time later, parents change under their
    /// children, and values that must be unique meet.
    @Test func whateverIsMissedTheGraphHolds() throws {
        try play("whateverIsMissedTheGraphHolds", .init(missesSaves: true))
    }

    /// Each context has a child that is kept: what is done in one is undone in the other.
    @Test func whateverIsNestedTheGraphHolds() throws {
        try play("whateverIsNestedTheGraphHolds", .init(keepsChildren: true))
    }

    /// The same of nothing but one-to-one links, and owners with whom their members go: of fifteen
    /// kinds of links few sequences change one of those at both its ends.
    @Test func whateverIsMissedOneToOneLinksHold() throws {
        let links = ["one", "eno", "self", "crew", "hands", "holder"]
        try play("whateverIsMissedOneToOneLinksHold", .init(missesSaves: true, links: links))
    }

    /// Saves are refused for what is not valid when their conflicts are settled.
    @Test(arguments: [nil, ["one", "eno", "self"], ["list", "items", "up", "down", "to", "from"]])
    func whateverIsRefusedTheGraphHolds(_ links: [String]?) throws {
        try play(
            "whateverIsRefusedTheGraphHolds",
            .init(missesSaves: true, links: links, refusesSaves: true))
    }

    /// Half of what is done is saved, undone and done again: what one context has deleted the other
    /// brings back, and the first, too.
    @Test func whateverIsTakenBackOneToOneLinksHold() throws {
        try play(
            "whateverIsTakenBackOneToOneLinksHold",
            .init(missesSaves: true, links: ["one", "eno", "self"], takesBack: true))
    }

    /// The same with saves that are refused, of one-to-one links and of members, some of whom go
    /// with their owners.
    @Test func whateverIsRefusedAndTakenBackTheGraphHolds() throws {
        let links = ["one", "eno", "self", "up", "down", "holder", "held"]
        try play(
            "whateverIsRefusedAndTakenBackTheGraphHolds",
            .init(missesSaves: true, links: links, refusesSaves: true, takesBack: true))
    }

    private func play(_ name: String, _ rules: EditingPlay.Rules) throws {
        let given = getenv("STELE_SEQUENCES").flatMap { Int(String(cString: $0)) }
        // Whoever saves at each step plays longer.
        let count = given ?? (rules.refusesSaves ? 100 : 300)
        let isAsked = given != nil || getenv("STELE_SEED") != nil
        let seed = isAsked ? drawSeed("\(name), \(count) sequences") : 5
        let model = try makeNodes([
            EntityMaker("SubNode", parent: "Node").attribute("age", .integer32)
        ]) {
            var node = $0
            if rules.missesSaves { node = node.attribute("code", .string).unique("code") }
            if rules.refusesSaves {
                node = node.attribute("mark", .string) {
                    $0.isOptional = false
                    $0.defaultValue = .string("m")
                }
            }
            if rules.keepsChildren {
                node = node.toOne("team", "Node", inverse: "crew")
                    .toMany("crew", "Node", inverse: "team", rule: .cascade, ordered: true)
            }
            if rules.links != nil {
                node = node.toOne("crew", "Node", inverse: "hands")
                    .toMany("hands", "Node", inverse: "crew", rule: .cascade, ordered: true)
            }
            return node
        }
        var (steps, refusals) = (0, 0)
        for sequence in 0..<count {
            // A file takes a hundred times as long.
            let kind: StoreKind = sequence % 20 == 0 ? .sqlite : .memory
            let its = seed &+ UInt64(sequence) &* 7919
            var play = try EditingPlay(model, kind, rules, seed: its)
            if let failure = play.fault() {
                let short = try shorten(failure) { without in
                    var again = try EditingPlay(model, kind, rules, seed: its, without: without)
                    return again.fault()
                }
                Issue.record("sequence \(sequence) of seed \(seed):\n\(short)")
                return
            }
            steps += play.steps
            refusals += play.refusals
            if Task.isCancelled { return }
        }
        #expect(!rules.refusesSaves || refusals > 0, "no save was refused")
        print("\(name): seed \(seed), \(count) sequences, \(steps) steps, \(refusals) refusals")
    }

    /// Leaves out of a sequence that fails what it fails without.
    /// - Parameter play: plays it without some of its steps, and tells what it did if it fails.
    private func shorten(
        _ failure: String, _ play: (_ without: Set<Int>) throws -> String?
    ) throws -> String {
        var (shortest, without) = (failure, Set<Int>())
        while true {
            let before = without.count
            for step in 0..<EditingPlay.longest where !without.contains(step) {
                if let found = try play(without.union([step])) {
                    without.insert(step)
                    shortest = found
                }
            }
            if without.count == before { return shortest }
        }
    }
}
