// A store whose reading fails on demand.

import SteleModel
import StelePersistence
import StelePredicates
import SteleSystem
import TestSupport

/// Forwards to another store; fails to read rows, and reports foreign changes, on demand.
final class FaultyStore: ForwardingStore {
    struct Faults: Sendable {
        /// How often reading rows fails from now on, and with what.
        var left = 0
        var error = StoreError.busy("as told")
        /// How often it has failed.
        var count = 0
    }

    let faults = Mutex(Faults())
    let base: any PersistentStore
    private let observer = Mutex<(any StoreObserver)?>(nil)

    init(_ store: any PersistentStore) { base = store }

    /// Lets reading rows fail so often.
    func fail(_ times: Int, _ error: StoreError) {
        faults.withLock { $0 = Faults(left: times, error: error) }
    }

    var failures: Int { faults.withLock { $0.count } }

    /// Reports that another program has written and left no history.
    func changeElsewhere() { observer.withLock { $0 }?.storeDidChangeElsewhere() }

    fileprivate func check() throws(StoreError) {
        let error = faults.withLock { faults -> StoreError? in
            guard faults.left > 0 else { return nil }
            faults.left -= 1
            faults.count += 1
            return faults.error
        }
        if let error { throw error }
    }

    func reader(budget: ReadBudget?) throws(StoreError) -> any StoreReader {
        FaultyReader(try base.reader(budget: budget), self)
    }

    func observe(_ observer: any StoreObserver) {
        self.observer.withLock { $0 = observer }
        base.observe(observer)
    }
}

private final class FaultyReader: ForwardingReader {
    let base: any StoreReader
    private let store: FaultyStore

    init(_ reader: any StoreReader, _ store: FaultyStore) {
        base = reader
        self.store = store
    }

    func fetchRows(_ request: FetchRequest) throws(StoreError) -> [[Value]] {
        try store.check()
        return try base.fetchRows(request)
    }
}
