/// The highest keys given out: Z_PRIMARYKEY's Z_MAX, held by the one writer while it has the lock.

import SteleModel
import StelePersistence

/// Keys that were given out, by Z_ENT of the root entity; they only grow.
struct Counters {
    // Two short arrays, for they are copied with each save: it may have to be taken back.
    private var maxima: [Int64]
    private var changed: [Bool]

    private static let reading = SQLText("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY")
    private static let writing = SQLText("UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2")

    /// Reads them; only right while the writer's lock is held.
    ///
    /// Never less than a key that is there: a program that writes rows and not this table shall
    /// not make the next key one that is taken.
    init(_ schema: SQLSchema, _ connection: any SQLConnection) throws(StoreError) {
        maxima = Array(repeating: 0, count: schema.model.entities.count + 1 + Self.histories)
        changed = Array(repeating: false, count: maxima.count)
        for row in try connection.rows(Self.reading, [], [.integer, .integer]) {
            if case .int(let entity) = row[0], case .int(let highest) = row[1] {
                guard let place = place(of: Int(entity)) else { continue }
                maxima[place] = highest
            }
        }
        for (root, table) in schema.tables {
            let highest = SQLText("SELECT MAX(Z_PK) FROM \(table.name)")
            let number = schema.number(of: root)
            if case .int(let key)? = try connection.rows(highest, [], [.integer]).first?.first {
                guard let place = place(of: number) else { continue }
                maxima[place] = max(maxima[place], key)
            }
        }
    }

    /// Numbers of the history's own rows: 16001 and those after it.
    private static let histories = 3

    /// Where a Z_ENT's counter is: the model's from 1 on, then the history's; nil for a number that
    /// is of neither, which a file may hold.
    private func place(of entity: Int) -> Int? {
        let own = maxima.count - Self.histories
        if entity >= 0, entity < own { return entity }
        let history = entity &- HistoryTables.change
        return history >= 0 && history < Self.histories ? own + history : nil
    }

    private func entity(at place: Int) -> Int {
        let own = maxima.count - Self.histories
        return place < own ? place : HistoryTables.change + place - own
    }

    /// The highest key given out for that Z_ENT.
    func highest(_ entity: Int) -> Int64 { place(of: entity).map { maxima[$0] } ?? 0 }

    /// The next key for that Z_ENT.
    /// - Throws: `.failed` where a file says that all are given out.
    mutating func next(_ entity: Int) throws(StoreError) -> Int64 {
        try next(entity, count: 1)
    }

    /// The first of as many keys that follow each other.
    /// - Throws: as for one.
    mutating func next(_ entity: Int, count: Int64) throws(StoreError) -> Int64 {
        guard let place = place(of: entity), maxima[place] <= Int64.max - count else {
            throw .failed("the store has no keys left for Z_ENT \(entity)")
        }
        maxima[place] += count
        changed[place] = true
        return maxima[place] - count + 1
    }

    /// Writes those that grew since the last time.
    mutating func write(_ connection: any SQLConnection) throws(StoreError) {
        for place in changed.indices where changed[place] {
            try connection.execute(
                Self.writing, [.int(maxima[place]), .int(Int64(entity(at: place)))])
            changed[place] = false
        }
    }
}
