import SteleModel
import StelePersistence
import SteleSystem

/// A part of the row cache with its own lock. Entries are evicted by the clock algorithm, in which
/// a hit sets one bit.
final class RowCacheShard: Sendable {
    private struct Entry {
        var id: ObjectID
        /// Nil is the mark that transaction `since` changed the object.
        var snapshot: Snapshot?
        var since: Int64
        var bytes: Int
        var isRecent: Bool
    }

    private struct State {
        var places: [ObjectID: Int] = [:]
        var entries: [Entry] = []
        var hand = 0
        var bytes = 0
        var floor: Int64 = 0
        var epoch: UInt64 = 1
        var hits = 0
        var misses = 0
    }

    private let limit: Int
    /// The maximum size of one entry.
    private let largest: Int
    private let state = Mutex(State())

    init(bytes: Int) {
        limit = bytes
        largest = bytes / 4
    }

    /// The entry's snapshot if its `since` is not after the token and the epoch is current.
    func snapshot(_ id: ObjectID, upTo token: Int64, epoch: UInt64?) -> Snapshot? {
        state.withLock { state in
            if let epoch, epoch != state.epoch { return nil }
            guard let place = state.places[id], state.entries[place].since <= token,
                let snapshot = state.entries[place].snapshot
            else {
                state.misses += 1
                return nil
            }
            state.hits += 1
            state.entries[place].isRecent = true
            return snapshot
        }
    }

    /// Adds the figures of this part.
    func add(to figures: inout RowCacheFigures) {
        state.withLock { state in
            figures.hits += state.hits
            figures.misses += state.misses
            figures.rows += state.entries.count
            figures.bytes += state.bytes
        }
    }

    /// Applies rule 2 to a snapshot read at `since`.
    /// - Returns: whether the rule admits the snapshot. An admitted snapshot that is too large is
    ///   not kept.
    @discardableResult
    func put(_ snapshot: Snapshot, _ id: ObjectID, since: Int64, epoch: UInt64) -> Bool {
        state.withLock { state in
            guard epoch == state.epoch, since >= state.floor else { return false }
            if let place = state.places[id] {
                let entry = state.entries[place]
                guard entry.since <= since else { return false }
                // An existing snapshot that is not newer than the reader is the same snapshot.
                if entry.snapshot != nil { return true }
            }
            if Self.cost(snapshot) <= largest { store(id, snapshot, since: since, in: &state) }
            return true
        }
    }

    /// Applies rule 3 to an object changed by transaction `number`, or rule 4 if there is a
    /// snapshot. A later entry is kept.
    func change(_ id: ObjectID, _ snapshot: Snapshot?, at number: Int64, keeping: Bool) {
        state.withLock { state in
            if let place = state.places[id] {
                if state.entries[place].since > number { return }
                if !keeping { remove(place, &state) }
            } else if number < state.floor {
                return
            }
            if keeping {
                let fits = snapshot.map { Self.cost($0) <= largest } ?? true
                store(id, fits ? snapshot : nil, since: number, in: &state)
            } else {
                state.floor = max(state.floor, number)
            }
        }
    }

    /// Applies rule 3 to a bulk save.
    func raiseFloor(to number: Int64) {
        state.withLock { $0.floor = max($0.floor, number) }
    }

    /// Applies rule 6.
    func clear(epoch: UInt64) {
        state.withLock { state in
            let floor = state.floor
            state = State()
            state.floor = floor
            state.epoch = epoch
        }
    }

    private func store(
        _ id: ObjectID, _ snapshot: Snapshot?, since: Int64, in state: inout State
    ) {
        let bytes = Self.cost(snapshot)
        if let place = state.places[id] {
            state.bytes += bytes - state.entries[place].bytes
            state.entries[place].snapshot = snapshot
            state.entries[place].since = since
            state.entries[place].bytes = bytes
        } else {
            state.places[id] = state.entries.count
            state.entries.append(
                Entry(id: id, snapshot: snapshot, since: since, bytes: bytes, isRecent: false))
            state.bytes += bytes
        }
        while state.bytes > limit && !state.entries.isEmpty { evict(&state) }
    }

    /// Evicts the next entry that was not used since the clock hand last passed it.
    private func evict(_ state: inout State) {
        while true {
            if state.hand >= state.entries.count { state.hand = 0 }
            guard state.entries[state.hand].isRecent else { break }
            state.entries[state.hand].isRecent = false
            state.hand += 1
        }
        // Rule 5: older readers must not restore earlier states.
        state.floor = max(state.floor, state.entries[state.hand].since)
        remove(state.hand, &state)
    }

    private func remove(_ place: Int, _ state: inout State) {
        let last = state.entries.count - 1
        state.bytes -= state.entries[place].bytes
        state.places[state.entries[place].id] = nil
        if place != last {
            state.entries.swapAt(place, last)
            state.places[state.entries[place].id] = place
        }
        state.entries.removeLast()
    }

    /// The approximate size of an entry in memory, in bytes.
    private static func cost(_ snapshot: Snapshot?) -> Int {
        var bytes = 160
        guard let snapshot else { return bytes }
        bytes += 32 + snapshot.values.count * MemoryLayout<Value>.stride
        for value in snapshot.values { bytes += value.bytesBeside }
        return bytes
    }
}
