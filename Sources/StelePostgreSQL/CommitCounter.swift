import SteleModel
import StelePersistence
import SteleSQL
import SteleSystem

/// The number of commits of all nodes, in a row of a table, which is the write lock as well.
///
/// A writer locks the row before it reads anything else, and raises the number in its commit. So
/// the commits of all nodes are one after the other: the numbers of transactions are in the order
/// of the commits, and none becomes visible after a higher one.
///
/// Each commit notes its writer, in the row and in that of its place among the last ones. So a
/// writer finds out whether a commit was made whose answer was lost, also from a standby that has
/// taken the server's place: its transactions have other numbers.
final class CommitCounter: Sendable {
    /// A commit of a node.
    struct Commit: Equatable {
        let number: Int64
        /// The node that has made it, as a number that it has drawn.
        let writer: Int64

        init(number: Int64, writer: Int64) {
            self.number = number
            self.writer = writer
        }

        /// Reads what a notification says (`notification`).
        /// - Returns: nil where it says nothing of a commit.
        init?(notification text: String, generation: String) {
            let parts = text.split(separator: " ")
            guard parts.count == 3, parts[0] == generation, let number = Int64(parts[1]),
                let writer = Int64(parts[2])
            else { return nil }
            self.init(number: number, writer: writer)
        }
    }

    /// The table.
    static let table = "STELE_COMMIT"
    /// How many of the last commits have a place.
    private static let places: Int64 = 64
    static let creation = [
        "CREATE TABLE \(table) ( Z_PK BIGINT PRIMARY KEY, ZCOUNT BIGINT NOT NULL, "
            + "ZWRITER BIGINT NOT NULL, ZMIGRATIONS BIGINT NOT NULL )",
        "INSERT INTO \(table) SELECT n, 0, 0, 0 FROM generate_series(1, \(places + 1)) n",
    ]

    /// Adds what the table of an older version lacks. Called under the lock of the opening.
    static func complete(_ connection: Connection) throws(StoreError) {
        if try !has("zwriter", connection) {
            try connection.run(
                "ALTER TABLE \(table) ADD ZWRITER BIGINT NOT NULL DEFAULT 0; INSERT INTO \(table) "
                    + "SELECT n, 0, 0 FROM generate_series(2, \(places + 1)) n")
        }
        if try !has("zmigrations", connection) {
            try connection.run("ALTER TABLE \(table) ADD ZMIGRATIONS BIGINT NOT NULL DEFAULT 0")
        }
    }

    private static func has(_ column: String, _ connection: Connection) throws(StoreError) -> Bool {
        try connection.integer(
            SQLText(
                "SELECT COUNT(*) FROM pg_attribute WHERE attrelid = '\(table)'::regclass "
                    + "AND attname = '\(column)'")) == 1
    }

    /// Returns the number of the store's migrations, with the line of the commits in its upper half.
    static func migrations(_ connection: Connection) throws(StoreError) -> Int64 {
        let rows = try connection.queryOnce("SELECT ZMIGRATIONS FROM \(table) WHERE Z_PK = 1")
        guard rows.count == 1 else { throw empty }
        return rows.integer(0, 0)
    }

    /// Returns the line of the commits, which is another one after the store was taken back to an
    /// older state: its numbers are given again, and the tokens must tell them from those of before.
    static func line(of migrations: Int64) -> UInt32 {
        UInt32(truncatingIfNeeded: migrations >> 32)
    }

    /// Notes the number of the store's migrations, in the transaction of one. The lock ends views of
    /// standbys that have not seen it when they replay it: the new tables would be empty to them.
    static func noteMigrations(_ number: Int64, _ connection: Connection) throws(StoreError) {
        try connection.run("LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE")
        try connection.run("UPDATE \(table) SET ZMIGRATIONS = \(number) WHERE Z_PK = 1")
    }

    /// Locks the row until the end of the transaction.
    static let locking = SQLText("SELECT ZCOUNT FROM \(table) WHERE Z_PK = 1 FOR UPDATE")
    private static let lockingStore = SQLText(
        "SELECT ZCOUNT, ZMIGRATIONS, tableoid::bigint FROM \(table) WHERE Z_PK = 1 FOR UPDATE")
    private static let notifying = SQLText(
        "SELECT pg_notify('\(PostgreSQLListener.channel)', ?1)")
    private static let reading = SQLText(
        "SELECT ZCOUNT, ZWRITER FROM \(table) WHERE Z_PK = ?1")

    /// Returns the first statement of a view.
    /// - Parameter hasTables: a condition that is true where the tables are the store's.
    static func viewing(where hasTables: String) -> SQLText {
        SQLText(
            "SELECT ZCOUNT, ZWRITER, (\(HistoryReader.tokenStatement)), ZMIGRATIONS, "
                + "COALESCE((\(HistoryReader.oldestStatement)), -1), tableoid::bigint, "
                + "(\(hasTables))::int::bigint FROM \(table) WHERE Z_PK = 1")
    }

    /// Returns the statement that counts a commit. By now the locks of the transaction keep the tables
    /// that it has written to and read as they are. Where one of them is not the store's, the number
    /// is null, which the table refuses, and the COMMIT that was sent with the statement commits
    /// nothing.
    static func raising(where hasTables: String) -> SQLText {
        SQLText(
            "UPDATE \(table) SET ZCOUNT = CASE WHEN \(hasTables) THEN ?1 END, ZWRITER = ?2 "
                + "WHERE Z_PK = 1 OR Z_PK = ?3")
    }

    /// Whether `raising` has failed because a table is not the store's.
    static func hasRefused(_ connection: Connection) -> Bool {
        connection.lastState == "23502"
            && connection.lastColumn == (PostgreSQLWords.stored(table), "zcount")
    }

    /// The lock of a standby's view, which the replay of a migration waits for or ends.
    private static let sharing = SQLText("LOCK TABLE \(table) IN ACCESS SHARE MODE")

    private struct Known {
        /// The number that observers know of.
        var told: Int64
        /// The number that the writer's commit under way will make.
        var expected: Int64
    }

    private let known: Mutex<Known>
    /// The highest number that was read in the database or that the writer has committed.
    private let highest: Atomic<Int64>
    /// Held while a thread tells of a commit of another node.
    private let telling = Mutex(())
    /// The writer of this node's commits.
    private let identity = Int64.random(in: 1...(.max))
    /// The server's process of the writer's connection, by which it is known which notifications
    /// are of own commits; 0 before there is one.
    let process = Atomic<Int32>(0)

    /// - Parameter number: that of the last commit.
    init(_ number: Int64) {
        known = Mutex(Known(told: number, expected: number))
        highest = Atomic(number)
    }

    private static func place(of number: Int64) -> Int64 { 2 + number % places }

    /// The error of a table without the row.
    static var empty: StoreError { .gone("the table \(table) of the store is empty") }

    /// What a view has at its beginning.
    struct View {
        /// The last commit that it sees.
        let commit: Commit
        /// The number of the last transaction.
        let token: Int64
        /// That of the oldest one; nil for none.
        let oldest: Int64?
        /// The rows of the statements that were run with its opening.
        let found: [[[Value]]]
    }

    /// Opens a view and reads, in one round trip.
    /// - Parameter counter: what the view must have; nil for one of a standby, which may be behind.
    /// - Throws: `.gone` where the store was migrated, is another one or was taken back.
    static func open(
        _ connection: Connection, _ access: StoreAccess, _ counter: CommitCounter?,
        reading reads: [SQLRead] = []
    ) throws(StoreError) -> View {
        let least = counter?.highest.load(ordering: .relaxed) ?? .min
        let found = try connection.beginView(
            [(access.identity.viewing, [])] + reads.map { ($0.sql, $0.bindings) },
            lock: access.isOfReplica ? sharing : nil)
        let rows = found[0]
        guard rows.count == 1 else { throw empty }
        try access.identity.check(
            migrations: rows.integer(0, 3), counter: rows.integer(0, 5),
            hasTables: rows.integer(0, 6), connection)
        let number = rows.integer(0, 0)
        guard number >= least else { throw StoreIdentity.takenBack(connection) }
        counter?.highest.max(number, ordering: .relaxed)
        return View(
            commit: Commit(number: number, writer: rows.integer(0, 1)),
            token: try HistoryReader.checked(rows.integer(0, 2)) ?? 0,
            oldest: rows.integer(0, 4) < 0 ? nil : try HistoryReader.checked(rows.integer(0, 4)),
            found: try connection.values(Array(found[1...]), of: reads))
    }

    /// Returns the last commit.
    static func read(_ connection: Connection) throws(StoreError) -> Commit {
        try read(1, connection)
    }

    private static func read(
        _ key: Int64, _ connection: Connection
    ) throws(StoreError) -> Commit {
        let rows = try connection.query(reading, [.int(key)])
        guard rows.count == 1 else { throw empty }
        return Commit(number: rows.integer(0, 0), writer: rows.integer(0, 1))
    }

    // MARK: The writer's transaction

    /// Locks the row and returns the number of the last commit.
    func lock(_ connection: Connection) throws(StoreError) -> Int64 {
        guard let number = try connection.integer(Self.locking) else { throw Self.empty }
        return number
    }

    /// Locks the row of the store that was opened, and returns the number of the last commit.
    /// - Throws: as `open`.
    func lock(_ connection: Connection, of store: StoreIdentity) throws(StoreError) -> Int64 {
        let rows = try connection.query(Self.lockingStore, [])
        guard rows.count == 1 else { throw Self.empty }
        try store.check(
            migrations: rows.integer(0, 1), counter: rows.integer(0, 2), connection)
        let number = rows.integer(0, 0)
        guard number >= highest.load(ordering: .relaxed) else {
            throw StoreIdentity.takenBack(connection)
        }
        return number
    }

    /// Sends the statement that makes the transaction the commit of a number.
    func raise(
        to number: Int64, _ connection: Connection, of store: StoreIdentity
    ) throws(StoreError) {
        try connection.send(
            store.raising, [.int(number), .int(identity), .int(Self.place(of: number))])
    }

    /// Sends the notification of the commit of a number, with the generation of the store: others in
    /// the database have the same channel.
    func notify(
        of number: Int64, generation: String, _ connection: Connection
    ) throws(StoreError) {
        try connection.send(Self.notifying, [.string("\(generation) \(number) \(identity)")])
    }

    /// Finds out whether the writer has made the commit of a number, on another connection than
    /// that of the transaction, for whose end it waits a second.
    /// - Returns: nil where the places of the last commits do not tell it any more.
    /// - Throws: `.busy` where the transaction has not ended.
    func hasMade(_ number: Int64, _ connection: Connection) throws(StoreError) -> Bool? {
        try connection.run("BEGIN; SET LOCAL lock_timeout = 1000")
        defer {
            if connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
        }
        if try lock(connection) < number { return false }
        let commit = try Self.read(Self.place(of: number), connection)
        guard commit.number == number else { return nil }
        guard commit.writer == identity else { return false }
        // A commit after it: a standby that has this one has that one too.
        try connection.run("UPDATE \(Self.table) SET ZWRITER = ZWRITER WHERE Z_PK = 1; COMMIT")
        return true
    }

    // MARK: Other nodes

    /// Returns the last commit of the store that was opened. One that was taken back to an older
    /// state begins another line, so that it has another generation when it is opened next.
    /// - Throws: as `open`.
    func look(_ connection: Connection, at store: StoreIdentity) throws(StoreError) -> Commit {
        let least = highest.load(ordering: .relaxed)
        let commit = try Self.read(connection)
        if commit.number < least { try beginLine(connection, of: store, below: least) }
        try store.check(connection)
        // A standby may have taken the server's place, and cannot begin a line.
        guard commit.number >= least else { throw StoreIdentity.takenBack(connection) }
        highest.max(commit.number, ordering: .relaxed)
        return commit
    }

    /// Begins another line of commits, where no other node has done it.
    private func beginLine(
        _ connection: Connection, of store: StoreIdentity, below least: Int64
    ) throws(StoreError) {
        let line = Int64(UInt32.random(in: 1...(.max >> 1))) << 32
        do throws(StoreError) {
            try connection.run(
                "UPDATE \(Self.table) SET ZMIGRATIONS = ZMIGRATIONS & 4294967295 | \(line) "
                    + "WHERE Z_PK = 1 AND ZCOUNT < \(least) "
                    + "AND ZMIGRATIONS = \(store.migrations) AND tableoid = \(store.counter)")
        } catch .readOnly {}
    }

    /// Tells of commits of other nodes if the last commit that was read says that there were some.
    /// - Returns: whether there were.
    func notices(_ last: Commit, _ tell: () -> Void) -> Bool {
        guard isForeign(last) else { return false }
        return telling.withLock { _ in
            // Another thread may have told of them while this one waited.
            guard isForeign(last) else { return true }
            tell()
            known.withLock { $0.told = max($0.told, last.number) }
            return true
        }
    }

    private func isForeign(_ last: Commit) -> Bool {
        known.withLock {
            last.number > $0.told && !(last.number == $0.expected && last.writer == identity)
        }
    }

    /// Tells of commits of other nodes before the writer's transaction, which has read the number
    /// and holds the lock.
    func take(_ count: Int64, _ tell: () -> Void) {
        if known.withLock({ $0.told != count }) { tell() }
        known.withLock { $0 = Known(told: count, expected: count) }
    }

    /// Publishes the number that the commit under way will make.
    func willCommit(_ count: Int64) { known.withLock { $0.expected = count } }

    /// Notes that it is made.
    func didCommit(_ count: Int64) {
        known.withLock { $0 = Known(told: count, expected: count) }
        highest.max(count, ordering: .relaxed)
    }

    /// Notes that it is not made.
    func commitFailed() { known.withLock { $0.expected = $0.told } }
}
