// A store that counts its queries.

import SteleModel
import StelePersistence
import StelePredicates
import SteleSystem
import TestSupport

/// Counts, and faults to inject.
struct Reads: Sendable {
    /// Queries of any kind.
    var queries = 0
    /// Saves, including refused ones.
    var saves = 0
    /// Open views.
    var open = 0
    /// Whether opening a view fails.
    var fails = false
    /// Called each time that the store looks for changes of other programs.
    var elsewhere: (@Sendable () -> Void)?
}

/// Forwards to another store, and counts.
final class CountingStore: ForwardingStore {
    let base: any PersistentStore
    let reads = Mutex(Reads())

    init(_ store: any PersistentStore) { base = store }

    /// How many queries the work makes.
    func queries(_ work: () throws -> Void) rethrows -> Int {
        let before = reads.withLock { $0.queries }
        try work()
        return reads.withLock { $0.queries } - before
    }

    var openViews: Int { reads.withLock { $0.open } }

    func reader(budget: ReadBudget?) throws(StoreError) -> any StoreReader {
        if reads.withLock({ $0.fails }) { throw .failed("the disk is on fire") }
        let reader = try base.reader(budget: budget)
        reads.withLock { $0.open += 1 }
        return TallyingReader(reader, self)
    }

    func save(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        reads.withLock { $0.saves += 1 }
        return try base.save(request)
    }

    func noticesForeignChange() -> Bool {
        guard let elsewhere = reads.withLock({ $0.elsewhere }) else {
            return base.noticesForeignChange()
        }
        elsewhere()
        return true
    }
}

private final class TallyingReader: ForwardingReader {
    private let reader: any StoreReader
    private let store: CountingStore
    private var isOpen = true

    init(_ reader: any StoreReader, _ store: CountingStore) {
        self.reader = reader
        self.store = store
    }

    /// The reader, for one query.
    var base: any StoreReader {
        store.reads.withLock { $0.queries += 1 }
        return reader
    }

    var token: Int64 { get throws(StoreError) { try reader.token } }

    func close() {
        if isOpen { store.reads.withLock { $0.open -= 1 } }
        isOpen = false
        reader.close()
    }
}
