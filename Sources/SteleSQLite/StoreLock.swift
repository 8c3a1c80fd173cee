import CLinux
import Glibc
import StelePersistence
import SteleSystem

/// A shared lock on a file beside a store, held while a program has the store open. A program that
/// opens the store first knows that it is alone.
///
/// The lock excludes no program. The last program that closes the store removes the file; a killed
/// program leaves it behind without a lock.
final class StoreLock: Sendable {
    private let descriptor: Mutex<Int32?>
    private let path: String

    /// Takes the lock; nil where the file cannot be created or locked, as in a read-only folder.
    /// - Parameter whileAlone: called where no other program has the store open, while none can
    ///   open it.
    /// - Throws: the errors of `whileAlone`; `StoreError.busy` where a program that excludes others
    ///   does not release the lock in time.
    init?(
        store: String, whileAlone: () throws(StoreError) -> Void
    ) throws(StoreError) {
        let path = StoreLook.place(of: store) + "-lock"
        var found: Int32 = -1
        var isAlone = false
        repeat {
            found = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
            guard found >= 0 else { return nil }
            isAlone = stele_lock(found, Int16(F_WRLCK), 0) == 0
            // The exclusive lock may belong to a program that is about to remove the file.
            if !isAlone {
                switch Self.share(found) {
                case .taken: break
                case .impossible:
                    close(found)
                    return nil
                case .excluded:
                    close(found)
                    throw .busy(
                        "\(store) is used by a program that excludes others: a migration, or a "
                            + "service of several stores; wait for its end, or use the service")
                }
            }
            var status = stat()
            if fstat(found, &status) == 0, status.st_nlink > 0 { break }
            close(found)
        } while true
        descriptor = Mutex(found)
        self.path = path
        guard isAlone else { return }
        do throws(StoreError) { try whileAlone() } catch {
            leave()
            throw error
        }
        _ = stele_lock(found, Int16(F_RDLCK), 0)
    }

    /// The error of a store whose lock cannot be taken, for what is not done without it.
    static func failure(of store: String) -> StoreError {
        let found = open(StoreLook.place(of: store) + "-lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard found < 0 else {
            close(found)
            return .failed("the lock file of \(store) cannot be locked")
        }
        switch errno {
        case EACCES, EPERM, EROFS: return SQLiteFailure.unwritable(store)
        case let code:
            return .failed(
                "the lock file of \(store) cannot be created: \(String(cString: strerror(code)))")
        }
    }

    /// Whether no program has the store open, as far as its lock tells. The lock is not taken: a
    /// program that opens the store at that moment would not know that it is alone.
    static func isFree(store: String) -> Bool {
        let found = open(StoreLook.place(of: store) + "-lock", O_RDWR | O_CLOEXEC)
        guard found >= 0 else { return errno == ENOENT }
        defer { close(found) }
        return stele_is_unlocked(found) != 0
    }

    private enum Sharing { case taken, excluded, impossible }

    /// Takes the shared lock, and waits for a program that excludes others.
    private static func share(_ descriptor: Int32) -> Sharing {
        let end = MonotonicClock.now &+ Limits.exclusionNanoseconds
        while stele_lock(descriptor, Int16(F_RDLCK), 0) != 0 {
            guard errno == EAGAIN || errno == EACCES || errno == EINTR else { return .impossible }
            if MonotonicClock.now >= end { return .excluded }
            usleep(20_000)
        }
        return .taken
    }

    /// Keeps other programs from opening the store until the lock is released; they wait.
    /// - Returns: false where another program has the store open.
    func excludeOthers() -> Bool {
        descriptor.withLock { $0.map { stele_lock($0, Int16(F_WRLCK), 0) == 0 } ?? false }
    }

    /// Releases the lock, after the store is closed.
    func leave() {
        let held = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let held else { return }
        if stele_lock(held, Int16(F_WRLCK), 0) == 0 { unlink(path) }
        close(held)
    }
}
