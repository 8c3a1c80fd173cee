/// Tells subscribers of each commit, in order, on a thread of its own.

import StelePersistence
import SteleSystem

/// The saves as they are committed, for subscribers such as the change feed.
///
/// Publishing appends to a queue and wakes the thread, so a slow subscriber delays the others but
/// never a save. Nothing is kept for later subscribers: the history has it.
public final class HistoryBroadcast: Sendable {
    private enum News {
        case saves([HistoryTransaction])
        case changedElsewhere
    }

    private struct State {
        var queue: [(number: UInt64, news: News)] = []
        /// The number of the next news; a subscription is told from its own number on.
        var next: UInt64 = 0
        var subscriptions: [Subscription] = []
        var isStopped = false
    }

    /// The part that the thread holds, so that it may outlive the broadcast.
    private final class Core: Sendable {
        let state = Monitor(State())

        /// Tells what is queued. It returns when the broadcast is released and the queue is empty.
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
    /// Nil where the system has no thread: then the threads that publish tell the news.
    private let thread: SystemThread?

    init() {
        let core = core
        thread = SystemThread(name: "stele-broadcast") { core.run() }
    }

    deinit {
        core.state.withLock { $0.isStopped = true }
        core.state.signal()
    }

    /// Subscribes to the commits that are published after this returns.
    ///
    /// - Parameters:
    ///   - receive: the saves of one commit, in order. A commit that was made before the
    ///     subscription is never told; a reader opened after subscribing sees it.
    ///   - changedElsewhere: another program changed the store and left no history of it.
    /// - Returns: the subscription, which goes on until `cancel`, also where it is released.
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
