import Glibc
import SteleSystem
import Testing

struct ClockTests {
    @Test("The monotonic clock does not go back")
    func runsForward() {
        var last = MonotonicClock.now
        for _ in 0..<10_000 {
            let now = MonotonicClock.now
            #expect(now >= last)
            last = now
        }
    }

    @Test(
        "A deadline is bounded for numbers that are none", arguments: [.nan, -1, -.infinity, 0.0])
    func deadlineOfNoNumber(_ seconds: Double) {
        #expect(MonotonicClock.deadline(in: seconds) <= MonotonicClock.now)
    }

    @Test("A deadline far away does not overflow")
    func deadlineFarAway() {
        #expect(
            MonotonicClock.deadline(in: .infinity) > MonotonicClock.now + 999_999_999_000_000_000)
    }

    @Test("The reference date counts from 2001")
    func referenceDate() {
        #expect(abs(ReferenceDate.now - Double(time(nil) - 978_307_200)) < 5)
    }
}
