/// The feed's thread: tells each save to all streams, once rendered for each filter, in one sweep.

import SteleHTTP
import StelePersistence
import SteleSystem

/// What the thread alone has in hand. Lock order: it holds none of its own; the inbox's and the
/// streams' locks are taken one at a time.
final class FeedLoop {
    /// A live stream: two words and the stream's own object.
    package struct Member {
        package let stream: EventStream
        /// It has all up to here already.
        let skipThrough: Int64
    }

    package let feed: ChangeFeed
    /// All up to here has been told to the live streams.
    package var position: Int64
    var groups: [ChangeFilter: [Member]] = [:]
    /// The last saves, up to `position`.
    var recent = RecentSaves()
    /// Streams that have more to be sent than they shall have in their queues at once.
    package var waiting: [CatchUp] = []
    /// Bytes told to each filter's streams in this turn.
    package var told: [ChangeFilter: Int] = [:]
    /// Streams that read the history on workers.
    package var reading: [ObjectIdentifier: CatchUp] = [:]
    var heartbeatAt: UInt64 = 0
    private var pollAt: UInt64 = 0
    private var keepAt: UInt64 = 0
    var roomAt: UInt64 = 0
    /// Whether another program has saved since the store was last asked: who joins may have looked
    /// before that.
    private var isChangedElsewhere = false
    /// Saves up to here could not be read from the store; tried again at the next look.
    private var behind: Int64?

    package init(_ feed: ChangeFeed, position: Int64) {
        self.feed = feed
        self.position = position
    }

    private var isWatched: Bool { !groups.isEmpty || !waiting.isEmpty || !reading.isEmpty }

    package func run() {
        while turn() { feed.inbox.wait(until: nextTime()) }
    }

    /// One round; false when the feed has stopped.
    package func turn() -> Bool {
        let mail = feed.inbox.take(isWatched: isWatched)
        if mail.isStopping {
            end(mail)
            return false
        }
        let wasWatched = isWatched
        for one in mail.letters.returned { reading[ObjectIdentifier(one)] = nil }
        told = [:]
        // First, for what comes with them concerns them.
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
        if feed.keeper.isNeeded, now >= keepAt {
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
        let kept = feed.keeper.isNeeded ? keepAt : nil
        guard isWatched else { return kept }
        let next = min(heartbeatAt, pollAt, kept ?? .max)
        return waiting.isEmpty ? next : min(next, roomAt)
    }

    private func end(_ mail: SavesInbox<FeedLetters>.Mail) {
        for members in groups.values {
            for member in members { member.stream.finish() }
        }
        for one in waiting + mail.letters.waiting { one.stream.finish() }
        for arrival in mail.letters.arrivals { arrival.stream.finish() }
        groups = [:]
        waiting = []
    }

    // MARK: Saves

    private func take(_ mail: SavesInbox<FeedLetters>.Mail) {
        let saves = mail.told.saves.drop { $0.number <= position }
        if !saves.isEmpty {
            let streams = groups.values.reduce(0) { $0 + $1.count }
            AnswersFirst.wait(since: mail.told.latestAt, streams: streams)
        }
        // A gap is another program's saves, or what the inbox let go.
        if let last = saves.last, last.number - position == Int64(saves.count) {
            tell(Array(saves))
        }
        isChangedElsewhere = isChangedElsewhere || mail.isChangedElsewhere
        if groups.isEmpty {
            // Nobody listens; who joins reads what he lacks.
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

    /// Tells what the store has after the position, as long as there are streams that take it: who
    /// is to have more than goes at once reads on by himself.
    private func readOn(atLeastTo latest: Int64) {
        do throws(StoreError) {
            let wantsValues = groups.keys.contains { $0.needsValues }
            var step = HistoryStretch.firstStep
            while !groups.isEmpty {
                let reader = try feed.store.reader()
                defer { reader.close() }
                if try reader.lacksHistory(after: position) { dropAll() }
                let next = try HistoryStretch(
                    reader, after: position, values: wantsValues, step: step)
                step = next.nextStep
                tell(next.saves, isComplete: true)
                if next.isLast { break }
            }
            if latest > position { leap(to: latest) }
            behind = nil
        } catch {
            feed.logger.error("the change feed cannot read the history: \(error)")
            behind = latest
            pollAt = MonotonicClock.now &+ feed.options.pollNanoseconds
        }
    }

    /// What these streams lack has been deleted: they come back and are told so.
    private func dropAll() {
        for members in groups.values {
            for member in members { member.stream.drop() }
        }
        groups = [:]
        // What comes next does not follow on these.
        recent = RecentSaves()
    }

    private func tell(_ saves: [HistoryTransaction], isComplete: Bool = false) {
        guard let last = saves.last else { return }
        var complete: [HistoryTransaction]? = isComplete ? saves : nil
        for (filter, members) in groups {
            let told: [HistoryTransaction]
            if filter.needsValues {
                let all = complete ?? feed.completed(saves, after: position)
                complete = all
                told = all
            } else {
                told = saves
            }
            let left = sweep(told, filter, members)
            groups[filter] = left.isEmpty ? nil : left
        }
        position = last.number
        recent.add(saves)
    }
}
