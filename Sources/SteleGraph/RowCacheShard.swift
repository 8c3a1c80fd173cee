/// One part of the row cache, under one lock.

import SteleModel
import StelePersistence
import SteleSystem

/// Entries of the objects that hash here; evicted by the clock, so that a hit costs one bit.
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
    }

    private let limit: Int
    /// The most that one entry may take.
    private let largest: Int
    private let state = Mutex(State())

    init(bytes: Int) {
        limit = bytes
        largest = bytes / 4
    }

    /// The entry's snapshot, where `since` is not after the token and the epoch is this one.
    func snapshot(_ id: ObjectID, upTo token: Int64, epoch: UInt64?) -> Snapshot? {
        state.withLock { state in
            if let epoch, epoch != state.epoch { return nil }
            guard let place = state.places[id], state.entries[place].since <= token else {
                return nil
            }
            state.entries[place].isRecent = true
            return state.entries[place].snapshot
        }
    }

    /// Rule 2: what a reader at `since` has read.
    /// - Returns: whether the rule lets it in; what is too large is not kept all the same.
    @discardableResult
    func put(_ snapshot: Snapshot, _ id: ObjectID, since: Int64, epoch: UInt64) -> Bool {
        state.withLock { state in
            guard epoch == state.epoch, since >= state.floor else { return false }
            if let place = state.places[id] {
                let entry = state.entries[place]
                guard entry.since <= since else { return false }
                // A snapshot that is there and not newer than the reader is the same one.
                if entry.snapshot != nil { return true }
            }
            if Self.cost(snapshot) <= largest { store(id, snapshot, since, &state) }
            return true
        }
    }

    /// Rule 3, and rule 4 with the snapshot: what transaction `number` changes. Whatever is known
    /// of a later one stands.
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
                store(id, fits ? snapshot : nil, number, &state)
            } else {
                state.floor = max(state.floor, number)
            }
        }
    }

    /// Rule 3 for a bulk save.
    func raiseFloor(to number: Int64) {
        state.withLock { $0.floor = max($0.floor, number) }
    }

    /// Rule 6.
    func clear(epoch: UInt64) {
        state.withLock { state in
            let floor = state.floor
            state = State()
            state.floor = floor
            state.epoch = epoch
        }
    }

    private func store(_ id: ObjectID, _ snapshot: Snapshot?, _ since: Int64, _ state: inout State)
    {
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

    /// Moves the clock's hand to the next entry that was not used since it last came by.
    private func evict(_ state: inout State) {
        while true {
            if state.hand >= state.entries.count { state.hand = 0 }
            guard state.entries[state.hand].isRecent else { break }
            state.entries[state.hand].isRecent = false
            state.hand += 1
        }
        // Rule 5: older readers must not bring back what came before.
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

    /// About the memory that an entry takes.
    private static func cost(_ snapshot: Snapshot?) -> Int {
        var bytes = 160
        guard let snapshot else { return bytes }
        bytes += 32 + snapshot.values.count * MemoryLayout<Value>.stride
        for value in snapshot.values { bytes += value.bytesBeside }
        return bytes
    }
}
