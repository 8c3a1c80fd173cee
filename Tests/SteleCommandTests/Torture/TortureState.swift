/// What the threads of a torture share.

import SteleSystem

/// What the threads of a torture know of one another.
final class TortureState: Sendable {
    private struct State {
        var port: Int?
        var isOver = false
        var goal: Int64?
        var hasLargeSave = false
        var saves = 0
    }
    private let state = Mutex(State())

    /// Where the server listens; nil while it is dead. A new port each time: a client that knocks
    /// at a dead one could be given that very port, and talk to itself.
    var port: Int? {
        get { state.withLock { $0.port } }
        set { state.withLock { $0.port = newValue } }
    }

    /// Whether writers are to come to an end.
    var isOver: Bool {
        get { state.withLock { $0.isOver } }
        set { state.withLock { $0.isOver = newValue } }
    }

    /// How many saves were answered.
    var saves: Int { state.withLock { $0.saves } }

    func noteSave() { state.withLock { $0.saves += 1 } }

    /// Whether a save was answered of which is told in parts.
    var hasLargeSave: Bool {
        get { state.withLock { $0.hasLargeSave } }
        set { state.withLock { $0.hasLargeSave = newValue } }
    }

    /// The last transaction, once no more will come: who has come so far is done.
    var goal: Int64? {
        get { state.withLock { $0.goal } }
        set { state.withLock { $0.goal = newValue } }
    }
}
