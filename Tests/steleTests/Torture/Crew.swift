/// Threads of a test that block.

import Foundation
import SteleMutex

/// Runs each closure on a thread of its own, for what waits on sockets must not take the few
/// threads that tasks share, and gathers what they report.
final class Crew<Report: Sendable>: Sendable {
    private let reports = Mutex<[Report]>([])
    private let group = DispatchGroup()

    func start(_ work: @escaping @Sendable () -> Report) {
        group.enter()
        Thread.detachNewThread { [self] in
            let report = work()
            reports.withLock { $0.append(report) }
            group.leave()
        }
    }

    /// Waits for all; what they report, in the order in which they ended.
    func reported() -> [Report] {
        group.wait()
        return reports.withLock { $0 }
    }
}

/// What the threads of a torture know of one another.
final class Ground: Sendable {
    private struct State {
        var port: Int?
        var isOver = false
        var goal: Int64?
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

    /// The last transaction, once no more will come: who has come so far is done.
    var goal: Int64? {
        get { state.withLock { $0.goal } }
        set { state.withLock { $0.goal = newValue } }
    }
}
