import SteleMutex

/// A key that stores its hash.
public protocol RecentCacheKey: Hashable, Sendable {
    /// The hash; equal for equal keys.
    var hash: Int { get }
}

extension RecentCacheKey {
    /// Hashes the stored hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// A thread-safe cache with a limit on entries and bytes, which evicts entries that were not used
/// recently.
///
/// The cache is divided into parts, each with a lock and two generations. A used entry moves to the
/// young generation. If that is full it becomes the old generation, and the previous old generation
/// is dropped. So eviction needs no search, whatever the number of new keys.
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

        /// Adds an entry to the young generation.
        /// - Returns: the dropped entries, which the caller releases outside the lock.
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
    /// The limits of one generation of one part.
    private let entries: Int
    private let bytes: Int

    /// Creates an empty cache.
    /// - Parameters:
    ///   - entries: the maximum number of entries.
    ///   - bytes: the maximum sum of the entries' sizes.
    public init(entries: Int, bytes: Int) {
        self.entries = max(entries / (2 * Self.partCount), 1)
        self.bytes = bytes / (2 * Self.partCount)
    }

    private func part(of key: Key) -> Part {
        // Mixes all bits of the hash, which may be an address with trailing zeros.
        let mixed = UInt64(truncatingIfNeeded: key.hash) &* 0x9E37_79B9_7F4A_7C15
        return parts[Int(mixed >> 32) & (Self.partCount - 1)]
    }

    /// The value of a key; nil if there is none.
    public func value(of key: Key) -> Value? {
        let (value, gone) = part(of: key).state.withLock { state -> (Value?, Entries) in
            if let entry = state.young[key] { return (entry.value, [:]) }
            guard let entry = state.old[key] else { return (nil, [:]) }
            return (entry.value, state.put(entry, key, most: entries, bytes: bytes))
        }
        _ = gone
        return value
    }

    /// Sets the value of a key. A value larger than a part's limit is not cached.
    /// - Parameter bytes: the size of the value.
    public func put(_ value: Value, for key: Key, bytes: Int) {
        guard bytes <= self.bytes else { return }
        let entry = Entry(value: value, bytes: bytes)
        let gone = part(of: key).state.withLock { state in
            state.put(entry, key, most: entries, bytes: self.bytes)
        }
        _ = gone
    }

    /// The number of entries.
    public var count: Int {
        parts.reduce(0) { sum, part in
            sum + part.state.withLock { $0.young.count + $0.old.count }
        }
    }
}
