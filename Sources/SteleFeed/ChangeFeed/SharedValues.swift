// A cache of values that several threads make and use.

import Dispatch
import Glibc
import SteleSystem

/// Values within a bound of memory that several threads ask for; those used last are kept, for some
/// seconds. A value is made by one thread, while others wait for it.
final class SharedValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        let key: Key
        let value: Value
        let bytes: Int
        var usedAt: UInt64
    }

    private struct State {
        /// In the order of their use.
        var entries: [Entry] = []
        /// The keys whose values are being made.
        var made: Set<Key> = []
        /// Whether entries will be looked at.
        var isWatched = false
    }

    private enum Found {
        case known(Value)
        case isBeingMade
        case isToBeMade
    }

    private let state = Mutex(State())
    private let mostBytes: Int
    private let bytes: @Sendable (Value) -> Int

    private let keptNanoseconds: UInt64

    private static var waitMicroseconds: UInt32 { 1_000 }

    /// - Parameters:
    ///   - mostBytes: the most memory of all values; the last two are kept also with more.
    ///   - keptNanoseconds: how long a value is kept after its last use.
    ///   - bytes: the memory of one.
    init(
        mostBytes: Int, keptNanoseconds: UInt64 = 6_000_000_000,
        _ bytes: @escaping @Sendable (Value) -> Int
    ) {
        self.mostBytes = mostBytes
        self.keptNanoseconds = keptNanoseconds
        self.bytes = bytes
    }

    /// The number of values.
    var count: Int { state.withLock { $0.entries.count } }

    /// The value of a key, which is made where it is not kept.
    /// - Parameter demand: throws where the value is no longer wanted; asked while another thread
    ///   makes it.
    /// - Throws: as the closures.
    func value<E: Error>(
        _ key: Key, demand: () throws(E) -> Void, _ make: () throws(E) -> Value
    ) throws(E) -> Value {
        while true {
            switch state.withLock({ Self.find(key, in: &$0) }) {
            case .known(let value): return value
            case .isBeingMade:
                try demand()
                usleep(Self.waitMicroseconds)
            case .isToBeMade:
                var made: Value?
                defer { state.withLock { end(key, made, in: &$0) } }
                let value = try make()
                made = value
                return value
            }
        }
    }

    private static func find(_ key: Key, in state: inout State) -> Found {
        if let place = state.entries.firstIndex(where: { $0.key == key }) {
            var entry = state.entries.remove(at: place)
            entry.usedAt = MonotonicClock.now
            state.entries.append(entry)
            return .known(entry.value)
        }
        return state.made.insert(key).inserted ? .isToBeMade : .isBeingMade
    }

    /// Keeps a value that was made; nil for one that failed. The two newest are always kept: readers
    /// of two large saves would make both again for each piece.
    private func end(_ key: Key, _ value: Value?, in state: inout State) {
        state.made.remove(key)
        guard let value else { return }
        state.entries.append(
            Entry(key: key, value: value, bytes: bytes(value), usedAt: MonotonicClock.now))
        var sum = state.entries.reduce(0) { $0 + $1.bytes }
        while sum > mostBytes, state.entries.count > 2 {
            sum -= state.entries.removeFirst().bytes
        }
        watch(&state)
    }

    /// Looks for what is no longer used, when the first value may be that.
    private func watch(_ state: inout State) {
        guard !state.isWatched, let first = state.entries.first else { return }
        state.isWatched = true
        let age = min(MonotonicClock.now &- first.usedAt, keptNanoseconds)
        let delay = DispatchTimeInterval.nanoseconds(Int(clamping: keptNanoseconds - age))
        DispatchQueue.global().asyncAfter(deadline: .now() + delay) { [weak self] in
            self?.dropUnused()
        }
    }

    private func dropUnused() {
        state.withLock { state in
            let now = MonotonicClock.now
            state.entries.removeAll { now &- $0.usedAt >= keptNanoseconds }
            state.isWatched = false
            watch(&state)
        }
    }
}
