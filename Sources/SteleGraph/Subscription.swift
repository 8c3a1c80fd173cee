import StelePersistence
import SteleSystem

/// A subscription to a broadcast, returned by `HistoryBroadcast.subscribe`. It ends with `cancel`.
public final class Subscription: Sendable {
    let start: UInt64
    /// Whether the thread that has committed calls the subscriber.
    let isAtOnce: Bool
    /// Notices the commits of other programs.
    let poll: (@Sendable () -> Void)?
    private let receive: @Sendable ([HistoryTransaction]) -> Void
    private let changedElsewhere: @Sendable () -> Void
    private let leave: @Sendable (Subscription) -> Void
    private let isCancelled = Atomic<Bool>(false)
    /// Held during a call of the subscriber.
    private let telling = Mutex(())
    /// The thread that is calling the subscriber, or 0.
    private let teller = Atomic<UInt>(0)

    init(
        start: UInt64, isAtOnce: Bool, receive: @escaping @Sendable ([HistoryTransaction]) -> Void,
        changedElsewhere: @escaping @Sendable () -> Void, poll: (@Sendable () -> Void)?,
        leave: @escaping @Sendable (Subscription) -> Void
    ) {
        self.start = start
        self.isAtOnce = isAtOnce
        self.poll = poll
        self.receive = receive
        self.changedElsewhere = changedElsewhere
        self.leave = leave
    }

    /// Ends the subscription. After this call returns, the subscriber is not running and is not
    /// called again. When called from within `receive`, the subscription ends with that call. Do
    /// not call it while holding a lock that `receive` takes.
    public func cancel() {
        isCancelled.store(true, ordering: .sequentiallyConsistent)
        leave(self)
        let isTold = teller.load(ordering: .sequentiallyConsistent) == SystemThread.current
        if !isTold { telling.withLock { _ in } }
    }

    func tell(_ saves: [HistoryTransaction]) { tell { receive(saves) } }

    func tellChangedElsewhere() { tell { changedElsewhere() } }

    private func tell(_ news: () -> Void) {
        telling.withLock { _ in
            teller.store(SystemThread.current, ordering: .sequentiallyConsistent)
            if !isCancelled.load(ordering: .sequentiallyConsistent) { news() }
            teller.store(0, ordering: .sequentiallyConsistent)
        }
    }
}
