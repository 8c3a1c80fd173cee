// A file, or a part of one, as an answer's body.

import Glibc

/// An open file whose bytes are sent by the system, without being held in memory.
public final class FileBody: Sendable {
    let descriptor: Int32
    /// How many bytes the whole file has.
    public let size: Int

    /// Opens a file; nil where it cannot be read.
    public init?(path: String) {
        let opened = open(path, O_RDONLY | O_CLOEXEC)
        guard opened >= 0 else { return nil }
        var found = stat()
        guard fstat(opened, &found) == 0, found.st_mode & S_IFMT == S_IFREG else {
            close(opened)
            return nil
        }
        descriptor = opened
        size = Int(found.st_size)
    }

    deinit { close(descriptor) }

    /// The same file once more, for libmicrohttpd to close; -1 where there is no room for one.
    func duplicate() -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
}
