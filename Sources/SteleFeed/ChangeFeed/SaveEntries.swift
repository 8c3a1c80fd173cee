/// Saves as entries of the JSON form.

import SteleHTTP
import SteleJSON
import StelePersistence

/// A save as far as it is on a page.
struct SaveEntry {
    /// The number of the save.
    let save: Int64
    /// The entry.
    var bytes: [UInt8] = []
    /// How many changes the entry has.
    var changes = 0
    /// The position after which the save may have changes that match and are not in the entry; nil
    /// where it has all.
    var rest: Int64?
    /// Whether it ends there because the page has no time for what follows.
    var isBroken = false
    /// How many changes were looked at.
    var looked = 0

    /// Whether a page that goes back has it: one that leads to its changes at least.
    var isTold: Bool { changes > 0 || rest != nil }
}

/// Writes the saves of a page, in any order.
final class SaveEntries {
    private let feed: ChangeFeed
    private let filter: ChangeFilter
    private let reader: any StoreReader
    private let time: JudgingTime
    private let judge: ChangeJudge
    private let budget: ReadBudget?
    private let isBackward: Bool
    private var isFirst = true
    /// How many saves were looked at.
    private(set) var saves = 0

    init(
        _ feed: ChangeFeed, _ filter: ChangeFilter, _ request: Request,
        _ reader: any StoreReader, within budget: ReadBudget?, isBackward: Bool = false
    ) {
        self.feed = feed
        self.filter = filter
        self.reader = reader
        self.budget = budget
        self.isBackward = isBackward
        // Within a budget other requests wait for the thread, and what takes longer is begun
        // again on one for long reads.
        time = JudgingTime(
            slow: feed.limits.slowFeedJudging.within(nanoseconds: budget?.nanoseconds ?? .max),
            beyond: feed.limits.feedJudging,
            turn: budget?.nanoseconds ?? feed.options.pageNanoseconds
        ) { !request.clientHasGone }
        judge = ChangeJudge(filter, feed.renderer, reader, time)
    }

    /// The entry of a save from a position in it on; nil where the page has no time for it, and
    /// where the save does not exist.
    /// - Throws: as `entry(of:)`.
    func entry(of number: Int64, after start: Int64) throws -> SaveEntry? {
        var rest = SaveRest(of: number, after: start)
        return try rest.next(reader, values: filter.needsValues).flatMap {
            try entry(of: $0, after: start)
        }
    }

    /// The entry of a save, of which a cut one has the first changes; nil where the page has no
    /// time for it.
    /// - Parameter start: a position in the save, with which the given changes begin.
    /// - Throws: `StoreError`; `Problem` where what is visible of the page's first save is not
    ///   known in time.
    func entry(of save: HistoryTransaction, after start: Int64 = 0) throws -> SaveEntry? {
        saves += 1
        // The places of a large save take long to find, and others may come first.
        let isLarge = save.rest != nil || start > 0
        if budget != nil, isLarge, filter.sight != nil {
            throw StoreError.overBudget
        }
        var entry = SaveEntry(save: save.number)
        var writer = ByteWriter(capacity: 512)
        let most = filter.changeLimit ?? feed.options.pageChanges
        var last = start
        var piece = save
        var rest = SaveRest(save) ?? SaveRest(of: save.number, after: start)
        reading: while true {
            guard let told = try told(of: piece, after: last) else {
                if start == 0, last == 0 { return nil }
                (entry.rest, entry.isBroken) = (last, true)
                break
            }
            entry.looked += piece.changes.count
            for change in told.changes {
                if entry.changes == most || writer.count >= feed.options.pageBytes {
                    entry.rest = last
                    break reading
                }
                if entry.changes == 0 {
                    feed.renderer.head(save, to: &writer)
                    writer.raw(",\"changes\":[")
                } else {
                    writer.byte(UInt8(ascii: ","))
                }
                feed.renderer.write(change, values: filter.values, to: &writer)
                entry.changes += 1
                last = change.change.position
            }
            guard let end = told.rest else { break }
            rest.goOn(after: end)
            last = end
            if entry.looked >= feed.options.pageLooked {
                (entry.rest, entry.isBroken) = (end, true)
                break
            }
            guard let next = try rest.next(reader, values: filter.needsValues) else { break }
            piece = next
        }
        if entry.changes == 0, entry.rest != nil, isBackward {
            var head = save
            // The author is not shown to a role that sees no change of the save.
            if filter.sight != nil { (head.author, head.contextName) = (nil, nil) }
            feed.renderer.head(head, to: &writer)
            writer.raw(",\"changes\":[")
        }
        if writer.count > 0 {
            writer.byte(UInt8(ascii: "]"))
            if let rest = entry.rest {
                feed.renderer.rest(of: save.number, after: rest, to: &writer)
            }
            writer.byte(UInt8(ascii: "}"))
        }
        entry.bytes = writer.take()
        return entry
    }

    /// The matching changes of a save, or of a piece of it; nil where the page has no time for it.
    /// - Throws: `StoreError`: `.overBudget` within a budget; `Problem` for the first save of a
    ///   page, if what is visible of it is not known.
    private func told(
        of save: HistoryTransaction, after start: Int64
    ) throws -> (changes: [ToldChange], rest: Int64?)? {
        defer { isFirst = false }
        if filter.isJudged, time.isTurnOver, !isFirst {
            if budget != nil { throw StoreError.overBudget }
            return nil
        }
        judge.begin(changes: save.changes.count)
        do throws(StoreError) {
            let told = try judge.told(of: save, after: start)
            if budget != nil, time.isOver { throw .overBudget }
            return told
        } catch {
            guard case .overBudget = error, budget == nil else { throw error }
            if !isFirst { return nil }
            let wayOut =
                isBackward
                ? "until=\(feed.renderer.token(save.number - 1))"
                : "since=\(feed.renderer.token(save.number))"
            throw feed.tooSlow(
                after: feed.renderer.token(save.number - 1),
                hint: "ask again later; to leave that save out, go on with \(wayOut)")
        }
    }
}
