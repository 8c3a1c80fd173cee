import SteleSystem
import Testing

struct MonitorTests {
    @Test("Elements pass from many producers to many consumers through a bounded queue, each once")
    func passesEachElementOnce() throws {
        struct State {
            var queue = Queue<Int>()
            var left = 40_000
        }
        let state = Monitor(State())
        let sum = Atomic<Int>(0)
        let consumers = try (0..<4).map { _ in
            try #require(
                SystemThread(name: "consumer") {
                    while true {
                        let next = state.withLock(when: { !$0.queue.isEmpty || $0.left == 0 }) {
                            state, _ in
                            let next = state.queue.popFirst()
                            if next != nil { state.left -= 1 }
                            return next
                        }
                        state.broadcast()
                        guard let next else { return }
                        sum.add(next, ordering: .relaxed)
                    }
                })
        }
        let producers = try (0..<4).map { number in
            try #require(
                SystemThread(name: "producer") {
                    for index in 1...10_000 {
                        state.withLock(when: { $0.queue.count < 8 }) { state, _ in
                            state.queue.append(number * 10_000 + index)
                        }
                        state.broadcast()
                    }
                })
        }
        for thread in producers + consumers { thread.join() }
        #expect(sum.load(ordering: .relaxed) == 40_000 * 40_001 / 2)
    }

    @Test("A wait tells whether its condition holds or the deadline is past")
    func tellsWhyItEnded() {
        let monitor = Monitor(1)
        #expect(monitor.withLock(when: { $0 == 1 }, until: 0) { $1 })
        let start = MonotonicClock.now
        #expect(!monitor.withLock(when: { $0 == 2 }, until: start + 20_000_000) { $1 })
        #expect(MonotonicClock.now - start >= 20_000_000)
    }

    @Test("An error that the body throws passes through, and the lock is free afterwards")
    func throwsThrough() {
        struct Failure: Error {}
        let monitor = Monitor(1)
        #expect(throws: Failure.self) {
            try monitor.withLock(when: { $0 == 1 }) { _, _ in throw Failure() }
        }
        #expect(monitor.withLock { $0 } == 1)
    }
}
