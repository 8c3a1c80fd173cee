import StelePersistence
import SteleSystem

/// Notifies subscribers, such as the change feed, of each commit, in order, on its own thread.
///
/// Publishing appends to a queue, so a slow subscriber delays other subscribers but never a save.
/// Events are not kept for later subscribers, which can read the history.
public final class HistoryBroadcast: Sendable {
    private enum News {
        case saves([HistoryTransaction])
        case changedElsewhere
    }

    private struct State {
        var queue: [(number: UInt64, news: News)] = []
        /// The number of the next event. A subscription receives the events from its own number on.
        var next: UInt64 = 0
        var subscriptions: [Subscription] = []
        var isStopped = false
    }

    /// The state shared with the thread, which may outlive the broadcast.
    private final class Core: Sendable {
        let state = Monitor(State())

        /// Delivers queued events. It returns when the broadcast is released and the queue is empty.
        func run() {
            while true {
                let (queue, subscriptions, isStopped) = state.withLock(
                    when: { $0.isStopped || !$0.queue.isEmpty }
                ) { state, _ in
                    defer { state.queue = [] }
                    return (state.queue, state.subscriptions, state.isStopped)
                }
                if isStopped, queue.isEmpty { return }
                for (number, news) in queue { tell(number, news, to: subscriptions) }
            }
        }

        func tell(_ number: UInt64, _ news: News, to subscriptions: [Subscription]) {
            for subscription in subscriptions where subscription.start <= number {
                switch news {
                case .saves(let saves): subscription.tell(saves)
                case .changedElsewhere: subscription.tellChangedElsewhere()
                }
            }
        }
    }

    private let core = Core()
    /// Nil if no thread could be created. The publishing threads then deliver the events.
    private let thread: SystemThread?

    init() {
        let core = core
        thread = SystemThread(name: "stele-broadcast") { core.run() }
    }

    deinit {
        core.state.withLock { $0.isStopped = true }
        core.state.signal()
    }

    /// Subscribes to the commits that are published after this call returns.
    /// - Parameters:
    ///   - receive: called with the saves of one commit, in order. It is not called for commits
    ///     made before the subscription; a reader opened after subscribing sees them.
    ///   - changedElsewhere: called after another program has committed, with or without history.
    /// - Returns: the subscription, which is active until `cancel` is called, even if it is
    ///   released.
    public func subscribe(
        _ receive: @escaping @Sendable ([HistoryTransaction]) -> Void,
        changedElsewhere: @escaping @Sendable () -> Void
    ) -> Subscription {
        core.state.withLock { state in
            let subscription = Subscription(
                start: state.next, receive: receive, changedElsewhere: changedElsewhere,
                leave: { [weak core] gone in
                    core?.state.withLock { $0.subscriptions.removeAll { $0 === gone } }
                })
            state.subscriptions.append(subscription)
            return subscription
        }
    }

    func publish(_ saves: [HistoryTransaction]) { enqueue(.saves(saves)) }

    func publishChangedElsewhere() { enqueue(.changedElsewhere) }

    private func enqueue(_ news: News) {
        let isQueued = thread != nil
        let (number, subscriptions) = core.state.withLock { state in
            if isQueued, !state.subscriptions.isEmpty { state.queue.append((state.next, news)) }
            state.next += 1
            return (state.next - 1, state.subscriptions)
        }
        if subscriptions.isEmpty { return }
        if isQueued { core.state.signal() } else { core.tell(number, news, to: subscriptions) }
    }
}
