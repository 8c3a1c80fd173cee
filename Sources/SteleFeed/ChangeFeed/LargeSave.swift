/// Telling a save that is too large to be held: its changes are read from the history, a piece at a
/// time, first to find where its parts end, and again for each part.

import SteleJSON
import StelePersistence

/// How far the telling of a save is, for one filter.
package struct LargeSave: Sendable {
    /// The number of the save.
    let number: Int64
    /// The position within it at which the telling begins; 0 for the whole save.
    let start: Int64
    /// The position of the last change of each part. Before `isCounted` there may be more parts.
    fileprivate(set) var ends: [Int64] = []
    fileprivate(set) var isCounted = false
    /// How many parts are sent.
    fileprivate(set) var sent = 0
    /// Whether the time for judging ran out, so that some changes are sent without being judged.
    fileprivate(set) var isOver = false

    /// What finds the ends, and what it has read.
    fileprivate var parts: SaveParts?
    fileprivate var rest: SaveRest
    /// The next part as far as it was read, where a turn has ended within it.
    fileprivate var part: OpenPart?

    /// A part that is not complete.
    fileprivate struct OpenPart: Sendable {
        var changes: SaveParts
        var head: HistoryTransaction?
        var rest: SaveRest
    }

    init(_ number: Int64, after start: Int64 = 0) {
        self.number = number
        self.start = start
        rest = SaveRest(of: number, after: start)
    }

    /// The position before the save, or within it.
    var place: HistoryPosition {
        start == 0
            ? HistoryPosition(after: number - 1) : HistoryPosition(after: number, change: start)
    }

    /// Whether all parts are sent.
    var isTold: Bool { isCounted && sent == ends.count }

    /// Whether a turn has ended within the next part.
    var isWithinPart: Bool { part != nil }

    /// Whether less is known of it than of another telling of the same.
    func isBehind(_ other: LargeSave) -> Bool {
        !isCounted && (other.isCounted || other.rest.position ?? .max > rest.position ?? .max)
    }
}

/// Reads pieces of one save and judges them, in one turn.
struct PieceReading {
    let reader: any StoreReader
    let judge: ChangeJudge
    let filter: ChangeFilter
    let time: JudgingTime

    /// The next piece of a save, and its changes for the answer; nil at the end of the save.
    /// - Throws: as reading and judging.
    func next(
        _ rest: inout SaveRest, atMost most: Int = .max, isOver: inout Bool
    ) throws(StoreError) -> (piece: HistoryTransaction, told: [ToldChange])? {
        var next = rest
        let start = next.position ?? 0
        guard let piece = try next.next(reader, atMost: most, values: filter.needsValues) else {
            rest = next
            return nil
        }
        judge.begin(changes: piece.changes.count)
        let told = try judge.told(of: piece, after: start)
        next.goOn(after: told.rest)
        isOver = isOver || time.isOver
        if !time.isShared { time.end() }
        // What was read counts only where it was judged, too.
        rest = next
        return (piece, told.changes)
    }
}

extension ChangeRenderer {
    /// The most changes of a save that are looked at in a turn, to find the ends of its parts.
    private static let changesPerTurn = 10_000

    /// A turn of finding the ends of the parts.
    /// - Throws: as reading and judging. The turn can then be repeated.
    func count(_ large: inout LargeSave, _ pieces: PieceReading) throws(StoreError) {
        var next = large
        var parts = next.parts ?? SaveParts(self, pieces.filter, isKept: false)
        // It is not to be shared with what is changed here.
        next.parts = nil
        large.parts = nil
        defer {
            next.parts = parts
            large = next
        }
        var looked = 0
        while looked < Self.changesPerTurn {
            guard
                let (piece, told) = try pieces.next(&next.rest, isOver: &next.isOver)
            else { break }
            for change in told { parts.add(change) }
            parts.forgetFirst()
            looked += piece.changes.count
            if pieces.time.isTurnOver { break }
        }
        guard next.rest.position == nil else { return }
        parts.end()
        next.ends = parts.ends
        next.isCounted = true
    }

    /// The event of the next part; nil where there is none, and where the turn ends within it.
    /// - Throws: as reading and judging. The turn can then be repeated.
    func nextPart(
        of large: inout LargeSave, _ pieces: PieceReading
    ) throws(StoreError) -> [UInt8]? {
        guard large.sent < large.ends.count else { return nil }
        let end = large.ends[large.sent]
        let start = large.sent == 0 ? large.start : large.ends[large.sent - 1]
        if let only = large.parts?.only {
            var rest = SaveRest(of: large.number, after: start)
            let piece = try rest.next(pieces.reader, atMost: 1, values: false)
            large.sent += 1
            return piece.map { event($0, only, of: large) }
        }
        var part =
            large.part
            ?? LargeSave.OpenPart(
                changes: SaveParts(self, pieces.filter, isBoundless: true),
                rest: SaveRest(of: large.number, after: start))
        large.part = nil
        while let position = part.rest.position, position < end {
            let most = Int(clamping: end - position)
            guard
                let (piece, told) = try pieces.next(
                    &part.rest, atMost: most, isOver: &large.isOver)
            else { break }
            part.head = piece
            part.head?.changes = []
            for change in told where change.change.position <= end { part.changes.add(change) }
            if pieces.time.isTurnOver, part.rest.position.map({ $0 < end }) ?? false {
                large.part = part
                return nil
            }
        }
        part.changes.end()
        large.sent += 1
        return part.head.map { event($0, part.changes.parts.first ?? [], of: large) }
    }

    private func event(
        _ save: HistoryTransaction, _ changes: [UInt8], of large: LargeSave
    ) -> [UInt8] {
        var writer = ByteWriter(capacity: changes.count + 256)
        event(
            save, changes, part: large.sent - 1, of: large.ends.count, rest: nil, to: &writer)
        return writer.take()
    }

    /// The event of a large save of which a filter wants a number of changes; nil where none
    /// matches.
    /// - Throws: as reading and judging.
    func beginning(
        of number: Int64, after start: Int64, _ pieces: PieceReading
    ) throws(StoreError) -> (event: [UInt8]?, isOver: Bool) {
        var parts = SaveParts(self, pieces.filter)
        var rest = SaveRest(of: number, after: start)
        var head: HistoryTransaction?
        var isOver = false
        while !parts.isFull, let (piece, told) = try pieces.next(&rest, isOver: &isOver) {
            head = head ?? piece
            for change in told { parts.add(change) }
        }
        parts.end()
        guard let head, let changes = parts.parts.first else { return (nil, isOver) }
        var writer = ByteWriter(capacity: changes.count + 256)
        event(head, changes, part: 0, of: 1, rest: parts.rest, to: &writer)
        return (writer.take(), isOver)
    }
}
