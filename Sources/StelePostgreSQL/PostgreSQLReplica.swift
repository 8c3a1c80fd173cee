import Glibc
import SteleModel
import StelePersistence
import SteleSQL
import SteleSystem

/// A standby of the store's server, which is read by clients that know what they must see.
final class PostgreSQLReplica: StoreReplica {
    private let views: ReplicaViews
    private let gathered: GatheredReads

    /// - Parameter newest: as `StoreReplica.newestNumber`.
    init(
        _ access: StoreAccess, schema: SQLSchema, translator: FetchTranslator,
        counters: DatabaseCounters, newest: NewestNumber
    ) {
        let views = ReplicaViews(
            access, schema: schema, translator: translator, counters: counters, newest: newest)
        self.views = views
        gathered = GatheredReads { (root, keys) throws(StoreError) in
            let reader = try views.open()
            defer { reader.close() }
            return (try reader.snapshots(root: root, keys: keys), try reader.token)
        }
    }

    /// Refuses the database of another store. One that cannot be reached may be the store's.
    /// - Throws: `.incompatible`.
    static func check(_ access: StoreAccess, _ store: StoreDatabase) throws(StoreError) {
        let connection: Connection
        // By its own search path, because the URL may lead to another store.
        do throws(StoreError) { connection = try Connection(access.url) } catch {
            guard case .unavailable = error else { throw error }
            return
        }
        // It may not have a store that was made just now.
        let end = MonotonicClock.deadline(in: 5)
        while try !StoreDatabase.hasStore(connection), MonotonicClock.now < end { usleep(50_000) }
        guard try StoreDatabase.hasStore(connection),
            try StoreDatabase.generation(connection) == store.generation
        else {
            throw .incompatible(
                code: 134080, "\(connection.place) is no standby of the store's server")
        }
    }

    var newestNumber: Int64 { views.newest.value }

    func reader(since number: Int64) -> (any StoreReader)? {
        let reader = try? views.open()
        if let reader, let token = try? reader.token, token >= number {
            views.noteRead()
            return reader
        }
        reader?.close()
        views.noteMiss()
        return nil
    }

    func newest(
        _ id: ObjectID, since number: Int64, completion: @escaping @Sendable (Snapshot?) -> Void
    ) {
        gathered.read(id, since: number) { [views] result in
            let snapshot = (try? result.get()) ?? nil
            if snapshot == nil { views.noteMiss() } else { views.noteRead() }
            completion(snapshot)
        }
    }

    /// Says whether it is left alone: where the store is gone to this program, such as by a
    /// migration, the state of before is no answer either.
    func rest(_ isResting: Bool) { views.isResting.store(isResting, ordering: .relaxed) }

    /// Closes the connections.
    func close() {
        gathered.close()
        views.close()
    }
}

/// The views of a standby.
private final class ReplicaViews: Sendable {
    private let schema: SQLSchema
    private let translator: FetchTranslator
    private let counters: DatabaseCounters
    private let pool: ReaderPool
    let newest: NewestNumber
    /// When one caller tries it again after it was out of reach, on the monotonic clock; 0 while it
    /// is in reach.
    private let triedAgainAt = Atomic<UInt64>(0)
    /// As `PostgreSQLReplica.rest`.
    let isResting = Atomic<Bool>(false)

    /// The nanoseconds for which it is left alone at least, and at most.
    private static let rest: (least: UInt64, most: UInt64) = (500_000_000, 20_000_000_000)

    init(
        _ access: StoreAccess, schema: SQLSchema, translator: FetchTranslator,
        counters: DatabaseCounters, newest: NewestNumber
    ) {
        self.schema = schema
        self.translator = translator
        self.counters = counters
        self.newest = newest
        pool = ReaderPool(
            access, count: PostgreSQLStore.readerLimit, patience: 0, counters: counters)
    }

    /// Opens a view of what the standby has.
    /// - Throws: `StoreError` where it is out of reach, or was and is left alone.
    func open() throws(StoreError) -> PostgreSQLReader {
        if isResting.load(ordering: .relaxed) { throw .busy("the store is gone") }
        let begun = MonotonicClock.now
        let limit = triedAgainAt.load(ordering: .relaxed)
        if limit > 0 {
            // One caller finds out, and the others do not wait.
            guard begun >= limit,
                triedAgainAt.compareExchange(
                    expected: limit, desired: begun &+ Self.rest.most, ordering: .relaxed
                ).exchanged
            else { throw .busy("the replica is out of reach") }
        }
        do throws(StoreError) {
            let reader = try PostgreSQLReader(
                schema: schema, translator: translator, pool: pool, counter: nil, known: nil,
                counters: counters
            ) { _ in }
            if limit > 0 { triedAgainAt.store(0, ordering: .relaxed) }
            return reader
        } catch {
            if !pool.isFull {
                let took = MonotonicClock.now &- begun
                let rest = min(max(Self.rest.least, 4 &* took), Self.rest.most)
                triedAgainAt.store(MonotonicClock.now &+ rest, ordering: .relaxed)
            }
            throw error
        }
    }

    func noteRead() { counters.replicaReads.add(1, ordering: .relaxed) }

    func noteMiss() { counters.replicaMisses.add(1, ordering: .relaxed) }

    func close() { pool.close() }
}

/// The highest transaction that a view of the store had.
final class NewestNumber: Sendable {
    private let number = Atomic<Int64>(0)

    var value: Int64 { number.load(ordering: .relaxed) }

    func raise(to value: Int64) { number.max(value, ordering: .relaxed) }
}
