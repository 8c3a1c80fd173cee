/// Waking one thread.

/// Wakes a thread that sleeps on it. A ring while no thread sleeps ends the next sleep at once;
/// several of them count as one.
public final class Alarm: Sendable {
    private let isRung = Monitor(false)

    /// An alarm that has not been rung.
    public init() {}

    /// Ends the sleep, or the next one.
    public func ring() {
        isRung.withLock { $0 = true }
        isRung.signal()
    }

    /// Sleeps until the alarm is rung or the deadline is past. One thread at a time may sleep.
    /// - Parameter deadline: a moment of `MonotonicClock`; nil waits without end.
    /// - Returns: whether it was rung.
    @discardableResult
    public func sleep(until deadline: UInt64? = nil) -> Bool {
        isRung.withLock(when: { $0 }, until: deadline) { isRung, hasRung in
            isRung = false
            return hasRung
        }
    }
}
