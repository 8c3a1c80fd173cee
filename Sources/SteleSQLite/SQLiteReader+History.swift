import SteleModel
import StelePersistence
import SteleSQL

/// Reading the history of saves.
extension SQLiteReader {
    func history(
        after position: HistoryPosition, limit: Int, changes: Int, values: Bool
    ) throws(StoreError) -> HistoryPiece {
        try readHistory { (it) throws(StoreError) in
            try it.piece(after: position, limit: limit, changes: changes, values: values)
        }
    }

    func slots(
        of id: ObjectID, atVersion version: Int64
    ) throws(StoreError) -> [Int: Value]? {
        guard let now = try snapshot(id) else { return nil }
        return try readHistory { (it) throws(StoreError) in
            try it.slots(of: now, atVersion: version)
        }
    }

    func snapshots(
        root: Int, keys: [Int64], after save: Int64
    ) throws(StoreError) -> [Int64: Snapshot] {
        try readHistory { (it) throws(StoreError) in
            try it.snapshots(root: root, keys: keys, after: save)
        }
    }

    func leastInserted(after save: Int64) throws(StoreError) -> [Int: Int64] {
        try readHistory { (it) throws(StoreError) in try it.leastInserted(after: save) }
    }

    func inserted(root: Int, keys: [Int64], after save: Int64) throws(StoreError) -> Set<Int64> {
        try readHistory { (it) throws(StoreError) in
            try it.inserted(root: root, keys: keys, after: save)
        }
    }

    func memberChanges(
        root: Int, keys: [Int64], after save: Int64
    ) throws(StoreError) -> [Int64: [MemberChange]] {
        try readHistory { (it) throws(StoreError) in
            try it.memberChanges(root: root, keys: keys, after: save)
        }
    }

    private func readHistory<Result>(
        _ body: (HistoryReader) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let translator = try translator()
        return try read { (it) throws(StoreError) in
            try body(
                HistoryReader(
                    schema: schema, connection: it, known: known, translator: translator))
        }
    }

    func receipt(_ key: String) throws(StoreError) -> Receipt? {
        try read { (it) throws(StoreError) in try Receipts(it).receipt(key) }
    }

    func firstTransactionToKeep(
        since time: Double?, bytes: Int?
    ) throws(StoreError) -> Int64 {
        try read { (it) throws(StoreError) in
            try HistoryReader(schema: schema, connection: it).firstToKeep(since: time, bytes: bytes)
        }
    }

    func oldestTransaction() throws(StoreError) -> Int64? {
        try read { (it) throws(StoreError) in
            try HistoryReader(schema: schema, connection: it).oldestTransaction()
        }
    }
}
