/// Numbers that come again with their seed (SplitMix64).

/// A generator whose state is its seed.
public struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number below `count`; 0 where there is none.
    public mutating func below(_ count: Int) -> Int { count < 2 ? 0 : Int(next() % UInt64(count)) }

    /// True once in so many times.
    public mutating func one(in count: Int) -> Bool { below(count) == 0 }

    public mutating func pick<T>(_ items: [T], or other: T) -> T {
        items.isEmpty ? other : items[below(items.count)]
    }

    public mutating func pick(_ items: String...) -> String { pick(items, or: "") }
}
