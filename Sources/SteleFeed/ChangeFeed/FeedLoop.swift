/// The feed's thread: sends each save to all streams, rendered once for each filter.

import SteleHTTP
import StelePersistence
import SteleSystem

/// The state of the feed's thread. It takes the locks of the inbox and of streams one at a time.
final class FeedLoop {
    /// A live stream.
    package struct Member {
        package let stream: EventStream
        /// It has all saves up to here already.
        let skipThrough: Int64
    }

    /// The live streams of a filter.
    struct Group {
        var members: [Member] = []
        /// How long it was judged last, in nanoseconds; what is not known comes last.
        var judged = UInt64.max
    }

    package let feed: ChangeFeed
    /// All saves up to here are sent to the live streams.
    package var position: Int64
    var groups: [ChangeFilter: Group] = [:]
    /// The time of judging in this turn.
    private(set) var time: JudgingTime
    /// The last saves, up to `position`.
    var recent = RecentSaves()
    /// Streams with events that wait for room in their queues.
    package var waiting: [CatchUp] = []
    /// Bytes sent to each filter's streams in this turn.
    package var told: [ChangeFilter: Int] = [:]
    /// Streams that read the history on a queue.
    package var reading: [ObjectIdentifier: CatchUp] = [:]
    var heartbeatAt: UInt64 = 0
    private var pollAt: UInt64 = 0
    private var keepAt: UInt64 = 0
    var roomAt: UInt64 = 0
    /// Whether another program has saved since the history was last read: a joining stream may have
    /// read it before that.
    private var isChangedElsewhere = false
    /// Saves up to here could not be read from the store; tried again at `pollAt`.
    private var behind: Int64?

    package init(_ feed: ChangeFeed, position: Int64) {
        self.feed = feed
        self.position = position
        time = JudgingTime(shared: feed.limits.feedJudging)
    }

    private var isWatched: Bool { !groups.isEmpty || !waiting.isEmpty || !reading.isEmpty }

    package func run() {
        while turn() { feed.inbox.wait(until: nextTime()) }
    }

    /// One turn; false when the feed has stopped.
    package func turn() -> Bool {
        let mail = feed.inbox.take(isWatched: isWatched)
        if mail.isStopping {
            end(mail)
            return false
        }
        let wasWatched = isWatched
        for one in mail.letters.returned { reading[ObjectIdentifier(one)] = nil }
        told = [:]
        time = JudgingTime(shared: feed.limits.feedJudging)
        // Before the saves, which concern them.
        for arrival in mail.letters.arrivals { admit(arrival) }
        take(mail)
        waiting += mail.letters.waiting.filter { !goOn($0) }
        let now = MonotonicClock.now
        if !wasWatched { heartbeatAt = now &+ feed.options.heartbeatNanoseconds }
        if now >= roomAt { goOnWithWaiting(now) }
        if now >= pollAt {
            pollAt = now &+ feed.options.pollNanoseconds
            if isWatched { _ = feed.store.noticesForeignChange() }
            if let behind { readOn(atLeastTo: behind) }
        }
        if feed.options.boundsHistory, now >= keepAt {
            keepAt = now &+ feed.options.keepNanoseconds
            feed.keepHistory(now: ReferenceDate.now)
        }
        if now >= heartbeatAt {
            beat()
            heartbeatAt = now &+ feed.options.heartbeatNanoseconds
        }
        return true
    }

    private func nextTime() -> UInt64? {
        let kept = feed.options.boundsHistory ? keepAt : nil
        guard isWatched else { return kept }
        let next = min(heartbeatAt, pollAt, kept ?? .max)
        return waiting.isEmpty ? next : min(next, roomAt)
    }

    private func end(_ mail: SavesInbox<FeedLetters>.Mail) {
        for member in groups.values.flatMap(\.members) { member.stream.finish() }
        for one in waiting + mail.letters.waiting + reading.values { one.stream.finish() }
        for arrival in mail.letters.arrivals { arrival.stream.finish() }
        groups = [:]
        waiting = []
    }

    // MARK: Saves

    private func take(_ mail: SavesInbox<FeedLetters>.Mail) {
        let saves = mail.told.saves.drop { $0.number <= position }
        if !saves.isEmpty {
            let streams = groups.values.reduce(0) { $0 + $1.members.count }
            AnswersFirst.wait(since: mail.told.latestAt, streams: streams)
        }
        // A gap is another program's saves, or saves that the inbox has discarded.
        if let last = saves.last, last.number - position == Int64(saves.count) {
            tell(Array(saves))
        }
        isChangedElsewhere = isChangedElsewhere || mail.isChangedElsewhere
        if groups.isEmpty {
            // Without live streams; a stream that joins reads the saves that it lacks.
            if mail.told.latest > position { leap(to: mail.told.latest) }
        } else if isChangedElsewhere || mail.told.latest > position {
            isChangedElsewhere = false
            readOn(atLeastTo: mail.told.latest)
        }
    }

    func leap(to number: Int64) {
        position = number
        recent = RecentSaves()
    }

    /// Sends the saves that the store has after the position, while there are live streams. A
    /// stream whose queue is full leaves them and reads on by itself.
    private func readOn(atLeastTo latest: Int64) {
        do throws(StoreError) {
            let wantsValues = groups.keys.contains { $0.needsValues }
            var step = HistoryStretch.firstStep
            while !groups.isEmpty {
                let reader = try feed.store.reader(forHistoryAfter: position, limit: step)
                defer { reader.close() }
                if try reader.lacksHistory(after: position) { endAll { $0.drop() } }
                let next = try HistoryStretch(
                    reader, after: position, values: wantsValues, step: step)
                step = next.nextStep
                if let cut = next.cut {
                    tellApart(through: cut.number)
                } else {
                    tell(next.saves, isComplete: true)
                }
                if next.isLast { break }
            }
            if latest > position { leap(to: latest) }
            behind = nil
        } catch {
            feed.logger.error("the change feed cannot read the history: \(error)")
            // A file may come back, and a store that was migrated does not: the clients find another
            // node.
            if case .gone(let reason) = error, feed.store.isOfSeveralNodes {
                let end = feed.storeIsGone(reason)
                return endAll { stream in
                    stream.send(end)
                    stream.finish()
                }
            }
            behind = latest
            pollAt = MonotonicClock.now &+ feed.options.pollNanoseconds
        }
    }

    /// The next saves are deleted, or the store is gone: the clients reconnect and are told so.
    private func endAll(_ end: (EventStream) -> Void) {
        for member in groups.values.flatMap(\.members) { end(member.stream) }
        groups = [:]
        // The next saves do not follow these without a gap.
        recent = RecentSaves()
    }

    /// Has all streams read the next save in the history, in parts, because it is too large to be
    /// held.
    private func tellApart(through number: Int64) {
        for (filter, group) in groups {
            for member in group.members where member.skipThrough < number {
                judgeApart(
                    member.stream, filter, after: max(position, member.skipThrough),
                    on: .lagging)
            }
            let ahead = group.members.filter { $0.skipThrough >= number }
            groups[filter] = nil
            if !ahead.isEmpty { groups[filter] = Group(members: ahead, judged: group.judged) }
        }
        leap(to: number)
    }

    private func tell(_ saves: [HistoryTransaction], isComplete: Bool = false) {
        guard let last = saves.last else { return }
        var complete: [HistoryTransaction]? = isComplete ? saves : nil
        for filter in inOrder() {
            guard var group = groups[filter] else { continue }
            let told: [HistoryTransaction]
            let needsHistory = filter.needsHistory(of: saves)
            if needsHistory || feed.isSlow(filter) {
                for member in group.members {
                    judgeApart(
                        member.stream, filter, after: max(position, member.skipThrough),
                        on: needsHistory ? .lagging : .slow)
                }
                groups[filter] = nil
                continue
            } else if filter.needsValues {
                let all = complete ?? feed.completed(saves, after: position)
                complete = all
                told = all
            } else {
                told = saves
            }
            let before = time.spent
            group.members = sweep(told, filter, group.members)
            group.judged = time.spent - before
            groups[filter] = group.members.isEmpty ? nil : group
        }
        position = last.number
        recent.add(saves)
    }
    /// The filters: those first that take no time to judge, then those without patterns, then those
    /// that took little last.
    private func inOrder() -> [ChangeFilter] {
        let judged = groups.filter { $0.key.isJudged }
        if judged.isEmpty { return Array(groups.keys) }
        let times = judged.map { ($0.key, $0.key.condition?.hasPatterns == true, $0.value.judged) }
        let sorted = times.sorted { ($0.1 ? 1 : 0, $0.2) < ($1.1 ? 1 : 0, $1.2) }
        return groups.keys.filter { !$0.isJudged } + sorted.map(\.0)
    }
}
