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

    /// Begins the program anew, as the same process, with more room for freed blocks in each thread.
    ///
    /// What serves a request lets go of some 60 blocks at its end and asks for as many at the next
    /// one's beginning. A thread keeps 7 of a size for itself; whatever is more goes through an arena
    /// that all threads share. The C library is told another number by its environment alone, which
    /// it reads before the program's first line. Who has set one himself keeps it; where the program
    /// cannot be begun anew it goes on as it is.
    static func widenThreadCaches() {
        // With rights of its own (setcap, setuid) it would not find the setting again, for the C
        // library then takes it away, and would begin anew for ever. By way of the loader, what runs
        // is the loader's file, with other arguments.
        guard getauxval(UInt(AT_SECURE)) == 0, getauxval(UInt(AT_BASE)) != 0 else { return }
        let name = "GLIBC_TUNABLES"
        let tunable = "glibc.malloc.tcache_count"
        let given = getenv(name).map { String(cString: $0) } ?? ""
        guard !given.contains(tunable), let path = realpath("/proc/self/exe", nil) else { return }
        defer { free(path) }
        guard setenv(name, (given.isEmpty ? "" : given + ":") + "\(tunable)=64", 1) == 0 else {
            return
        }
        execv(path, CommandLine.unsafeArgv)
    }
}
