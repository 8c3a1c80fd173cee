import SteleSystem
import Testing

struct AlarmTests {
    @Test("A ring before the sleep ends the sleep at once, and counts once")
    func remembersRings() {
        let alarm = Alarm()
        alarm.ring()
        alarm.ring()
        #expect(alarm.sleep())
        #expect(!alarm.sleep(until: MonotonicClock.deadline(in: 0.01)))
    }

    @Test("A sleep ends at its deadline, also where the deadline is past")
    func endsAtDeadline() {
        let alarm = Alarm()
        let start = MonotonicClock.now
        #expect(!alarm.sleep(until: start + 20_000_000))
        #expect(MonotonicClock.now - start >= 20_000_000)
        #expect(!alarm.sleep(until: 0))
    }

    @Test("No ring is lost between two threads that wake each other")
    func losesNoRing() throws {
        let (ping, pong) = (Alarm(), Alarm())
        let rounds = 20_000
        let thread = try #require(
            SystemThread(name: "echo") {
                for _ in 0..<rounds {
                    ping.sleep()
                    pong.ring()
                }
            })
        for round in 0..<rounds {
            ping.ring()
            guard pong.sleep(until: MonotonicClock.deadline(in: 10)) else {
                Issue.record("round \(round): no answer")
                return
            }
        }
        thread.join()
    }

    @Test("An alarm may be released by the thread that it woke while ring returns")
    func survivesItsSleeper() throws {
        for _ in 0..<2_000 {
            let alarm = Alarm()
            let thread = try #require(SystemThread(name: "ringer") { alarm.ring() })
            #expect(alarm.sleep(until: MonotonicClock.deadline(in: 10)))
            thread.join()
        }
    }
}
