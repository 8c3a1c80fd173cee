/// Tells subscribers of each commit, in order, on a thread of its own.

import StelePersistence
import SteleMutex

/// Saves as they are committed, for the change feed.
///
/// Publishing appends to a queue and wakes the thread, so a slow receiver delays other receivers
/// but never a save. Nothing is kept for later subscribers: the history has it.
public final class HistoryBroadcast: Sendable {
    private enum News {
        case saves([HistoryTransaction])
        case changedElsewhere
    }

    private struct State {
        var queue: [(number: UInt64, news: News)] = []
        /// The next news' number; a subscription hears from its own number on.
        var next: UInt64 = 0
        var subscriptions: [Subscription] = []
    }

    private final class Core: Sendable {
        let state = Mutex(State())

        /// Tells all that is queued; only ever run by one thread at a time.
        func drain() {
            while true {
                let (queue, subscriptions) = state.withLock { state in
                    let taken = (state.queue, state.subscriptions)
                    state.queue = []
                    return taken
                }
                if queue.isEmpty { return }
                for (number, news) in queue {
                    for subscription in subscriptions where subscription.start <= number {
                        switch news {
                        case .saves(let saves): subscription.tell(saves)
                        case .changedElsewhere: subscription.tellChangedElsewhere()
                        }
                    }
                }
            }
        }
    }

    private let core = Core()
    private let thread: DrainThread

    init() {
        let core = core
        thread = DrainThread { core.drain() }
    }

    /// Hears of every commit that is published after this returns.
    ///
    /// - Parameters:
    ///   - receive: the saves of one commit, in order. A commit that was made before the
    ///     subscription is never told; a reader opened after subscribing sees it.
    ///   - changedElsewhere: another program changed the store and left no history of it.
    /// - Returns: what ends it; it goes on when that is dropped.
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
        let isHeard = core.state.withLock { state -> Bool in
            state.next += 1
            if state.subscriptions.isEmpty { return false }
            state.queue.append((state.next - 1, news))
            return true
        }
        if isHeard { thread.wake() }
    }
}
