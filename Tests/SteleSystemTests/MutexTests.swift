import Dispatch
import SteleSystem
import Testing

struct MutexTests {
    @Test("Increments from many threads at the same time are all counted")
    func countsAll() {
        let count = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<10_000 { count.withLock { $0 += 1 } }
        }
        #expect(count.withLock { $0 } == 80_000)
    }

    @Test("An error that the body throws passes through, and the mutex is free afterwards")
    func throwsThrough() {
        struct Failure: Error {}
        let value = Mutex(1)
        #expect(throws: Failure.self) {
            try value.withLock { value in
                value = 2
                throw Failure()
            }
        }
        #expect(value.withLock { $0 } == 2)
    }
}
