import Glibc
import StelePersistence
import SteleSystem

/// Whether the files of an open store are still those at their paths.
///
/// SQLite goes on with a file that was removed or replaced, and so would its saves, into a file that
/// nobody can open again. The log counts as well: it has the saves that are not in the file yet.
struct StorePresence: Sendable {
    /// Which file it is, wherever it is.
    private struct Identity: Equatable {
        let device: dev_t
        let number: ino_t

        init(_ found: stat) { (device, number) = (found.st_dev, found.st_ino) }
    }

    /// The most bytes that a file had which never becomes shorter.
    private final class Length: Sendable {
        let most: Atomic<Int>
        init(_ bytes: Int) { most = Atomic(bytes) }
    }

    private struct File {
        let path: String
        let identity: Identity
        /// Nil for a file that may become shorter.
        let length: Length?
    }

    private let files: [File]
    private let damage: StoreDamage

    /// Remembers the files that are at the paths now.
    /// - Parameter damage: remembers what is found.
    init(_ paths: [String], _ damage: StoreDamage = StoreDamage()) {
        self.damage = damage
        files = paths.compactMap { path in
            Self.status(path).map { found in
                // The index of the log, which is mapped into memory.
                let grows = path.hasSuffix("-shm")
                return File(
                    path: path, identity: Identity(found),
                    length: grows ? Length(Int(found.st_size)) : nil)
            }
        }
    }

    private static func status(_ path: String) -> stat? {
        var found = stat()
        return stat(path, &found) == 0 ? found : nil
    }

    /// - Throws: `StoreError.gone`, which names the first file that is not the same, and `.damaged`
    ///   for an index of the log that was cut.
    func check() throws(StoreError) {
        for file in files {
            guard let found = Self.status(file.path), Identity(found) == file.identity else {
                let isThere = Self.status(file.path) != nil
                throw .gone(
                    "\(file.path) \(isThere ? "is another file" : "is gone") since the store was "
                        + "opened: put the file back; or save the objects by "
                        + "GET /Entity?format=ndjson, end the service, and start it with a backup")
            }
            guard let length = file.length else { continue }
            let most = length.most.max(Int(found.st_size), ordering: .relaxed).newValue
            if found.st_size < most {
                throw damage.note(
                    "\(file.path) is damaged: it has \(found.st_size) bytes, and had \(most); it is "
                        + "made again when the service is started again, and nothing is lost",
                    isLasting: false)
            }
        }
    }
}
