// Work on threads of its own, and waiting for it.

import Glibc
import SteleSystem

/// Runs `work` once on each of `count` threads, with the number of the thread, and waits for all.
///
/// Tasks would share a few threads, which work that blocks or spins must not take.
/// - Returns: the results in the order in which they came.
@discardableResult
package func onThreads<R: Sendable>(
    _ count: Int, _ work: @escaping @Sendable (Int) -> R
) -> [R] {
    let results = Mutex<[R]>([])
    let threads = (0..<count).map { number in
        let job = Unmanaged.passRetained(
            Job {
                let result = work(number)
                results.withLock { $0.append(result) }
            })
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, job.toOpaque())
        precondition(status == 0, "no thread: error \(status)")
        return thread
    }
    for thread in threads { pthread_join(thread, nil) }
    return results.withLock { $0 }
}

private final class Job: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// The error of `waitUntil`.
package struct NotInTime: Error {}

/// Waits until a condition holds, for what another thread does.
/// - Throws: `NotInTime` after ten seconds.
package func waitUntil(_ condition: () throws -> Bool) throws {
    let end = ContinuousClock.now + .seconds(10)
    while try !condition() {
        guard ContinuousClock.now < end else { throw NotInTime() }
        usleep(2_000)
    }
}
