/// Who has a store's file open: a file beside it, locked for as long as that.

import CLinux
import Glibc
import SteleSystem

/// A lock that all programs share which use a store; who comes first knows that he is alone.
///
/// It keeps nobody out. The file goes with the last one who closes it, and a program that is killed
/// leaves it behind without a lock.
final class StoreLock: Sendable {
    private let descriptor: Mutex<Int32?>
    private let path: String

    /// - Parameter whileAlone: done while nobody else can come, where nobody else is there.
    /// - Returns: nil where the file cannot be made or locked, as in a folder that is not to be written.
    init?<E: Error>(store: String, whileAlone: () throws(E) -> Void) throws(E) {
        let path = store + "-lock"
        var found: Int32 = -1
        var isAlone = false
        repeat {
            found = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
            guard found >= 0 else { return nil }
            isAlone = stele_lock(found, Int16(F_WRLCK), 0) == 0
            // Who is alone may be about to leave, and to take the file along.
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

    /// Gives the lock back; the store must be closed.
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
