import CLinux
import Glibc
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
    init?<E: Error>(store: String, whileAlone: () throws(E) -> Void) throws(E) {
        let path = store + "-lock"
        var found: Int32 = -1
        var isAlone = false
        repeat {
            found = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
            guard found >= 0 else { return nil }
            isAlone = stele_lock(found, Int16(F_WRLCK), 0) == 0
            // The exclusive lock may belong to a program that is about to remove the file.
            if !isAlone, stele_lock(found, Int16(F_RDLCK), 1) != 0 {
                close(found)
                return nil
            }
            var status = stat()
            if fstat(found, &status) == 0, status.st_nlink > 0 { break }
            close(found)
        } while true
        descriptor = Mutex(found)
        self.path = path
        guard isAlone else { return }
        do throws(E) { try whileAlone() } catch {
            leave()
            throw error
        }
        _ = stele_lock(found, Int16(F_RDLCK), 0)
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
