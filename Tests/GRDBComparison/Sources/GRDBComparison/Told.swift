/// Waits until a follower has been told of a change.

import Foundation
import Synchronization

/// A queue of what a follower was told, each with the time.
final class Told<News: Sendable>: Sendable {
    private let waiting = Mutex<[(news: News, time: ContinuousClock.Instant)]>([])
    private let signal = DispatchSemaphore(value: 0)

    /// Called by the follower.
    func tell(_ news: News, _ time: ContinuousClock.Instant) {
        waiting.withLock { $0.append((news, time)) }
        signal.signal()
    }

    /// Waits for news of a kind, and leaves out what came before.
    /// - Returns: when the follower was told.
    func wait(for isMeant: (News) -> Bool) throws -> ContinuousClock.Instant {
        while signal.wait(timeout: .now() + 60) == .success {
            let (news, time) = waiting.withLock { $0.removeFirst() }
            if isMeant(news) { return time }
        }
        throw Failure("the follower was not told within a minute")
    }
}

extension ContinuousClock.Instant {
    func seconds(since start: ContinuousClock.Instant) -> Double { (self - start) / .seconds(1) }
}
