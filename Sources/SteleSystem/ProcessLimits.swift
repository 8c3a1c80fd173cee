/// The process's limits, which are set before it serves.

import CLinux
import Glibc

package enum ProcessLimits {
    /// Raises the soft limit of open files to the hard one: each connection uses one.
    package static func raiseOpenFiles() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur < limit.rlim_max
        else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// The connections that the limit of open files has room for. A quarter of it, at most 256, is
    /// for the store and all else.
    package static var roomForConnections: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return .max
        }
        let files = Int(clamping: limit.rlim_cur)
        return max(1, files - min(files / 4, 256))
    }

    /// Bounds the allocator's arenas: else each thread keeps freed memory in one of its own, which
    /// is most of the process's memory after days of serving.
    package static func boundArenas() { mallopt(M_ARENA_MAX, 4) }
}
