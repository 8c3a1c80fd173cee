/// A thread that sleeps until there is something to do.

import Glibc
import SteleMutex

/// Runs one closure on a thread of its own, again for each `wake`, until it is stopped.
///
/// Wakes are counted, so none is lost; several before the thread comes by may be one run each.
final class DrainThread: Sendable {
    /// What the thread itself holds, so that it may outlive the `DrainThread`.
    // Unchecked for `semaphore` alone: sem_t is made to be used from all threads at once.
    private final class Core: @unchecked Sendable {
        let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        let isStopped = Atomic<Bool>(false)
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
            sem_init(semaphore, 0, 0)
        }

        deinit {
            sem_destroy(semaphore)
            semaphore.deallocate()
        }

        func loop() {
            while !isStopped.load(ordering: .acquiring) {
                // Interrupted by a signal it just runs once more, with nothing to do.
                _ = sem_wait(semaphore)
                if !isStopped.load(ordering: .acquiring) { run() }
            }
        }
    }

    private let core: Core

    /// Starts the thread. Where the system has none to give, `wake` runs the closure itself.
    init(_ run: @escaping @Sendable () -> Void) {
        core = Core(run)
        var handle = pthread_t()
        let held = Unmanaged.passRetained(core)
        let failed = pthread_create(
            &handle, nil,
            { argument in
                guard let argument else { return nil }
                let core = Unmanaged<Core>.fromOpaque(argument).takeRetainedValue()
                core.loop()
                return nil
            }, held.toOpaque())
        if failed != 0 {
            held.release()
            runsInline = true
        } else {
            pthread_detach(handle)
            runsInline = false
        }
    }

    private let runsInline: Bool

    deinit {
        core.isStopped.store(true, ordering: .releasing)
        sem_post(core.semaphore)
    }

    func wake() {
        if runsInline { core.run() } else { sem_post(core.semaphore) }
    }

    /// The caller's thread.
    static var current: UInt { UInt(pthread_self()) }
}
