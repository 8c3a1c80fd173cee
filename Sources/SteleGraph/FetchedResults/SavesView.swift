import StelePersistence
import StelePredicates

/// The saves and the reader of one round of following the store, shared by all results. When a
/// result first needs to read, a reader is opened and the saves up to its token are added.
///
/// A `SavesView` must be used on one thread.
public final class SavesView {
    /// The saves, without a gap except after the lost ones.
    public private(set) var saves: [HistoryTransaction]
    /// The token up to which `saves` is complete.
    public private(set) var token: Int64
    /// Whether the reader was opened. `token` is then at least the reader's.
    public private(set) var isOpen = false
    /// The token up to which saves were deleted from the history or too large when the reader was
    /// opened.
    private var lost: Int64 = 0
    /// What advancing a result may take from here on; nil for no limit beside those of predicates
    /// and statements.
    package var limits: Limits? {
        didSet { if let limits, let opened { Self.limit(opened, limits) } }
    }

    /// What advancing a result may take. Beyond it, `StoreError.overBudget` is thrown, or
    /// a `PredicateError` of its limit.
    package struct Limits {
        /// The limits of MATCHES.
        let match: MatchLimits
        /// The budget of reading.
        let reading: ReadBudget?
        /// Whether several saves are one difference, so that an object is judged once.
        let joinsSaves: Bool
        /// Whether there is time for another object.
        let isLeft: () -> Bool
        /// Called when the view is opened, which is for all results: the time begins again.
        let restart: () -> Void

        package init(
            match: MatchLimits, reading: ReadBudget? = nil, joinsSaves: Bool = false,
            isLeft: @escaping () -> Bool, restart: @escaping () -> Void = {}
        ) {
            self.match = match
            self.reading = reading
            self.joinsSaves = joinsSaves
            self.isLeft = isLeft
            self.restart = restart
        }
    }

    private let open: () throws -> any StoreReader
    private var opened: (any StoreReader)?
    /// The approximate maximum size of the saves read with the reader, in bytes of memory.
    private let maximumBytes: Int

    /// Creates a view of saves without opening a reader.
    /// - Parameters:
    ///   - token: the token before the first of the saves.
    ///   - saves: the saves after the token, oldest first and without a gap; empty if they are read
    ///     from the store.
    ///   - bytes: the approximate maximum size of the saves read with the reader, in bytes of
    ///     memory. If they are larger they count as lost, and the results are fetched again.
    ///   - open: opens a reader. The caller closes it after the round.
    public init(
        after token: Int64, _ saves: [HistoryTransaction], atMost bytes: Int = 16 << 20,
        open: @escaping () throws -> any StoreReader
    ) {
        self.saves = saves
        self.token = saves.last?.number ?? token
        maximumBytes = bytes
        self.open = open
    }

    /// The reader. The first call opens it and reads the saves up to its token.
    /// - Throws: the errors of opening and reading.
    @discardableResult
    public func reader() throws -> any StoreReader {
        if let opened { return opened }
        let reader = try open()
        let end = try reader.token
        if try reader.lacksHistory(after: token) {
            lost = try reader.oldestTransaction().map { $0 - 1 } ?? end
        }
        if let found = try reader.history(
            after: max(token, lost), through: end, bytes: maximumBytes)
        {
            saves += found
        } else {
            lost = end
        }
        token = max(token, end)
        isOpen = true
        opened = reader
        if let limits {
            limits.restart()
            Self.limit(reader, limits)
        }
        return reader
    }

    private static func limit(_ reader: any StoreReader, _ limits: Limits) {
        reader.read(within: limits.reading, matching: limits.match)
    }

    /// How many changes the available saves after a token have.
    package func changes(after token: Int64) -> Int {
        saves(after: token).reduce(0) { $0 + $1.changes.count }
    }

    /// The first save after a token.
    public func save(after token: Int64) -> HistoryTransaction? {
        saves(after: token).first
    }

    /// Whether all saves after a token are available.
    func isWhole(after token: Int64) -> Bool { token >= lost }

    /// All saves after a token.
    /// - Throws: `StoreError.expired` if some of them are no longer available.
    func allSaves(after token: Int64) throws(StoreError) -> ArraySlice<HistoryTransaction> {
        guard isWhole(after: token) else { throw .expired(after: token) }
        return saves(after: token)
    }

    /// The available saves after a token.
    func saves(after token: Int64) -> ArraySlice<HistoryTransaction> {
        // The numbers are ascending.
        var (low, high) = (0, saves.count)
        while low < high {
            let middle = (low + high) / 2
            if saves[middle].number <= token { low = middle + 1 } else { high = middle }
        }
        return saves[low...]
    }
}
