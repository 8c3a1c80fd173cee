/// A bounded cache for all threads: what was not used lately goes.

import SteleSystem

/// A key that knows its hash, which is made once.
public protocol RecentCacheKey: Hashable, Sendable {
    /// Equal for equal keys.
    var hash: Int { get }
}

extension RecentCacheKey {
    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// Values by key, bounded in entries and bytes.
///
/// There are two generations of each part: what is used moves to the young one, and where that is
/// full it becomes the old one, whose entries go. So nothing is sorted or searched, however many
/// new keys come, and what is in use stays. Each part has a lock, held for a look-up.
public final class RecentCache<Key: RecentCacheKey, Value: Sendable>: Sendable {
    private struct Entry {
        let value: Value
        let bytes: Int
    }

    private typealias Entries = [Key: Entry]

    private struct Generations {
        var young: Entries = [:]
        var old: Entries = [:]
        var bytes = 0

        /// Puts an entry into the young generation.
        /// - Returns: what goes, for the caller to let go of outside of the lock.
        mutating func put(_ entry: Entry, _ key: Key, most: Int, bytes limit: Int) -> Entries {
            var gone: Entries = [:]
            if young[key] == nil && young.count >= most || bytes + entry.bytes > limit {
                gone = old
                (old, young, bytes) = (young, [:], 0)
            }
            if let before = young.updateValue(entry, forKey: key) { bytes -= before.bytes }
            bytes += entry.bytes
            return gone
        }
    }

    private final class Part: Sendable {
        let state = Mutex(Generations())
    }

    private static var partCount: Int { 16 }
    private let parts = (0..<RecentCache.partCount).map { _ in Part() }
    /// The most entries and bytes of one generation of one part.
    private let entries: Int
    private let bytes: Int

    /// - Parameters:
    ///   - entries: the most entries.
    ///   - bytes: the most bytes, by what is said of each.
    public init(entries: Int, bytes: Int) {
        self.entries = max(entries / (2 * Self.partCount), 1)
        self.bytes = bytes / (2 * Self.partCount)
    }

    private func part(of key: Key) -> Part {
        // All bits of a hash decide, also where it is an address and ends in zeros.
        let mixed = UInt64(truncatingIfNeeded: key.hash) &* 0x9E37_79B9_7F4A_7C15
        return parts[Int(mixed >> 32) & (Self.partCount - 1)]
    }

    /// The value of that key, or nil.
    public func value(of key: Key) -> Value? {
        let (value, gone) = part(of: key).state.withLock { state -> (Value?, Entries) in
            if let entry = state.young[key] { return (entry.value, [:]) }
            guard let entry = state.old[key] else { return (nil, [:]) }
            return (entry.value, state.put(entry, key, most: entries, bytes: bytes))
        }
        _ = gone
        return value
    }

    /// Puts a value there, or another in its place; one that takes more than a part may is left out.
    public func put(_ value: Value, for key: Key, bytes: Int) {
        guard bytes <= self.bytes else { return }
        let entry = Entry(value: value, bytes: bytes)
        let gone = part(of: key).state.withLock { state in
            state.put(entry, key, most: entries, bytes: self.bytes)
        }
        _ = gone
    }

    /// How many entries there are.
    public var count: Int {
        parts.reduce(0) { sum, part in
            sum + part.state.withLock { $0.young.count + $0.old.count }
        }
    }
}
