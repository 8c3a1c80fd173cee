import CLinux
import FoundationEssentials
import Glibc
import StelePersistence
import SteleModel
import SteleSystem

/// A folder for a private copy of a store's file, under TMPDIR. It is removed with the object; that
/// of a killed process is removed when the next copy is made.
package final class PrivateCopy: Sendable {
    /// The path of the copy.
    package let file: String
    private let folder: String
    private let lock: Mutex<Int32?>

    private static let start = "stele-copy-"
    private static let lockName = "/lock"

    /// Makes the folder. It has no copy yet.
    /// - Parameters:
    ///   - path: the store, for messages.
    ///   - place: the folder for copies of all processes.
    /// - Throws: `StoreError.failed`.
    package init(
        of path: String, in place: String = FileManager.default.temporaryDirectory.path
    ) throws(StoreError) {
        Self.removeAbandoned(in: place)
        var made: (folder: String, lock: Int32)?
        repeat {
            let folder = "\(place)/\(Self.start)\(UUID().uuidString)"
            guard mkdir(folder, 0o700) == 0 else { throw Self.failure(path, folder) }
            let lock = open(folder + Self.lockName, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard lock >= 0 else {
                // Another process has taken the folder for an abandoned one.
                if errno == ENOENT { continue }
                throw Self.failure(path, folder)
            }
            var status = stat()
            if stele_lock(lock, Int16(F_WRLCK), 0) == 0, fstat(lock, &status) == 0,
                status.st_nlink > 0
            {
                made = (folder, lock)
            } else {
                close(lock)
            }
        } while made == nil
        folder = made?.folder ?? ""
        file = folder + "/store"
        lock = Mutex(made?.lock)
    }

    deinit { remove() }

    /// Removes the folder. Connections that are open can go on.
    package func remove() {
        let held = lock.withLock { lock in
            defer { lock = nil }
            return lock
        }
        guard let held else { return }
        try? FileManager.default.removeItem(atPath: folder)
        close(held)
    }

    /// Whether a folder is in that of a copy under TMPDIR.
    static func contains(_ folder: String) -> Bool {
        let place = FileManager.default.temporaryDirectory.path
        return folder.hasPrefix("\(place)/\(start)")
    }

    /// An error of what is done with the copy, as one of the store.
    /// - Parameter path: the store.
    package func explained(_ error: StoreError, _ path: String) -> StoreError {
        guard case .noRoom = error else { return error.replacing(file, with: path) }
        return .failed(
            "\(path): there is no room for a private copy in \(folder): set TMPDIR to a folder that "
                + "has room")
    }

    /// The error for a copy that cannot be made.
    func failure(_ path: String) -> StoreError { Self.failure(path, folder) }

    private static func failure(_ path: String, _ folder: String) -> StoreError {
        .failed(
            "\(path) cannot be opened as it is without a change beside it, and cannot be copied to "
                + "\(folder) (set TMPDIR to a folder that has room)")
    }

    /// Removes the folders whose processes have ended without removing them.
    private static func removeAbandoned(in place: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        for name in names where name.hasPrefix(start) {
            let lock = open("\(place)/\(name)\(lockName)", O_RDWR | O_NOFOLLOW | O_CLOEXEC)
            guard lock >= 0 else { continue }
            defer { close(lock) }
            var status = stat()
            guard fstat(lock, &status) == 0, status.st_uid == geteuid(),
                stele_lock(lock, Int16(F_WRLCK), 0) == 0
            else { continue }
            try? FileManager.default.removeItem(atPath: "\(place)/\(name)")
        }
    }
}
