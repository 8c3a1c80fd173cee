/// Saves in hand, and a view of the store with those that came after them.

import StelePersistence

/// One round of following the store, shared by all results that follow: the saves that are told,
/// and, once one of them needs to read, a reader and all saves up to its token.
///
/// It belongs to one thread.
public final class SavesView {
    /// The saves, without a gap but the one that `lost` tells of.
    public private(set) var saves: [HistoryTransaction]
    /// All up to here is in `saves`.
    public private(set) var token: Int64
    /// Whether a reader was opened: `token` is its, then.
    public private(set) var isOpen = false
    /// Some of the saves up to there had been deleted when the reader was opened, or were too many.
    private var lost: Int64 = 0
    private let open: () throws -> any StoreReader
    private var opened: (any StoreReader)?
    /// About how many bytes of memory the saves may take that are read along.
    private let maximumBytes: Int

    /// - Parameters:
    ///   - token: what is known already; the saves come right after it.
    ///   - bytes: about how many bytes of memory the saves may take that are read along with the
    ///     reader. More than that count as lost: the results are read anew.
    ///   - open: opens a reader, which the caller closes after the round.
    public init(
        after token: Int64, _ saves: [HistoryTransaction], atMost bytes: Int = 32 << 20,
        open: @escaping () throws -> any StoreReader
    ) {
        self.saves = saves
        self.token = saves.last?.number ?? token
        maximumBytes = bytes
        self.open = open
    }

    /// The reader, opened at the first call; the saves that it sees are read along.
    /// - Throws: what opening or reading throws.
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
        return reader
    }

    /// The first save after a token.
    public func save(after token: Int64) -> HistoryTransaction? {
        saves(after: token).first
    }

    /// Whether all saves after a token are there.
    func isWhole(after token: Int64) -> Bool { token >= lost }

    /// All saves after a token.
    /// - Throws: `StoreError.expired` where some of them are not to be had any more.
    func allSaves(after token: Int64) throws(StoreError) -> ArraySlice<HistoryTransaction> {
        guard isWhole(after: token) else { throw .expired(after: token) }
        return saves(after: token)
    }

    /// The saves after a token that are there.
    func saves(after token: Int64) -> ArraySlice<HistoryTransaction> {
        // Numbers only grow.
        var (low, high) = (0, saves.count)
        while low < high {
            let middle = (low + high) / 2
            if saves[middle].number <= token { low = middle + 1 } else { high = middle }
        }
        return saves[low...]
    }
}
