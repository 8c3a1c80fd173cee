/// The most anonymous memory that work takes, seen from inside a process of its own.

import Foundation
import SteleSystem

/// The highest `RssAnon` of this process while something runs, by looking every 10 ms: looking
/// more often took an eighth of the time of the work that it watched.
final class PeakMemory: Sendable {
    private let isOver = Atomic<Bool>(false)
    private let highest = Atomic<Int>(0)

    /// - Returns: the highest, in KiB.
    static func during(_ work: () throws -> Void) rethrows -> Int {
        let peak = PeakMemory()
        let watching = DispatchSemaphore(value: 0)
        let thread = Thread {
            while !peak.isOver.load(ordering: .acquiring) {
                peak.look()
                usleep(10_000)
            }
            watching.signal()
        }
        thread.start()
        defer {
            peak.isOver.store(true, ordering: .releasing)
            watching.wait()
        }
        try work()
        peak.look()
        return peak.highest.load(ordering: .acquiring)
    }

    private func look() {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }),
            let kibibytes = line.split(separator: " ").dropLast().last.flatMap({ Int($0) })
        else { return }
        highest.max(kibibytes, ordering: .acquiringAndReleasing)
    }
}
