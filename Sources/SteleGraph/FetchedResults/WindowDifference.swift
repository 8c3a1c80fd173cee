import SteleModel
import StelePredicates

/// Computes the difference that moved rows make in the window of a result.
///
/// Unmoved rows keep their order, so each has the same rank among the unmoved rows before and
/// after. The window is a range of these ranks at either time. An unmoved row in only one of the
/// two ranges has entered or left the window. A moved row's gap is the number of unmoved rows
/// before it.
struct WindowDifference {
    /// The difference so far.
    private(set) var told: ResultsDifference
    private let query: ResultsQuery
    private var before = Side()
    private var after = Side()
    /// The section names of the rows that left or entered, with duplicates.
    private var gone: [Value] = []
    private var come: [Value] = []

    /// The moved rows at one time, by rank.
    private struct Side {
        struct Mark {
            let row: ResultRow
            let rank: Int
            let gap: Int
        }

        var marks: [Mark] = []
        /// The unmoved rows in the window, as ranks among the unmoved rows.
        var unmoved = 0..<0

        init() {}

        init(_ moved: [ResultRow], _ rows: RankedRows, _ query: ResultsQuery) {
            let sorted = moved.map { (row: $0, rank: rows.rank(of: $0)) }
                .sorted { $0.rank < $1.rank }
            marks = sorted.enumerated().map { index, one in
                Mark(row: one.row, rank: one.rank, gap: one.rank - index)
            }
            let shown = query.window.clamped(to: 0..<rows.count)
            let start = shown.lowerBound - marksBefore(rank: shown.lowerBound)
            unmoved = start..<max(start, shown.upperBound - marksBefore(rank: shown.upperBound))
        }

        private func marksBefore(rank: Int) -> Int { count { $0.rank < rank } }

        /// The rank among all rows of an unmoved row.
        func rank(ofUnmoved own: Int) -> Int { own + count { $0.gap <= own } }

        /// The rank of an unmoved row among the unmoved rows.
        func own(_ rank: Int) -> Int { rank - marksBefore(rank: rank) }

        /// The number of marks in the leading part for which the condition is true.
        private func count(_ holds: (Mark) -> Bool) -> Int {
            var (low, high) = (0, marks.count)
            while low < high {
                let middle = (low + high) / 2
                if holds(marks[middle]) { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    init(_ query: ResultsQuery, token: Int64, isOfView: Bool) {
        self.query = query
        told = ResultsDifference(token: token, isOfView: isOfView)
    }

    /// Records the window before the moved rows are removed.
    mutating func begin(_ moved: [FetchedResults.RowChange], _ rows: RankedRows) {
        before = Side(moved.compactMap(\.old), rows, query)
    }

    /// Records the window after the moved rows are inserted, and computes the difference.
    /// - Parameter stayed: the rows that have not moved, with their changed properties.
    mutating func end(
        _ moved: [FetchedResults.RowChange], stayed: [(key: Int64, shown: UpdatedKeys)],
        places: [Int64: [Value]], _ rows: RankedRows
    ) {
        after = Side(moved.compactMap(\.new), rows, query)
        slide(rows)
        tell(moved)
        for (key, shown) in stayed {
            guard let position = places[key] else { continue }
            let row = ResultRow(key: key, position: position)
            let rank = rows.rank(of: row)
            let own = after.own(rank)
            guard before.unmoved.contains(own), after.unmoved.contains(own) else { continue }
            told.updates.append(
                .init(index: index(rank), key: key, section: section(row), updated: shown))
        }
        told.deletes.sort { $0.index < $1.index }
        told.inserts.sort { $0.index < $1.index }
        told.moves.sort { $0.to < $1.to }
        told.updates.sort { $0.index < $1.index }
    }

    /// The sections after the difference. Removed and added sections are recorded.
    mutating func settle(_ sections: [ResultsSection]) -> [ResultsSection] {
        let settled = settled(sections)
        (told.sectionsBefore, told.sectionsAfter) = (sections, settled)
        return settled
    }

    private mutating func settled(_ sections: [ResultsSection]) -> [ResultsSection] {
        guard query.hasSections, !(gone.isEmpty && come.isEmpty) else { return sections }
        var counts = sections
        for name in come { add(1, to: name, in: &counts) }
        for name in gone { add(-1, to: name, in: &counts) }
        let settled = counts.filter { $0.numberOfObjects > 0 }
        for name in gone {
            let place = place(of: name, in: sections)
            guard place.isThere, !self.place(of: name, in: settled).isThere else { continue }
            let change = ResultsDifference.SectionChange(
                index: place.index, name: sections[place.index].name)
            if !told.sectionDeletes.contains(change) { told.sectionDeletes.append(change) }
        }
        for name in come {
            let place = place(of: name, in: settled)
            guard place.isThere, !self.place(of: name, in: sections).isThere else { continue }
            let change = ResultsDifference.SectionChange(
                index: place.index, name: settled[place.index].name)
            if !told.sectionInserts.contains(change) { told.sectionInserts.append(change) }
        }
        told.sectionDeletes.sort { $0.index < $1.index }
        told.sectionInserts.sort { $0.index < $1.index }
        return settled
    }

    // MARK: Rows

    /// Records the unmoved rows that enter or leave the window.
    private mutating func slide(_ rows: RankedRows) {
        for own in Self.parts(of: before.unmoved, without: after.unmoved) {
            guard let row = row(own, rows) else { continue }
            told.deletes.append(.init(index: index(before.rank(ofUnmoved: own)), key: row.key))
            note(gone: row)
        }
        for own in Self.parts(of: after.unmoved, without: before.unmoved) {
            guard let row = row(own, rows) else { continue }
            told.inserts.append(
                .init(
                    index: index(after.rank(ofUnmoved: own)), key: row.key, section: section(row)))
            note(come: row)
        }
    }

    private func row(_ own: Int, _ rows: RankedRows) -> ResultRow? {
        let rank = after.rank(ofUnmoved: own)
        return rows.rows(rank..<rank + 1).first
    }

    private static func parts(of range: Range<Int>, without other: Range<Int>) -> [Int] {
        let left = range.clamped(to: .min..<other.lowerBound)
        let right = range.clamped(to: max(other.lowerBound, other.upperBound)..<Int.max)
        return Array(left) + right.filter { !left.contains($0) }
    }

    private mutating func tell(_ moved: [FetchedResults.RowChange]) {
        let old = shown(before.marks)
        let new = shown(after.marks)
        var both: [(from: Side.Mark, to: Side.Mark, updated: UpdatedKeys)] = []
        for change in moved {
            switch (old[change.key], new[change.key]) {
            case (let from?, let to?): both.append((from, to, change.shown))
            case (let from?, nil):
                told.deletes.append(.init(index: index(from.rank), key: change.key))
                note(gone: from.row)
            case (nil, let to?):
                told.inserts.append(
                    .init(index: index(to.rank), key: change.key, section: section(to.row)))
                note(come: to.row)
            case (nil, nil): break
            }
        }
        both.sort { $0.to.rank < $1.to.rank }
        // Rows between the same unmoved rows stay if they follow each other as before.
        let stays = both.map { from, to, _ in
            from.gap == to.gap && !isElsewhere(from.row, to.row) ? from.rank : nil
        }.longestRise()
        for (place, (from, to, updated)) in both.enumerated() {
            if isElsewhere(from.row, to.row) {
                note(gone: from.row)
                note(come: to.row)
            }
            if stays[place] {
                guard !updated.isEmpty else { continue }
                told.updates.append(
                    .init(
                        index: index(to.rank), key: to.row.key, section: section(to.row),
                        updated: updated))
            } else {
                told.moves.append(
                    .init(
                        from: index(from.rank), to: index(to.rank), key: to.row.key,
                        section: section(to.row), updated: updated))
            }
        }
    }

    /// Whether a row has moved to another section.
    private func isElsewhere(_ from: ResultRow, _ to: ResultRow) -> Bool {
        query.hasSections
            && query.order.compareSections(from.position[0], to.position[0]) != 0
    }

    private func shown(_ marks: [Side.Mark]) -> [Int64: Side.Mark] {
        Dictionary(
            marks.lazy.filter { query.window.contains($0.rank) }.map { ($0.row.key, $0) },
            uniquingKeysWith: { $1 })
    }

    private func index(_ rank: Int) -> Int { rank - query.window.lowerBound }

    // MARK: Sections

    private func section(_ row: ResultRow) -> Value? {
        query.hasSections ? row.position.first : nil
    }

    private mutating func note(gone row: ResultRow) {
        if let name = section(row) { gone.append(name) }
    }

    private mutating func note(come row: ResultRow) {
        if let name = section(row) { come.append(name) }
    }

    /// The index of a section, or the index at which it would be inserted.
    private func place(of name: Value, in sections: [ResultsSection]) -> (index: Int, isThere: Bool)
    {
        var (low, high) = (0, sections.count)
        while low < high {
            let middle = (low + high) / 2
            if query.order.compareSections(sections[middle].name, name) < 0 {
                low = middle + 1
            } else {
                high = middle
            }
        }
        let isThere =
            low < sections.count && query.order.compareSections(sections[low].name, name) == 0
        return (low, isThere)
    }

    private func add(_ number: Int, to name: Value, in sections: inout [ResultsSection]) {
        let (index, isThere) = place(of: name, in: sections)
        if isThere {
            sections[index].numberOfObjects += number
        } else {
            sections.insert(ResultsSection(name: name, numberOfObjects: number), at: index)
        }
    }
}
