import Foundation
import SteleSystem
import Testing

struct SystemThreadTests {
    @Test("The body runs once, on a thread of its own with its name, before join returns")
    func runsTheBody() throws {
        let count = Atomic<Int>(0)
        let seen = Mutex(("", UInt(0)))
        let thread = try #require(
            SystemThread(name: "a-thread") {
                let text = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
                seen.withLock { $0 = (text ?? "", SystemThread.current) }
                count.add(1, ordering: .relaxed)
            })
        thread.join()
        thread.join()
        #expect(count.load(ordering: .relaxed) == 1)
        let (name, identity) = seen.withLock { $0 }
        #expect(name == "a-thread\n")
        #expect(identity != SystemThread.current)
    }

    @Test("A thread takes no signals")
    func takesNoSignals() throws {
        let blocked = Mutex<[Bool]>([])
        let thread = try #require(
            SystemThread(name: "signals") {
                var mask = sigset_t()
                pthread_sigmask(SIG_BLOCK, nil, &mask)
                let found = [SIGTERM, SIGINT, SIGHUP].map { sigismember(&mask, $0) == 1 }
                blocked.withLock { $0 = found }
            })
        thread.join()
        #expect(blocked.withLock { $0 } == [true, true, true])
    }

    @Test("A thread has the stack that it is given")
    func hasItsStack() throws {
        let size = Atomic<Int>(0)
        let thread = try #require(
            SystemThread(name: "stack", stackBytes: 3 << 20) {
                // Deeper than a stack of 1 MiB holds.
                func depth(_ left: Int) -> Int {
                    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { bytes in
                        bytes.initializeMemory(as: UInt8.self, repeating: UInt8(left & 0x7F))
                        return left == 0 ? Int(bytes[0]) : depth(left - 1) + 1
                    }
                }
                size.store(depth(400), ordering: .relaxed)
            })
        thread.join()
        #expect(size.load(ordering: .relaxed) == 400)
    }

    @Test("A released thread goes on and ends by itself")
    func outlivesItsObject() throws {
        let ended = Alarm()
        for _ in 0..<200 {
            #expect(SystemThread(name: "released") { ended.ring() } != nil)
            #expect(ended.sleep(until: MonotonicClock.deadline(in: 10)))
        }
    }
}
