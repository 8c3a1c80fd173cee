// A file, or a part of one, as the body of a response.

import Glibc

/// An open file. The system sends its bytes without a copy in the program's memory.
public final class FileBody: Sendable {
    let descriptor: Int32
    /// The size of the whole file in bytes.
    public let size: Int

    /// Opens a file; nil where it cannot be read. A link is not followed, because it could lead to any
    /// file that the program may read, and a pipe is not waited for.
    public init?(path: String) {
        let opened = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
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

    /// A second descriptor, for libmicrohttpd to close; -1 where the system has none.
    func duplicate() -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
}
