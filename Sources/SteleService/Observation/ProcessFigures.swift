/// What the system knows of the process, by the names of Prometheus' own client libraries.

import FoundationEssentials
import Glibc

/// The figures of a process, from `/proc/self`.
struct ProcessFigures {
    var cpuSeconds: Double
    var residentBytes: Double
    var virtualBytes: Double
    var threads: Double
    /// Seconds since 1970-01-01T00:00:00Z.
    var startSeconds: Double
    var openFiles: Double
    var fileLimit: Double

    /// The figures of this process; nil where the system does not give them.
    static var now: ProcessFigures? {
        guard let stat = text("/proc/self/stat"), let end = stat.lastIndex(of: ")"),
            let boot = text("/proc/stat")?.split(separator: "\n")
                .first(where: { $0.hasPrefix("btime ") })?.split(separator: " ").last
                .flatMap({ Double($0) })
        else { return nil }
        // The fields after the name, which may have spaces: the first is the third of proc(5).
        let fields = stat[stat.index(after: end)...].split(separator: " ").map { Double($0) ?? 0 }
        guard fields.count > 21 else { return nil }
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return ProcessFigures(
            cpuSeconds: (fields[11] + fields[12]) / ticks,
            residentBytes: fields[21] * Double(sysconf(Int32(_SC_PAGESIZE))),
            virtualBytes: fields[20], threads: fields[17],
            startSeconds: boot + fields[19] / ticks,
            // The folder is itself open while it is read.
            openFiles: Double((files?.count ?? 1) - 1), fileLimit: Double(limit.rlim_cur))
    }

    private static func text(_ path: String) -> String? {
        // Files of /proc have no size, so they are read to their end.
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    func write(to text: inout MetricsText) {
        text.single(
            "process_cpu_seconds_total", .counter, "Processor time, of the system too.", cpuSeconds)
        text.single(
            "process_resident_memory_bytes", .gauge, "Resident memory.", residentBytes)
        text.single("process_virtual_memory_bytes", .gauge, "Virtual memory.", virtualBytes)
        text.single("process_threads", .gauge, "Threads.", threads)
        text.single(
            "process_start_time_seconds", .gauge, "The start, in seconds since 1970.", startSeconds)
        text.single("process_open_fds", .gauge, "Open file descriptors.", openFiles)
        text.single("process_max_fds", .gauge, "The limit on them.", fileLimit)
    }
}

/// The size of a file.
enum FileSize {
    /// Nil for a file that is not there.
    static func bytes(of path: String) -> Int? {
        var found = stat()
        return stat(path, &found) == 0 ? Int(found.st_size) : nil
    }
}
