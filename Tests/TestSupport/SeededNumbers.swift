// Random numbers that a seed repeats.

import FoundationEssentials

/// SplitMix64: the seed decides all numbers.
package struct SeededNumbers: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number below `count`; 0 where `count` is less than 2.
    package mutating func below(_ count: Int) -> Int {
        count < 2 ? 0 : Int(next() % UInt64(count))
    }

    /// True once in `count` times on average.
    package mutating func one(in count: Int) -> Bool { below(count) == 0 }

    /// An item; `other` where there are none.
    package mutating func pick<T>(_ items: [T], or other: T) -> T {
        items.isEmpty ? other : items[below(items.count)]
    }

    package mutating func pick(_ items: String...) -> String { pick(items, or: "") }
}

/// The seed of a random test: that of STELE_SEED, else a new one. Prints it.
package func drawSeed(_ test: String) -> UInt64 {
    let given = ProcessInfo.processInfo.environment["STELE_SEED"].flatMap { UInt64($0) }
    let seed = given ?? .random(in: 1...999_999)
    print("\(test): seed \(seed)")
    return seed
}
