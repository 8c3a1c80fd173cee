/// The highest keys given out: Z_PRIMARYKEY's Z_MAX, held by the one writer while it has the lock.

import SteleModel
import StelePersistence

/// Keys that were given out, by Z_ENT of the root entity; they only grow.
struct Counters {
    private var maxima: [Int: Int64]
    private var changed: Set<Int> = []

    private static let reading = SQLText("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY")
    private static let writing = SQLText("UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2")

    /// Reads them; only right while the writer's lock is held.
    ///
    /// Never less than a key that is there: a program that writes rows and not this table shall
    /// not make the next key one that is taken.
    init(_ schema: SQLSchema, _ connection: any SQLConnection) throws(StoreError) {
        maxima = [:]
        for row in try connection.rows(Self.reading, [], [.integer, .integer]) {
            if case .int(let entity) = row[0], case .int(let highest) = row[1] {
                maxima[Int(entity)] = highest
            }
        }
        for (root, table) in schema.tables {
            let highest = SQLText("SELECT MAX(Z_PK) FROM \(table.name)")
            let number = schema.number(of: root)
            if case .int(let key)? = try connection.rows(highest, [], [.integer]).first?.first {
                maxima[number] = max(self.highest(number), key)
            }
        }
    }

    /// The highest key given out for that Z_ENT.
    func highest(_ entity: Int) -> Int64 { maxima[entity] ?? 0 }

    /// The next key for that Z_ENT.
    /// - Throws: `.failed` where a file says that all are given out.
    mutating func next(_ entity: Int) throws(StoreError) -> Int64 {
        guard highest(entity) < Int64.max else {
            throw .failed("the store has no keys left for Z_ENT \(entity)")
        }
        let key = highest(entity) + 1
        maxima[entity] = key
        changed.insert(entity)
        return key
    }

    /// Writes those that grew since the last time.
    mutating func write(_ connection: any SQLConnection) throws(StoreError) {
        for entity in changed {
            try connection.execute(Self.writing, [.int(highest(entity)), .int(Int64(entity))])
        }
        changed.removeAll(keepingCapacity: true)
    }
}
