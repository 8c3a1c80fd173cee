import Glibc
import SteleModel
import StelePersistence
import SteleSQL
import SteleSystem

/// A standby of the store's server, which is read by clients that know what they must see.
final class PostgreSQLReplica: StoreReplica {
    private let access: StoreAccess
    private let schema: SQLSchema
    private let translator: FetchTranslator
    private let counters: DatabaseCounters
    private let pool: ReaderPool
    private let gathered = Mutex<GatheredReads?>(nil)
    /// When it is tried again after it was out of reach, on the monotonic clock.
    private let triedAgainAt = Atomic<UInt64>(0)

    init(
        _ access: StoreAccess, schema: SQLSchema, translator: FetchTranslator,
        counters: DatabaseCounters
    ) {
        self.access = access
        self.schema = schema
        self.translator = translator
        self.counters = counters
        pool = ReaderPool(access, count: PostgreSQLStore.readerLimit, counters: counters)
        let reads = GatheredReads { [weak self] (root, keys, number) throws(StoreError) in
            guard let reader = self?.reader(since: number) else {
                throw .busy("the replica is behind")
            }
            defer { reader.close() }
            return try reader.snapshots(root: root, keys: keys)
        }
        gathered.withLock { $0 = reads }
    }

    /// Refuses the database of another store. One that cannot be reached may be the store's.
    /// - Throws: `.incompatible`.
    func check(_ identifier: String) throws(StoreError) {
        let connection: Connection
        do throws(StoreError) { connection = try access.connect() } catch {
            guard case .busy = error else { throw error }
            return
        }
        // It may not have a store that was made just now.
        let end = MonotonicClock.deadline(in: 5)
        while try !StoreDatabase.hasStore(connection), MonotonicClock.now < end { usleep(50_000) }
        guard try StoreDatabase.hasStore(connection),
            try StoreMetadata.read(connection)?.identifier == identifier
        else {
            throw .incompatible(
                code: 134080, "\(connection.place) is no standby of the store's server")
        }
    }

    func reader(since number: Int64) -> (any StoreReader)? {
        let begun = MonotonicClock.now
        guard begun >= triedAgainAt.load(ordering: .relaxed) else { return miss() }
        do throws(StoreError) {
            let reader = try PostgreSQLReader(
                schema: schema, translator: translator, pool: pool, known: nil,
                counters: counters
            ) { _ in }
            guard try reader.token >= number else {
                reader.close()
                return miss()
            }
            counters.replicaReads.add(1, ordering: .relaxed)
            return reader
        } catch {
            // A client waits meanwhile: five seconds for a server that is gone without a word.
            let now = MonotonicClock.now
            triedAgainAt.store(
                now &+ max(500_000_000, 4 &* (now &- begun)), ordering: .relaxed)
            return miss()
        }
    }

    func newest(
        _ id: ObjectID, since number: Int64, completion: @escaping @Sendable (Snapshot?) -> Void
    ) {
        guard let reads = gathered.withLock({ $0 }) else { return completion(nil) }
        reads.read(id, since: number) { completion((try? $0.get()) ?? nil) }
    }

    private func miss() -> (any StoreReader)? {
        counters.replicaMisses.add(1, ordering: .relaxed)
        return nil
    }

    /// Closes the connections.
    func close() {
        gathered.withLock { $0 }?.close()
        pool.close()
    }
}
