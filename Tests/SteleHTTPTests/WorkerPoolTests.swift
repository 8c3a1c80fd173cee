// The threads of a pool come when there is work, and end when there has been none for a while.

import Glibc
import SteleHTTP
import SteleSystem
import TestSupport
import Testing

@Suite struct WorkerPoolTests {
    private final class Call: Job {
        private let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        func run() { body() }
        func abandon() { Issue.record("abandoned") }
    }

    private func waits(_ condition: () -> Bool) -> Bool {
        let deadline = MonotonicClock.deadline(in: 20)
        while !condition() {
            if MonotonicClock.now > deadline { return false }
            usleep(5_000)
        }
        return true
    }

    @Test func idleThreadsEndAndOthersComeForMoreWork() {
        let ended = Atomic<Int>(0)
        let ran = Atomic<Int>(0)
        let pool = WorkerPool(
            name: "test", threads: 4, queue: 100, stackBytes: 64 << 10, idleSeconds: 0.2
        ) { ended.add(1, ordering: .relaxed) }
        defer { pool.close() }
        for round in 1...2 {
            for _ in 0..<4 {
                let call = Call {
                    usleep(50_000)
                    ran.add(1, ordering: .relaxed)
                }
                #expect(pool.submit(call))
            }
            #expect(pool.threads == 4)
            #expect(waits { pool.threads == 0 && ended.load(ordering: .relaxed) == 4 * round })
            #expect(ran.load(ordering: .relaxed) == 4 * round)
        }
    }

    /// Threads end while work comes: each piece of work is done once, by a thread that is alive.
    @Test func workThatComesWhileThreadsEndIsDoneOnce() {
        let pool = WorkerPool(
            name: "test", threads: 3, queue: 100_000, stackBytes: 64 << 10, idleSeconds: 0.0002)
        defer { pool.close() }
        let (clients, pieces) = (4, 2_000)
        let runs = Mutex([Int](repeating: 0, count: clients * pieces))
        onThreads(clients) { client in
            for piece in 0..<pieces {
                let call = Call { runs.withLock { $0[client * pieces + piece] += 1 } }
                if !pool.submit(call) { Issue.record("refused") }
                if piece % 3 == 0 { usleep(useconds_t.random(in: 0...400)) }
            }
        }
        #expect(waits { runs.withLock { $0.allSatisfy { $0 == 1 } } })
        #expect(waits { pool.threads == 0 })
    }
}
