import Glibc
import SteleModel
import StelePersistence

/// A store's file that is read as it is, and that no other program opens or changes, until the file
/// of another store replaces it: for a migration that makes the new store beside it.
///
/// Nothing is written to it: it is not adopted, and keeps its seal. A file in rollback-journal mode
/// is converted to WAL meanwhile, because SQLite finds other programs with the file open only then.
public final class HeldStore {
    /// The objects of the file.
    public let store: ReadOnlySQLiteStore
    /// Whether the file is in rollback-journal mode.
    public var hasRollbackJournal: Bool { mode.isRollback }
    private let mode: SQLiteStore.JournalMode
    private let path: String
    private let lock: StoreLock
    private var hold: WriteHold?

    /// Takes a store's file.
    /// - Parameter versionHashes: as of `ReadOnlySQLiteStore.open`.
    /// - Throws: `StoreError`: `.busy` where another program has it open, also one that uses SQLite
    ///   without Stele, and as `ReadOnlySQLiteStore.open`.
    public static func take(
        path: String, model: Model, versionHashes: [String: [UInt8]]? = nil
    ) throws(StoreError) -> HeldStore {
        try StoreLook.at(path) { (connection) throws(StoreError) in
            _ = try StoreFile.check(connection, path, model, versionHashes)
        }
        try DamageMark.check(path)
        guard let lock = try StoreLock(store: path, whileAlone: {}) else {
            throw StoreLock.failure(of: path)
        }
        do throws(StoreError) {
            guard lock.excludeOthers() else { throw SQLiteStore.isOpenElsewhere(path) }
            let mode = try SQLiteStore.checkIsClosed(path: path)
            do throws(StoreError) {
                let hold = try SQLiteStore.holdWrites(path: path)
                // What another program has written since may not all be in the file.
                guard !StoreLook.hasFrames(StoreLook.resolved(path) + "-wal") else {
                    throw SQLiteStore.isOpenElsewhere(path)
                }
                let store = try ReadOnlySQLiteStore.open(
                    path: path, model: model, versionHashes: versionHashes, under: hold)
                return HeldStore(path, store, lock, hold, mode)
            } catch {
                SQLiteStore.restore(mode, of: path)
                throw error
            }
        } catch {
            lock.leave()
            throw error
        }
    }

    private init(
        _ path: String, _ store: ReadOnlySQLiteStore, _ lock: StoreLock, _ hold: WriteHold,
        _ mode: SQLiteStore.JournalMode
    ) {
        self.path = path
        self.store = store
        self.lock = lock
        self.hold = hold
        self.mode = mode
    }

    deinit { release() }

    /// Replaces the file by that of another store, which is then gone, and ends reading. As
    /// `SQLiteStore.replaceFile`.
    /// - Parameter other: the path of a closed store on the same file system.
    /// - Throws: `StoreError`: `.busy` where another program has one of the two open, also one that
    ///   uses SQLite without Stele, and `.failed`.
    public func replace(with other: String) throws(StoreError) {
        guard let held = hold else { throw .closed }
        store.close()
        try SQLiteStore.replaceFile(of: path, store.identifier, with: other, after: held)
        hold = nil
        lock.leave()
    }

    /// Gives the file back as it was, unless it has been replaced.
    public func release() {
        guard hold != nil else { return }
        store.close()
        hold = nil
        SQLiteStore.restore(mode, of: path)
        lock.leave()
    }
}
