import SteleModel
import StelePersistence
import StelePredicates

/// The result of a query as of one save, kept up to date with the store. It is the basis of
/// `FetchedResultsController` and of live queries. It holds each row's key and sort values only.
///
/// The cost of advancing to a later save depends on the size of the save, not of the result. A row
/// that depends on its own values alone is evaluated from the save. The store is read only for rows
/// that other objects may affect, and for rows that enter a window.
///
/// With a limit, the result holds all matching rows up to `horizon`, which is beyond the window.
public struct FetchedResults: Sendable {
    /// The query.
    public let query: ResultsQuery
    /// The token of the last save that the result includes.
    public internal(set) var token: Int64
    /// The sections of the rows in the window; empty if the query has no sections.
    public internal(set) var sections: [ResultsSection] = []
    var rows: RankedRows
    /// The sort values of each row, by object key.
    private(set) var places: [Int64: [Value]] = [:]
    /// The last row up to which all rows are known; nil if all rows are known.
    private(set) var horizon: ResultRow?

    /// The number of rows kept beyond a window, so that few changes need a read.
    private static let reserve = 256

    /// Fetches the result in a reader's view.
    /// - Throws: `StoreError`; `ResultsError.tooManyRows`.
    public init(_ query: ResultsQuery, _ reader: any StoreReader) throws {
        self.query = query
        token = try reader.token
        rows = RankedRows([], in: query.order)
        try fill(ResultsRead(query: query, reader: reader))
        sections = firstSections()
    }

    /// The keys of the rows in the window, in order.
    public var keys: [Int64] { rows.rows(query.window).map(\.key) }

    /// The number of rows in the window.
    public var count: Int { query.window.clamped(to: 0..<rows.count).count }

    /// The number of rows held, including those beyond the window.
    public var weight: Int { rows.count }

    /// The key of the row at an index of the window, or nil if the index is out of range.
    public func key(at index: Int) -> Int64? {
        guard index >= 0, index < count else { return nil }
        let rank = query.window.lowerBound + index
        return rows.rows(rank..<rank + 1).first?.key
    }

    /// The index of an object's row in the window, or nil if the window does not contain it.
    public func index(of key: Int64) -> Int? {
        guard let position = places[key] else { return nil }
        let rank = rows.rank(of: ResultRow(key: key, position: position))
        return query.window.contains(rank) ? rank - query.window.lowerBound : nil
    }

    private mutating func fill(_ read: ResultsRead) throws {
        let most = rowsWanted
        let found = try read.rows(atMost: most)
        horizon = nil
        if query.window.upperBound == .max || query.readsMembers {
            guard found.count - query.window.lowerBound <= query.maximumRows else {
                throw ResultsError.tooManyRows(maximum: query.maximumRows)
            }
        } else if found.count == most {
            horizon = found.last
        }
        rows = RankedRows(found, in: query.order)
        places = Dictionary(found.map { ($0.key, $0.position) }, uniquingKeysWith: { $1 })
    }

    /// The number of rows to read; nil means all.
    private var rowsWanted: Int? {
        let (start, end) = (query.window.lowerBound, query.window.upperBound)
        if end < .max - Self.reserve { return end + Self.reserve }
        let (most, isTooFar) = start.addingReportingOverflow(query.maximumRows)
        return isTooFar || most == .max ? nil : most + 1
    }

    // MARK: Advancing

    /// Advances to the last save of a view.
    /// - Returns: the differences, in order: one for each save, or one for all saves up to the view
    ///   if the store was read. A save without effect has none.
    /// - Throws: the errors of reading; `StoreError.expired` if the history lacks saves of the
    ///   view; `PredicateError` if the predicate fails on an object; `ResultsError.tooManyRows`.
    ///   The result is unusable afterwards.
    public mutating func advance(in view: SavesView) throws -> [ResultsDifference] {
        var told: [ResultsDifference] = []
        var judge: RowJudge?
        while token < view.token {
            guard let save = try view.allSaves(after: token).first else {
                token = view.token
                break
            }
            guard save.changes.contains(where: { query.concerns($0.entity) }) else {
                token = save.number
                continue
            }
            try query.owner?.check(CollectionOfOne(save), in: query.model)
            let isJoined = view.limits?.joinsSaves == true && save.number < view.token
            let difference: ResultsDifference
            if !isJoined, let changes = try judged(save, &judge, in: view),
                !needsReading(changes)
            {
                token = save.number
                difference = try apply(changes, isOfView: false, nil)
            } else {
                let reader = try view.reader()
                let saves = try view.allSaves(after: token)
                try query.owner?.check(saves, in: query.model)
                token = view.token
                difference = try follow(saves, ResultsRead(query: query, reader: reader))
            }
            if !difference.isEmpty { told.append(difference) }
        }
        return told
    }

    /// A row before and after a change.
    struct RowChange {
        let key: Int64
        let old: ResultRow?
        var new: ResultRow?
        let shown: UpdatedKeys
    }

    func old(_ key: Int64) -> ResultRow? {
        places[key].map { ResultRow(key: key, position: $0) }
    }

    /// The changes of one save, or nil if they cannot be computed from the save alone.
    private func judged(
        _ save: HistoryTransaction, _ judge: inout RowJudge?, in view: SavesView
    ) throws -> [RowChange]? {
        guard query.isOfRowsAlone, query.isObjectAlone else { return nil }
        var affected = AffectedRows(query)
        affected.add(ownChangesOf: save)
        let judging = try judge ?? RowJudge(query, matching: view.limits?.match)
        judge = judging
        var changes: [RowChange] = []
        for change in save.changes where query.isRow(change.entity) {
            var row: ResultRow?
            if change.kind != .delete {
                guard let snapshot = change.snapshot else { return nil }
                if let limits = view.limits, !limits.isLeft() { throw StoreError.overBudget }
                row = try judging.row(of: snapshot)
            }
            changes.append(
                RowChange(
                    key: change.key, old: old(change.key), new: row,
                    shown: affected.keys[change.key] ?? UpdatedKeys()))
        }
        return changes
    }

    /// Whether the changes may move rows into or out of the window.
    private func needsReading(_ changes: [RowChange]) -> Bool {
        let window = query.window
        guard window != 0..<Int.max else { return false }
        let moved = changes.filter { change in
            guard isMoved(change) else { return false }
            let ranks = [change.old, change.new].compactMap { row in row.map { rows.rank(of: $0) } }
            return ranks.contains { $0 < window.upperBound }
        }
        guard let only = moved.first else { return false }
        guard moved.count == 1, let old = only.old, let new = only.new else { return true }
        let from = rows.rank(of: old)
        let to = rows.rank(of: new) - (query.order.compare(old, new) < 0 ? 1 : 0)
        return !window.contains(from) || !window.contains(to)
    }

    func isMoved(_ change: RowChange) -> Bool {
        guard let old = change.old, let new = change.new else {
            return change.old != nil || change.new != nil
        }
        return query.order.compare(old.position, new.position) != 0
    }

    /// The difference between this result and a reader's view.
    private mutating func follow(
        _ saves: ArraySlice<HistoryTransaction>, _ read: ResultsRead
    ) throws -> ResultsDifference {
        var affected = AffectedRows(query)
        for save in saves { affected.add(ownChangesOf: save) }
        let isUnknown = saves.contains { save in
            save.changes.contains {
                $0.kind == .update && $0.before == nil && query.concerns($0.entity)
            }
        }
        // The former owners of changed objects are unknown in this case.
        let isContentUnknown =
            query.contents.isUnbounded || isUnknown && !query.contents.paths.isEmpty
        if !isContentUnknown { try affected.add(farChangesOf: saves, read.reader) }
        if isContentUnknown || query.isReadWhole || isUnknown && !query.isOfRowsAlone {
            return try refetch(affected, isContentUnknown: isContentUnknown, read)
        }
        let found = Dictionary(
            try read.rows(of: Array(affected.keys.keys)).map { ($0.key, $0) },
            uniquingKeysWith: { $1 })
        let changes = affected.keys.map { key, shown in
            RowChange(key: key, old: old(key), new: found[key], shown: shown)
        }
        return try apply(changes, isOfView: true, read)
    }

    /// The difference computed by reading all rows again, if the affected rows are unknown.
    private mutating func refetch(
        _ affected: AffectedRows, isContentUnknown: Bool, _ read: ResultsRead
    ) throws -> ResultsDifference {
        var now = self
        try now.fill(read)
        horizon = now.horizon
        let keys = Set(places.keys).union(now.places.keys)
        let changes = keys.map { key in
            // Beside a change of its own that a row does not show, others may have changed it.
            let shown = affected.keys[key] ?? UpdatedKeys()
            return RowChange(
                key: key, old: old(key), new: now.old(key),
                shown: isContentUnknown && shown.isEmpty ? .unknown : shown)
        }
        return try apply(changes, isOfView: true, read)
    }

    // MARK: Applying

    private mutating func apply(
        _ changes: [RowChange], isOfView: Bool, _ read: ResultsRead?
    ) throws -> ResultsDifference {
        var moved: [RowChange] = []
        var stayed: [(key: Int64, shown: UpdatedKeys)] = []
        for var change in changes {
            if let horizon, let new = change.new, query.order.compare(new, horizon) > 0 {
                change.new = nil
            }
            if isMoved(change) {
                moved.append(change)
            } else if change.old != nil, !change.shown.isEmpty {
                stayed.append((change.key, change.shown))
            }
        }
        var difference = WindowDifference(query, token: token, isOfView: isOfView)
        difference.begin(moved, rows)
        exchange(moved)
        if let read { try refill(&moved, read) }
        difference.end(moved, stayed: stayed, places: places, rows)
        sections = difference.settle(sections)
        trim()
        if query.window.upperBound == .max, count > query.maximumRows {
            throw ResultsError.tooManyRows(maximum: query.maximumRows)
        }
        return difference.told
    }

    mutating func exchange(_ moved: [RowChange]) {
        if moved.count > max(1_000, rows.count / 8) {
            rows.exchange(
                Set(moved.lazy.filter { $0.old != nil }.map(\.key)), for: moved.compactMap(\.new))
        } else {
            for change in moved { if let old = change.old { _ = rows.remove(old) } }
            for change in moved { if let new = change.new { rows.insert(new) } }
        }
        for change in moved { places[change.key] = change.new?.position }
    }

    /// Reads rows beyond the horizon if the window is not full. A changed row that moved beyond the
    /// horizon may be found again.
    private mutating func refill(_ moved: inout [RowChange], _ read: ResultsRead) throws {
        while let end = horizon, rows.count < query.window.upperBound {
            let count = query.window.upperBound - rows.count + Self.reserve
            let more = try read.rows(atMost: count, after: end)
            rows.append(more)
            let found = Dictionary(more.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
            for row in more { places[row.key] = row.position }
            for index in moved.indices where moved[index].new == nil {
                moved[index].new = found[moved[index].key]
            }
            horizon = more.count == count ? more.last : nil
        }
    }

    /// Removes rows far beyond the window.
    private mutating func trim() {
        guard query.window.upperBound < .max - 8 * Self.reserve, !query.readsMembers else {
            return
        }
        let most = query.window.upperBound + Self.reserve
        guard rows.count > most + 4 * Self.reserve else { return }
        for gone in rows.removeRows(from: most) { places[gone.key] = nil }
        horizon = rows.last
    }

    // MARK: Sections

    func firstSections() -> [ResultsSection] {
        guard query.hasSections else { return [] }
        var sections: [ResultsSection] = []
        for row in rows.rows(query.window) {
            guard let name = row.position.first else { continue }
            if let last = sections.last, query.order.compareSections(last.name, name) == 0 {
                sections[sections.count - 1].numberOfObjects += 1
            } else {
                sections.append(ResultsSection(name: name, numberOfObjects: 1))
            }
        }
        return sections
    }
}
