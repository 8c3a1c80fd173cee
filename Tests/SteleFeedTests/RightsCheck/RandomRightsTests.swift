// Random questions of a limited role to services whose hidden data alone differ.

import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `make rights-check` asks ten thousand questions, STELE_QUESTIONS as many; STELE_SEED repeats a
/// run. Without either it is always the same few hundred.
@Suite struct RandomRightsTests {
    /// STELE_STORES names others, such as `text,xml`.
    private static let kinds: [StoreKind] = {
        let named = getenv("STELE_STORES").map { String(cString: $0).split(separator: ",") }
        return StoreKind.allCases.filter {
            named?.contains($0.rawValue[...]) ?? [.memory, .sqlite].contains($0)
        }
    }()

    @Test(arguments: kinds) func hiddenDataChangesNoAnswer(_ kind: StoreKind) throws {
        let given = getenv("STELE_QUESTIONS").flatMap { Int(String(cString: $0)) }
        let count = given.map { $0 / Self.kinds.count } ?? 400
        let isAsked = given != nil || getenv("STELE_SEED") != nil
        let seed =
            isAsked ? drawSeed("hiddenDataChangesNoAnswer(\(kind)), \(count) questions") : 31
        var (asked, told, compared, differences, worlds) = (0, 0, 0, 0, 0)
        var writes = (all: 0, done: 0, refused: 0, revealing: 0)
        var followed = (saves: 0, returns: 0)
        var round: UInt64 = 0
        while asked < count {
            defer { round += 1 }
            let own = round == 0 ? seed : seed &+ round &* 7919
            guard let world = try RightsWorld.make(seed: own) else { continue }
            var check = try RightsCheck(world, kind, seed: own)
            try check.run(40)
            (asked, told, compared) = (
                asked + check.asked, told + check.told, compared + check.compared
            )
            writes = (
                writes.all + check.writes.all, writes.done + check.writes.done,
                writes.refused + check.writes.refused,
                writes.revealing + check.writes.revealing
            )
            followed = (followed.saves + check.followed, followed.returns + check.returns)
            differences += world.differences
            worlds += 1
            guard check.failures.isEmpty else {
                Issue.record("\(check.failures.joined(separator: "\n"))")
                return
            }
        }
        #expect(told > count / 4, "hardly anything was told")
        #expect(
            compared > count / 8, "hardly anything was compared with a store without hidden data")
        #expect(
            writes.done > count / 100 && followed.saves > count / 50 && followed.returns > 0,
            "hardly anything was written or followed")
        print(
            """
            rights check, \(kind): seed \(seed), \(asked) questions (\(told) told something, \
            \(compared) compared with a store without hidden data), \(writes.all) writes \
            (\(writes.done) done, \(writes.refused) refused for hidden objects, \
            \(writes.revealing) revealing), \(followed.saves) saves followed by streams, \(followed.returns) returns to them, \
            \(worlds) pairs \
            of stores with \(differences) hidden differences
            """)
    }
}
