import SteleModel
import StelePersistence

/// The highest keys given out (Z_PRIMARYKEY's Z_MAX), by Z_ENT of the root entity; used by the
/// writer while it holds the lock. They only grow.
struct Counters {
    // Two short arrays, because each save copies them for a possible rollback.
    private var maxima: [Int64]
    private var changed: [Bool]

    private static let reading = SQLText("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY")
    private static let readingBoth = SQLText(
        "SELECT Z_ENT, Z_MAX FROM main.Z_PRIMARYKEY WHERE Z_ENT < \(HistoryTables.change) "
            + "UNION ALL SELECT Z_ENT, Z_MAX FROM history.Z_PRIMARYKEY")
    private static let writing = SQLText("UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2")
    private static let writingHistory = SQLText(
        "UPDATE history.Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2")
    private static let writingSave = SQLText(
        "UPDATE main.\(AttachedHistory.saves) SET ZTRANSACTION = ?1 WHERE Z_PK = 1")

    /// Reads the counters. The caller holds the write lock.
    /// - Parameter looksAtRows: whether a counter is at least the highest key in the table, for
    ///   stores whose writer did not update Z_PRIMARYKEY.
    init(
        _ schema: SQLSchema, _ connection: any SQLConnection, looksAtRows: Bool = true
    ) throws(StoreError) {
        let last = schema.numbers.max() ?? 0
        maxima = Array(repeating: 0, count: last + 1 + Self.histories)
        changed = Array(repeating: false, count: maxima.count)
        let reading = connection.hasAttachedHistory ? Self.readingBoth : Self.reading
        for row in try connection.rows(reading, [], [.integer, .integer]) {
            if case .int(let entity) = row[0], case .int(let highest) = row[1] {
                guard let place = Int(exactly: entity).flatMap(place(of:)) else { continue }
                // One below 0 says nothing, and no row has key 0.
                maxima[place] = max(highest, 0)
            }
        }
        if looksAtRows { try lookAtHistory(schema, connection) }
        for table in schema.storedTables where looksAtRows {
            let highest = SQLText("SELECT MAX(Z_PK) FROM \(table.name)")
            let number = schema.number(of: table.root)
            if let key = try connection.integer(highest), let place = place(of: number) {
                maxima[place] = max(maxima[place], key)
            }
        }
    }

    /// Returns the counters where the history has numbers left for saves.
    /// - Throws: as `HistoryCounters.check`.
    func checked() throws(StoreError) -> Counters {
        for entity in [HistoryTables.change, HistoryTables.transaction] {
            try HistoryCounters.check(highest(entity), of: entity)
        }
        return self
    }

    /// Makes the numbers of all rows of the history count as given out. A number out of range counts
    /// for nothing: what reads the history refuses it.
    private mutating func lookAtHistory(
        _ schema: SQLSchema, _ connection: any SQLConnection
    ) throws(StoreError) {
        var tables = [
            (HistoryTables.change, "ACHANGE"), (HistoryTables.transaction, "ATRANSACTION"),
            // They have the keys of changes, and stay where another program clears its history.
            (HistoryTables.change, HistoryTables.beforeImages),
        ]
        if schema.internsHistoryTexts {
            tables.append((HistoryTables.transactionString, "ATRANSACTIONSTRING"))
        }
        for (entity, table) in tables {
            let highest = SQLText("SELECT MAX(Z_PK) FROM \(table)")
            guard let key = try connection.integer(highest), let place = place(of: entity),
                (try? HistoryReader.checked(key)) != nil
            else { continue }
            maxima[place] = max(maxima[place], key)
        }
    }

    /// The number of the history's own entities, from 16001 on.
    private static let histories = 3

    /// Returns the index of a Z_ENT's counter: the entities', then the history's; nil for any other
    /// number, which a file may have.
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

    /// Returns the highest key of a Z_ENT.
    func highest(_ entity: Int) -> Int64 { place(of: entity).map { maxima[$0] } ?? 0 }

    /// Returns the next key of a Z_ENT.
    /// - Parameter name: whose keys they are, in the error.
    /// - Throws: `.noKeys` where all keys are given out.
    mutating func next(
        _ entity: Int, of name: String = "the history"
    ) throws(StoreError) -> Int64 {
        guard let place = place(of: entity), maxima[place] < Int64.max else {
            throw .noKeys(
                "\(name) has no keys left: Z_MAX of Z_ENT \(entity) in Z_PRIMARYKEY, or a Z_PK of its "
                    + "table, is \(Int64.max). Where no row has that key, set Z_MAX to the largest "
                    + "Z_PK while no program has the store open; where one has, delete it before")
        }
        maxima[place] += 1
        changed[place] = true
        return maxima[place]
    }

    /// Makes a key of a Z_ENT, and all below it, count as given out.
    mutating func reserve(_ key: Int64, of entity: Int) {
        guard let place = place(of: entity), maxima[place] < key else { return }
        maxima[place] = key
        changed[place] = true
    }

    /// Writes the counters that have grown since the last call.
    mutating func write(_ connection: any SQLConnection) throws(StoreError) {
        for place in changed.indices where changed[place] {
            let entity = entity(at: place)
            let isAttached = connection.hasAttachedHistory && entity >= HistoryTables.change
            try connection.write(
                isAttached ? Self.writingHistory : Self.writing,
                [.int(maxima[place]), .int(Int64(entity))])
            if isAttached, entity == HistoryTables.transaction {
                try connection.write(Self.writingSave, [.int(maxima[place])])
            }
            changed[place] = false
        }
    }
}

extension SQLSchema {
    /// Returns the highest key given out in each family, by the index of the root entity.
    package func highestKeys(
        _ connection: any SQLConnection
    ) throws(StoreError) -> [Int: Int64] {
        let counters = try Counters(self, connection)
        return Dictionary(
            storedTables.map { ($0.root, counters.highest(number(of: $0.root))) },
            uniquingKeysWith: { first, _ in first })
    }
}
