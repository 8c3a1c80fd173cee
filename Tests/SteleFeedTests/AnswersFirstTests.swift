/// How long a sweep over many streams waits for the answer to its save.

import SteleSystem
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct AnswersFirstTests {
    @Test func fewStreamsAreToldAtOnce() {
        for streams in [0, 1, 100, 499] { #expect(AnswersFirst.pause(streams: streams) == 0) }
    }

    @Test func manyWaitInProportionAndNeverLong() {
        #expect(AnswersFirst.pause(streams: 500) == 100_000)
        #expect(AnswersFirst.pause(streams: 10_000) == 2_000_000)
        #expect(AnswersFirst.pause(streams: .max) == 5_000_000)
    }

    @Test func aSaveThatHasWaitedIsToldAtOnce() {
        // As long ago as the longest pause: nothing is left to wait for.
        let start = MonotonicClock.now
        AnswersFirst.wait(since: start &- 5_000_000, streams: .max)
        AnswersFirst.wait(since: start, streams: 10_000)
        #expect(MonotonicClock.now &- start >= 2_000_000)
    }
}
