// Models and stores as Core Data has them, by seed: opened, served, written, migrated and checked.

import Foundation
import TestSupport
import Testing

@testable import SteleCommand

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `make stores` makes two thousand, STELE_RANDOM_STORES as many; STELE_SEED repeats a run. Without
/// either it is always the same few.
@Suite struct RandomStoreTests {
    @Test func eachStoreIsServedWrittenAndMigratedAsItsFileSays() throws {
        let given = getenv("STELE_RANDOM_STORES").flatMap { Int(String(cString: $0)) }
        let count = given ?? 8
        let isAsked = given != nil || getenv("STELE_SEED") != nil
        let seed = isAsked ? drawSeed("random stores, \(count)") : 10
        var total = StoreLife.Tally()
        var failures: [String] = []
        for round in 0..<count {
            let own = seed &+ UInt64(round)
            var life = try StoreLife(seed: own)
            do { try life.run() } catch {
                life.failures.append(
                    "seed \(own), \(life.step): refused: \(Failure.sentence(error))")
            }
            total.add(life.tally)
            failures += life.failures.prefix(3)
            if failures.count > 40 { break }
        }
        print(
            """
            random stores: seeds \(seed) to \(seed &+ UInt64(count - 1)), \(total.stores) stores \
            (\(total.apps) as apps make them, \(total.foreign) with foreign contents), \
            \(total.asked) requests, \(total.compared) comparisons, \(total.migrated) migrations \
            (\(total.inPlace) in place), \(total.copied) copies, \(failures.count) failures
            """)
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    }
}
