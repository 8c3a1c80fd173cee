import SteleModel
import StelePersistence
import SteleSystem

/// States of objects at some points of the history, shared by all readers of a store.
///
/// An object that changes often has many before-images, and reading an old page of the history must
/// apply all later ones. The first walk stores a state after every few images, and the next page
/// begins at the nearest one. The past does not change, so a state is valid in every later view.
public final class KnownStates: Sendable {
    /// An object before the change with that key.
    struct State: Sendable {
        let change: Int64
        let snapshot: Snapshot
    }

    private struct Kept: Sendable {
        /// Each object's states, oldest first.
        var states: [ObjectID: [State]] = [:]
        var bytes = 0
    }

    private let kept = Mutex(Kept())
    private let maximumBytes: Int

    /// The number of an object's images between two stored states.
    static let spacing = 16

    /// - Parameter bytes: the approximate limit on the size of all states in memory.
    public init(maximumBytes bytes: Int = 16 << 20) { maximumBytes = bytes }

    /// Returns the oldest state after a change; nil where there is none.
    func state(of id: ObjectID, behind change: Int64) -> State? {
        kept.withLock { kept in
            guard let states = kept.states[id] else { return nil }
            let place = Self.place(change + 1, in: states)
            return place < states.count ? states[place] : nil
        }
    }

    /// Stores a state. When the states exceed the limit, every second one is dropped, and new ones
    /// are added from the newest image to the oldest, so the states that are needed first stay
    /// dense.
    func keep(_ state: State, of id: ObjectID) {
        kept.withLock { kept in
            var states = kept.states.removeValue(forKey: id) ?? []
            let place = Self.place(state.change, in: states)
            if place == states.count || states[place].change != state.change {
                states.insert(state, at: place)
                kept.bytes += Self.bytes(of: state)
            }
            kept.states[id] = states
            while kept.bytes > maximumBytes { Self.thin(&kept) }
        }
    }

    /// Forgets all states: rows are read in another way from now on.
    public func forget() { kept.withLock { $0 = Kept() } }

    /// The number of states.
    var count: Int { kept.withLock { $0.states.values.reduce(0) { $0 + $1.count } } }

    private static func thin(_ kept: inout Kept) {
        kept.bytes = 0
        kept.states = kept.states.compactMapValues { states in
            let left = stride(from: 1, to: states.count, by: 2).map { states[$0] }
            return left.isEmpty ? nil : left
        }
        for states in kept.states.values {
            for state in states { kept.bytes += bytes(of: state) }
        }
    }

    /// Returns the index of the first state of that change or a later one.
    private static func place(_ change: Int64, in states: [State]) -> Int {
        states.firstPlace { $0.change >= change }
    }

    private static func bytes(of state: State) -> Int {
        state.snapshot.values.reduce(128) {
            $0 + MemoryLayout<Value>.stride + $1.bytesBeside
        }
    }
}
