import SteleModel
import StelePersistence
import StelePredicates
import SteleSQL
import SteleSystem

/// A store in a PostgreSQL database with Core Data's tables. Several programs, the nodes, may have
/// it open; none is special.
///
/// Each program has one writer, and the writers of all take turns by a row in the database, so that
/// the numbers of saves are in the order of their commits. Readers are repeatable-read
/// transactions. A save returns when PostgreSQL has committed it.
public final class PostgreSQLStore: PersistentStore {
    /// `postgresql`.
    public static let storeType = "postgresql"

    /// The model of the stored objects.
    public let model: Model
    /// `postgresql`.
    public let type = PostgreSQLStore.storeType
    /// NSStoreUUID.
    public let identifier: String
    /// The first part of the store's tokens.
    public let generation: String
    /// None: a store in a database has no files.
    public var filePaths: [String] { [] }
    /// The server and the database, without user and password.
    public let place: String
    /// Whether the opening has made the tables.
    public let isNew: Bool

    private let schema: SQLSchema
    private let translator: FetchTranslator
    private let readers: ReaderPool
    private let newestRows: NewestRows
    private let gathered: GatheredReads
    private let known = KnownStates()
    private let queue = WriterQueue()
    private let counter: CommitCounter
    private let counters = DatabaseCounters()
    private let listener: PostgreSQLListener
    private let standby: PostgreSQLReplica?
    private let newest = NewestNumber()
    private let links: TableLinks
    private let incoming: IncomingChanges
    private let presence = DatabasePresence()
    private let observer = Mutex<(any StoreObserver)?>(nil)
    private let thread = Mutex<SystemThread?>(nil)

    /// The most connections for reading.
    public static let readerLimit = 16

    /// Opens the store in a database, or makes it in an empty schema.
    /// - Parameters:
    ///   - url: `postgresql://user@host/database`, with libpq's parameters, such as `sslmode` and
    ///     `options=-csearch_path%3DNAME` for another schema than the first of the search path.
    ///   - replica: the URL of a standby of the server, from which clients read that know what they
    ///     must see; nil for none. It need not be in reach.
    ///   - model: the model of the store.
    ///   - identifier: NSStoreUUID of a new store; nil to generate one.
    ///   - creates: whether an empty schema becomes a store. Otherwise it is refused, and nothing
    ///     is made in the schema.
    /// - Throws: `StoreError`: `.unsupported` for a model with a feature that is not supported, and
    ///   for names that are too long for PostgreSQL; `.incompatible` where the server refuses the
    ///   connection or is too old, where the schema has tables of another program, and for a store
    ///   of another model; `.busy` where the server cannot be reached.
    public static func open(
        url: String, replica: String? = nil, model: Model, identifier: String? = nil,
        creates: Bool = true
    ) throws(StoreError) -> PostgreSQLStore {
        if let refusal = model.refusal { throw .unsupported(refusal) }
        do throws(ModelErrors) { try model.checkRequests() } catch {
            throw .invalid(error.description)
        }
        let connection = try Connection(url, writes: true)
        try Pooler.refuseTransactionMode(connection, url)
        let database = try StoreDatabase.open(
            connection, model: model, identifier: identifier, creates: creates)
        let standby = replica.map {
            StoreAccess(url: $0, identity: database.identity, isOfReplica: true)
        }
        if let standby { try PostgreSQLReplica.check(standby, database) }
        return try PostgreSQLStore(
            database, StoreAccess(url: url, identity: database.identity), connection,
            replica: standby)
    }

    /// Opens a store that was found.
    /// - Parameters:
    ///   - access: what the store's other connections are made with.
    ///   - connection: the writer's.
    ///   - replica: as `access`, of the standby; nil for none.
    init(
        _ database: StoreDatabase, _ access: StoreAccess, _ connection: Connection,
        replica: StoreAccess? = nil
    ) throws(StoreError) {
        schema = database.schema
        model = schema.model
        identifier = database.identity.identifier
        generation = database.generation
        place = connection.place
        isNew = database.isNew
        let translator = FetchTranslator(schema: schema)
        self.translator = translator
        let readers = ReaderPool(access, count: Self.readerLimit, counters: counters)
        self.readers = readers
        standby = replica.map { [schema, counters, newest] access in
            PostgreSQLReplica(
                access, schema: schema, translator: translator, counters: counters, newest: newest)
        }
        let newestRows = NewestRows(schema, translator, readers)
        self.newestRows = newestRows
        gathered = GatheredReads { (root, keys) throws(StoreError) in
            (try newestRows.read(root: root, keys), .max)
        }
        counter = CommitCounter(database.count)
        listener = PostgreSQLListener(access)
        links = database.links
        incoming = IncomingChanges(links, schema)
        let transactions = try PostgreSQLTransactions(
            connection, access, schema: schema, translator: translator, links: links,
            generation: database.generation, counter: counter,
            counters: counters, last: database.count,
            changedElsewhere: { [weak self] in self?.tellOfForeignChange() },
            followed: { [presence] in presence.note(misfit: $0) })
        nonisolated(unsafe) let writer = try Writer(
            transactions, queue: queue, schema: schema,
            translator: CurrentTranslator(translator),
            observer: { [weak self] in self?.observer.withLock { $0 } })
        guard let writing = SystemThread(name: "stele-writer", { writer.run() }) else {
            throw StoreError.failed("the system has no thread for the store")
        }
        thread.withLock { $0 = writing }
        listener.start { [weak self, counter, generation, links] process, text in
            // Of a commit of another node the notification tells all. Other programs, of whose
            // writes to followed tables it comes as well, say nothing in it.
            if let commit = CommitCounter.Commit(notification: text, generation: generation) {
                self?.note(commit)
                return false
            }
            return text.isEmpty
                && !(links.isEmpty && counter.process.load(ordering: .relaxed) == process)
        } isGone: { [weak self] error in
            self?.noteAbsence(error)
        } _: { [weak self] connection throws(StoreError) in
            try self?.look(connection, access.identity)
        }
    }

    /// Looks for the store, for commits of other nodes and for what other programs have written.
    /// Called on the listener's thread.
    private func look(
        _ connection: Connection, _ identity: StoreIdentity
    ) throws(StoreError) {
        let last = try counter.look(connection, at: identity)
        try identity.checkColumns(connection)
        noteAbsence(nil)
        note(last)
        guard !links.isEmpty else { return }
        do throws(StoreError) {
            if try incoming.areWaiting(connection) { return takeIncoming() }
            // Another node may have taken what this one could not.
            presence.note(misfit: nil)
        } catch {
            guard case .unavailable = error, !connection.isLost else { throw error }
            presence.note(misfit: error)
        }
    }

    private func noteAbsence(_ error: StoreError?) {
        guard presence.note(absence: error) else { return }
        standby?.rest(error != nil)
        // What reads next ends the streams, whose clients go to another node.
        if error != nil { tellOfForeignChange() }
    }

    // MARK: Reading

    /// Opens a view of the store's current state, as a read transaction. A thread that must not
    /// wait cannot read, because each statement waits for the server.
    /// - Throws: as `PersistentStore.reader`.
    public func reader(budget: ReadBudget?) throws(StoreError) -> any StoreReader {
        if let budget, !budget.mayWait { throw .overBudget }
        return try view()
    }

    /// Opens a view and reads the saves in one round trip.
    /// - Throws: as `PersistentStore.reader`.
    public func reader(
        forHistoryAfter token: Int64, limit: Int
    ) throws(StoreError) -> any StoreReader {
        try view(
            reading: HistoryPage(
                after: token, limit: limit, changes: HistoryStretch.mostChanges))
    }

    private func view(reading page: HistoryPage? = nil) throws(StoreError) -> PostgreSQLReader {
        try presence.check()
        let reader = try PostgreSQLReader(
            schema: schema, translator: translator, pool: readers, counter: counter, known: known,
            counters: counters, reading: page
        ) { note($0) }
        newest.raise(to: try reader.token)
        return reader
    }

    /// The standby; nil for none.
    public var replica: (any StoreReplica)? { standby }

    /// Reads an object without a view, in one round trip.
    /// - Throws: as `PersistentStore.newest`.
    public func newest(_ id: ObjectID) throws(StoreError) -> Snapshot? {
        try presence.check()
        return try newestRows.read(root: id.root, [id.key]).first
    }

    /// Reads an object without blocking, in one statement with others that are asked for at the
    /// same time.
    public func newest(
        _ id: ObjectID,
        completion: @escaping @Sendable (Result<Snapshot?, StoreError>) -> Void
    ) {
        do throws(StoreError) { try presence.check() } catch {
            return completion(.failure(error))
        }
        gathered.read(id, completion: completion)
    }

    // MARK: Saving

    /// Saves a request and returns when it is on disk. Saves that wait at the same time share a
    /// commit.
    /// - Throws: as `PersistentStore.save(_:)`.
    public func save(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        do { return try perform(WriterJob(.save(request))) } catch {
            throw WriterJob.storeError(error)
        }
    }

    private func perform(_ job: WriterJob) throws -> SaveResult {
        try presence.check()
        return try queue.perform(job)
    }

    /// Saves a request without blocking.
    public func save(
        _ request: SaveRequest,
        completion: @escaping @Sendable (Result<SaveResult, StoreError>) -> Void
    ) {
        do throws(StoreError) {
            try presence.check()
            try queue.add(WriterJob(request, completion: completion))
        } catch {
            completion(.failure(error))
        }
    }

    /// Saves a request that is made on the writer's thread.
    /// - Throws: as `PersistentStore.save(making:)`.
    public func save(
        making make: (any StoreReader) throws -> SaveRequest
    ) throws -> SaveResult {
        // The closure is not used after this call returns.
        try withoutActuallyEscaping(make) { try perform(WriterJob(.making($0))) }
    }

    /// Saves a request in parts, as one transaction.
    /// - Throws: as `PersistentStore.save(inParts:)`.
    public func save(inParts make: (any PartedSave) throws -> Void) throws -> SaveResult {
        try withoutActuallyEscaping(make) { try perform(WriterJob(.parts($0))) }
    }

    /// Deletes up to `limit` of the oldest transactions before `number`.
    /// - Throws: as `PersistentStore.deleteHistory`.
    public func deleteHistory(before number: Int64, limit: Int) throws(StoreError) -> Int {
        let job = WriterJob(.purge(before: number, limit: limit))
        do { _ = try perform(job) } catch { throw WriterJob.storeError(error) }
        return job.deleted
    }

    // MARK: Metadata

    /// The metadata (NSPersistentStore.metadata).
    /// - Throws: as `PersistentStore.metadata`.
    public var metadata: [String: PropertyList] {
        get throws(StoreError) {
            try readers.read { connection throws(StoreError) in
                guard let (identifier, metadata) = try StoreMetadata.read(connection) else {
                    throw .incompatible(code: 134080, "\(place) has no metadata of a store")
                }
                return metadata.values(identifier)
            }
        }
    }

    /// Changes users' keys of the metadata, on the writer's thread.
    /// - Throws: as `PersistentStore.changeMetadata`.
    public func changeMetadata(
        _ change: (inout [String: PropertyList]) throws -> Void
    ) throws {
        try withoutActuallyEscaping(change) { change in
            _ = try perform(WriterJob(.metadata(identifier, change)))
        }
    }

    /// The highest keys given out (Z_MAX).
    /// - Throws: as `PersistentStore.highestKeys`.
    public var highestKeys: [Int: Int64] {
        get throws(StoreError) {
            try readers.read { connection throws(StoreError) in
                try schema.highestKeys(connection)
            }
        }
    }

    // MARK: Other nodes

    /// Sets the observer of commits.
    public func observe(_ observer: any StoreObserver) {
        self.observer.withLock { $0 = observer }
    }

    /// True.
    public var isOfSeveralNodes: Bool { true }

    /// Returns whether another node has committed since the last notification. It asks the server,
    /// so it takes a round trip. False where the server cannot be reached: a reader notices the
    /// commits that its view has.
    public func noticesForeignChange() -> Bool {
        let last = try? readers.read { connection throws(StoreError) in
            try CommitCounter.read(connection)
        }
        return last.map { note($0) } ?? false
    }

    /// Takes the last commit that a view has.
    /// - Returns: whether there are commits of other nodes that were not known.
    @discardableResult
    private func note(_ last: CommitCounter.Commit) -> Bool {
        counters.noteReading()
        return counter.notices(last) { tellOfForeignChange() }
    }

    /// Has the writer take what other programs have written to their tables, which it does at the
    /// beginning of each transaction.
    private func takeIncoming() {
        _ = try? queue.perform(WriterJob(.parts { _ in }))
    }

    private func tellOfForeignChange() {
        counters.foreignCommits.add(1, ordering: .relaxed)
        observer.withLock { $0 }?.storeDidChangeElsewhere()
    }

    /// Throws while the store is gone to this program, while the tables that it follows are not those
    /// that it was made with, and while what other programs have written to them cannot be taken.
    /// - Throws: `.gone`, `.unavailable`, or another error of the attempt.
    public func checkPresence() throws(StoreError) {
        try presence.check()
        try presence.checkFollowing()
        guard !links.isEmpty else { return }
        _ = try readers.read { connection throws(StoreError) in
            try incoming.areWaiting(connection)
        }
    }

    /// The figures of the connections and of other nodes' commits.
    public var databaseFigures: DatabaseFigures? {
        var figures = DatabaseFigures()
        counters.add(to: &figures)
        readers.add(to: &figures)
        return figures
    }

    /// None: other nodes may change the store while no program of this one has it open.
    public var formerMarks: [StoreMark] { [] }

    deinit { close() }

    /// Stops the writer and closes the connections.
    public func close() {
        listener.stop()
        queue.close()
        thread.withLock { $0 }?.join()
        gathered.close()
        readers.close()
        standby?.close()
    }
}
