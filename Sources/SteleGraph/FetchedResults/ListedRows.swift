import SteleModel
import StelePredicates

/// The rows of a list as a whole, for lists that are read again and compared.
package struct ListedRows: Sendable {
    /// The key of each row, in order.
    package var keys: [Int64]
    /// The section of each row; empty without sections.
    package var names: [Value]

    /// - Parameter names: the section of each row; empty without sections.
    package init(keys: [Int64] = [], names: [Value] = []) {
        self.keys = keys
        self.names = names
    }

    /// The sections: consecutive rows with equal names.
    package var sections: [ResultsSection] {
        var sections: [ResultsSection] = []
        for name in names {
            if let last = sections.last, Self.isSame(last.name, name) {
                sections[sections.count - 1].numberOfObjects += 1
            } else {
                sections.append(ResultsSection(name: name, numberOfObjects: 1))
            }
        }
        return sections
    }

    private static func isSame(_ a: Value, _ b: Value) -> Bool {
        ValueOrder.sortOrder(a, b, TextComparison([])) == 0
    }

    /// The difference to later rows.
    /// - Parameter updated: the changed properties of a row that stays in its place, by its index
    ///   before and after; of a row that moves, too.
    package func difference(
        to now: ListedRows, token: Int64, updated: (_ from: Int, _ to: Int) -> UpdatedKeys
    ) -> ResultsDifference {
        var told = ResultsDifference(token: token, isOfView: true)
        let places = Dictionary(
            keys.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let remaining = Set(now.keys)
        for (index, key) in keys.enumerated() where !remaining.contains(key) {
            told.deletes.append(.init(index: index, key: key))
        }
        let former = now.keys.map { places[$0] }
        let stays = former.enumerated().map { index, from -> Int? in
            guard let from, !names.isEmpty else { return from }
            // A row of another section has moved.
            return Self.isSame(names[from], now.names[index]) ? from : nil
        }.longestRise()
        for (index, key) in now.keys.enumerated() {
            let section = now.names.isEmpty ? nil : now.names[index]
            guard let from = former[index] else {
                told.inserts.append(.init(index: index, key: key, section: section))
                continue
            }
            let keys = updated(from, index)
            if !stays[index] {
                told.moves.append(
                    .init(from: from, to: index, key: key, section: section, updated: keys))
            } else if !keys.isEmpty {
                told.updates.append(
                    .init(index: index, key: key, section: section, updated: keys))
            }
        }
        (told.sectionsBefore, told.sectionsAfter) = (sections, now.sections)
        told.sectionDeletes = Self.changes(told.sectionsBefore, without: told.sectionsAfter)
        told.sectionInserts = Self.changes(told.sectionsAfter, without: told.sectionsBefore)
        return told
    }

    private static func changes(
        _ sections: [ResultsSection], without others: [ResultsSection]
    ) -> [ResultsDifference.SectionChange] {
        sections.enumerated().compactMap { index, section in
            others.contains { isSame($0.name, section.name) }
                ? nil : .init(index: index, name: section.name)
        }
    }
}

/// The numbers that identify rows without an object, such as groups, from one reading to the next.
package struct RowNumbers: Sendable {
    private let identity: [Int]
    private var numbers: [[Value]: Int64] = [:]
    private var last: Int64 = 0

    /// - Parameter identity: the indexes of the values that identify a row: a group's keys or the
    ///   columns of a distinct row; empty for a single row.
    package init(identity: [Int]) { self.identity = identity }

    /// The number of each row. A row has the number that it had in the last reading.
    package mutating func keys(of rows: [[Value]]) -> [Int64] {
        var known: [[Value]: Int64] = [:]
        let keys = rows.map { row in
            let name = identity.map { row.indices.contains($0) ? Self.plain(row[$0]) : .null }
            let number = numbers[name] ?? known[name] ?? next()
            known[name] = number
            return number
        }
        numbers = known
        return keys
    }

    /// A context with unsaved changes has keys where a store has integers.
    private static func plain(_ value: Value) -> Value {
        if case .key(let key) = value { .int(key) } else { value }
    }

    private mutating func next() -> Int64 {
        last += 1
        return last
    }
}
