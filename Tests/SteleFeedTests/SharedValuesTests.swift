// Values that several threads share, such as the indexes of large saves.

import Dispatch
import Glibc
import StelePersistence
import SteleSystem
import TestSupport
import Testing

@testable import SteleFeed

@Suite final class SharedValuesTests: Sendable {
    private let made = Mutex<[String]>([])

    private func ask(_ values: SharedValues<String, Int>, _ key: String, _ bytes: Int = 10) -> Int {
        values.value(key, demand: {}) {
            made.withLock { $0.append(key) }
            return bytes
        }
    }

    private func isEmptySoon(_ values: SharedValues<String, Int>) -> Bool {
        for _ in 0..<5_000 where values.count > 0 { usleep(1_000) }
        return values.count == 0
    }

    @Test func manyReadersThatTakeTurnsMakeEachValueOnce() {
        let values = SharedValues<String, Int>(mostBytes: 100) { $0 }
        for _ in 0..<5 { for user in 0..<10 { #expect(ask(values, "\(user)") == 10) } }
        #expect(made.withLock { $0.count } == 10)
    }

    @Test func thoseUsedLastAreKeptWithinTheBound() {
        let values = SharedValues<String, Int>(mostBytes: 100) { $0 }
        for key in ["a", "b", "c", "a", "d"] { _ = ask(values, key, 40) }
        #expect(values.count == 2)
        #expect(ask(values, "a") == 40)
        #expect(made.withLock { $0 } == ["a", "b", "c", "a", "d"])
        // Two are kept, whatever they take.
        for key in ["e", "f", "e", "f"] { #expect(ask(values, key, 500) == 500) }
        #expect(made.withLock { $0 } == ["a", "b", "c", "a", "d", "e", "f"])
    }

    @Test func aValueIsMadeByOneThreadAndAWaitThatIsNotWantedEnds() throws {
        let values = SharedValues<String, Int>(mostBytes: 100) { $0 }
        let (begun, end, done) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup()
        )
        DispatchQueue.global().async(group: done) {
            _ = values.value("a", demand: {}) {
                begun.signal()
                end.wait()
                return 1
            }
        }
        begun.wait()
        #expect(throws: StoreError.self) {
            try values.value("a", demand: { () throws(StoreError) in throw .overBudget }) {
                () throws(StoreError) in 2
            }
        }
        // Another value does not wait for it.
        #expect(ask(values, "b") == 10)
        end.signal()
        done.wait()
        #expect(ask(values, "a") == 1)
    }

    @Test func unusedValuesAreDropped() {
        let values = SharedValues<String, Int>(mostBytes: 100, keptNanoseconds: 10_000_000) { $0 }
        _ = ask(values, "a")
        _ = ask(values, "b")
        #expect(isEmptySoon(values))
        #expect(ask(values, "a") == 10)
        #expect(isEmptySoon(values))
    }

    @Test func aFailureIsNotKept() throws {
        let values = SharedValues<String, Int>(mostBytes: 100) { $0 }
        #expect(throws: StoreError.self) {
            try values.value("a", demand: { () throws(StoreError) in }) {
                () throws(StoreError) -> Int in throw .overBudget
            }
        }
        #expect(ask(values, "a") == 10)
    }
}
