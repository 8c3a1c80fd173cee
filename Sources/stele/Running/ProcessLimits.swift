/// What the process asks of the system before it serves.

import CLinux
import Glibc

enum ProcessLimits {
    /// Raises the soft limit of open files to the hard one: a connection is a file.
    static func raiseOpenFiles() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur < limit.rlim_max
        else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Few arenas for the allocator: each of the many threads would keep freed memory in one of
    /// its own, and over days of serving that is most of what the process holds.
    static func boundArenas() { mallopt(M_ARENA_MAX, 4) }
}
