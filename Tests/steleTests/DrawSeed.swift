/// Seeds of random tests.

import Foundation

/// The seed of a random test: a new one each run, or the one in STELE_SEED; printed.
func drawSeed(_ test: String) -> UInt64 {
    let given = ProcessInfo.processInfo.environment["STELE_SEED"].flatMap { UInt64($0) }
    let seed = given ?? .random(in: 1...999_999)
    print("\(test): seed \(seed)")
    return seed
}
