import Glibc
import StelePersistence

/// Whether the files of an open store are still those at their paths.
///
/// SQLite goes on with a file that was removed or replaced, and so would its saves, into a file that
/// nobody can open again. The log counts as well: it has the saves that are not in the file yet.
struct StorePresence: Sendable {
    /// Which file it is, wherever it is.
    private struct Identity: Equatable {
        let device: dev_t
        let number: ino_t

        init?(_ path: String) {
            var found = stat()
            guard stat(path, &found) == 0 else { return nil }
            (device, number) = (found.st_dev, found.st_ino)
        }
    }

    private let files: [(path: String, identity: Identity)]

    /// Remembers the files that are at the paths now.
    init(_ paths: [String]) {
        files = paths.compactMap { path in Identity(path).map { (path, $0) } }
    }

    /// - Throws: `StoreError.gone`, which names the first file that is not the same.
    func check() throws(StoreError) {
        for (path, identity) in files where Identity(path) != identity {
            let isThere = Identity(path) != nil
            throw .gone(
                "\(path) \(isThere ? "is another file" : "is gone") since the store was opened: put "
                    + "the file back; or save the objects by GET /Entity?format=ndjson, end the "
                    + "service, and start it with a backup")
        }
    }
}
