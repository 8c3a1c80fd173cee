import StelePersistence
import SteleSystem

/// Notifies subscribers, such as the change feed, of each commit, in order, on its own thread;
/// contexts, which only note it, on the thread that commits.
///
/// Publishing appends to a queue, so a slow subscriber delays other subscribers but never a save.
/// Events are not kept for later subscribers, which can read the history.
public final class HistoryBroadcast: Sendable {
    private enum News {
        case saves([HistoryTransaction])
        case changedElsewhere

        /// The same with the identities of objects alone, for subscribers that keep them for long;
        /// of more changes than they keep, only that there were some.
        var withoutValues: News {
            guard case .saves(var saves) = self else { return self }
            let changes = saves.reduce(0) { $0 + $1.changes.count }
            if changes > MergeInbox.most { return .changedElsewhere }
            for save in saves.indices {
                for change in saves[save].changes.indices {
                    saves[save].changes[change].snapshot = nil
                    saves[save].changes[change].before = nil
                }
            }
            return .saves(saves)
        }
    }

    private struct State {
        var queue: [(number: UInt64, news: News)] = []
        /// The number of the next event. A subscription receives the events from its own number on.
        var next: UInt64 = 0
        var subscriptions: [Subscription] = []
        var isStopped = false
        /// Whether the thread has to look at the subscriptions again.
        var isNew = false
    }

    /// How often the store is asked for commits of other programs, in nanoseconds.
    private static let pollNanoseconds: UInt64 = 500_000_000

    /// The state shared with the thread, which may outlive the broadcast.
    private final class Core: Sendable {
        let state = Monitor(State())
        /// Held during a poll; true when there are no more of them.
        let polls = Mutex(false)

        /// Delivers queued events, and asks for commits of other programs where a subscription
        /// wants that. It returns when the broadcast is released and the queue is empty.
        func run() {
            var pollAt: UInt64?
            while true {
                let (queue, subscriptions, isStopped) = state.withLock(
                    when: { $0.isStopped || $0.isNew || !$0.queue.isEmpty }, until: pollAt
                ) { state, _ in
                    defer { (state.queue, state.isNew) = ([], false) }
                    return (state.queue, state.subscriptions, state.isStopped)
                }
                if isStopped, queue.isEmpty { return }
                for (number, news) in queue {
                    tell(number, news, to: subscriptions) { !$0.isAtOnce }
                }
                // All subscriptions are of one store.
                let poll = subscriptions.lazy.compactMap(\.poll).first
                let now = MonotonicClock.now
                if let poll, pollAt.map({ $0 <= now }) ?? true {
                    polls.withLock { isOver in if !isOver { poll() } }
                    pollAt = now &+ HistoryBroadcast.pollNanoseconds
                }
                if poll == nil { pollAt = nil }
            }
        }

        func tell(
            _ number: UInt64, _ news: News, to subscriptions: [Subscription],
            where isMeant: (Subscription) -> Bool
        ) {
            for subscription in subscriptions
            where subscription.start <= number && isMeant(subscription) {
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
    ///   - atOnce: whether the thread that has committed calls the subscriber, before the save
    ///     returns. The subscriber must not wait for anything then, and take no longer for many
    ///     changes than for one. It gets changes without values, and for a commit of very many
    ///     changes a call of `changedElsewhere`.
    ///   - receive: called with the saves of one commit, in order. It is not called for commits
    ///     made before the subscription; a reader opened after subscribing sees them.
    ///   - changedElsewhere: called after another program has committed, with or without history.
    ///   - poll: notices the commits of other programs, and is called twice a second; nil if the
    ///     subscriber does that itself.
    /// - Returns: the subscription, which is active until `cancel` is called, even if it is
    ///   released.
    public func subscribe(
        atOnce: Bool = false,
        _ receive: @escaping @Sendable ([HistoryTransaction]) -> Void,
        changedElsewhere: @escaping @Sendable () -> Void,
        poll: (@Sendable () -> Void)? = nil
    ) -> Subscription {
        defer { if poll != nil { core.state.signal() } }
        return core.state.withLock { state in
            let subscription = Subscription(
                start: state.next, isAtOnce: atOnce, receive: receive,
                changedElsewhere: changedElsewhere, poll: poll,
                leave: { [weak core] gone in
                    core?.state.withLock { $0.subscriptions.removeAll { $0 === gone } }
                })
            state.subscriptions.append(subscription)
            if poll != nil { state.isNew = true }
            return subscription
        }
    }

    /// Asks no more for commits of other programs, before the store is closed. When it returns, no
    /// poll is running.
    package func stopPolling() { core.polls.withLock { $0 = true } }

    func publish(_ saves: [HistoryTransaction]) { enqueue(.saves(saves)) }

    func publishChangedElsewhere() { enqueue(.changedElsewhere) }

    private func enqueue(_ news: News) {
        let isQueued = thread != nil
        var wakes = false
        let (number, subscriptions) = core.state.withLock { state in
            wakes = isQueued && !state.subscriptions.allSatisfy(\.isAtOnce)
            if wakes { state.queue.append((state.next, news)) }
            state.next += 1
            return (state.next - 1, state.subscriptions)
        }
        if subscriptions.contains(where: \.isAtOnce) {
            // Once for all contexts.
            core.tell(number, news.withoutValues, to: subscriptions, where: \.isAtOnce)
        }
        if !isQueued { core.tell(number, news, to: subscriptions) { !$0.isAtOnce } }
        if wakes { core.state.signal() }
    }
}
