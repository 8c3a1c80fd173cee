/// Threads of a test that block.

import Foundation
import SteleSystem

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
