/// States of objects that were worked out once, so that who reads on need not go all the way back
/// to them again.

import SteleModel
import StelePersistence
import SteleSystem

/// What objects were at some places of the history, shared by all readers of a store.
///
/// An object that is changed often has a long line of before-images behind each page of the
/// history, and all of them lead from what it is now to what it was there. The first walk leaves a
/// state behind every few images, and the next page begins at the nearest one. What was is never
/// otherwise, so a state is as good in any later view.
public final class KnownStates: Sendable {
    /// An object before the change of that key.
    struct State: Sendable {
        let change: Int64
        let snapshot: Snapshot
    }

    private struct Kept: Sendable {
        /// Each object's, the oldest first.
        var states: [ObjectID: [State]] = [:]
        var bytes = 0
    }

    private let kept = Mutex(Kept())
    private let maximumBytes: Int

    /// After how many images of an object a walk leaves a state behind.
    static let spacing = 16

    /// - Parameter bytes: about how much memory all of them may take.
    public init(maximumBytes bytes: Int = 16 << 20) { maximumBytes = bytes }

    /// The oldest one that is known behind a change; nil where there is none.
    func state(of id: ObjectID, behind change: Int64) -> State? {
        kept.withLock { kept in
            guard let states = kept.states[id] else { return nil }
            let place = Self.place(change + 1, in: states)
            return place < states.count ? states[place] : nil
        }
    }

    /// Keeps a state. Where they become too many each second one goes: the line is walked from the
    /// newest image to the oldest, so those stay close together that are needed first.
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

    /// How many are kept.
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

    /// Where the first one stands whose change is that one or a later one.
    private static func place(_ change: Int64, in states: [State]) -> Int {
        states.firstPlace { $0.change >= change }
    }

    private static func bytes(of state: State) -> Int {
        state.snapshot.values.reduce(128) {
            $0 + MemoryLayout<Value>.stride + $1.bytesBeside
        }
    }
}
