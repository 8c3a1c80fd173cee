import CLinux
import Glibc
import StelePersistence
import SteleSystem

/// The exclusive use of a file by one store. The lock is on a file beside it, because the file
/// itself is replaced at each save. A killed process leaves the lock file behind without a lock.
final class FileLock: Sendable {
    private let descriptor: Mutex<Int32?>
    private let path: String

    /// Takes the lock.
    /// - Throws: `StoreError.busy` where another store has it, and `.incompatible` (134080) where
    ///   the
    ///   lock file cannot be created.
    init(_ store: String) throws(StoreError) {
        path = store + "-lock"
        var found: Int32
        repeat {
            found = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
            guard found >= 0 else {
                throw .incompatible(
                    code: 134080,
                    "\(store) cannot be opened: \(path): \(WholeFile.reason(errno))")
            }
            guard stele_lock(found, Int16(F_WRLCK), 0) == 0 else {
                close(found)
                throw .busy(
                    "\(store) is open already: one process at a time can use a whole-file store")
            }
            // The process that had the lock may have removed the file meanwhile.
            var status = stat()
            if fstat(found, &status) == 0, status.st_nlink > 0 { break }
            close(found)
        } while true
        descriptor = Mutex(found)
    }

    /// Releases the lock and removes its file.
    func leave() {
        let held = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let held else { return }
        unlink(path)
        close(held)
    }

    deinit { leave() }
}
