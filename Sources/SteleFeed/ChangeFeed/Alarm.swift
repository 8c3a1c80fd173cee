/// Wakes the feed's thread: a pipe to itself, and the monotonic clock.

import Glibc

/// What a thread sleeps on until it is rung or a time has come.
final class Alarm: Sendable {
    private let reading: Int32
    private let writing: Int32

    /// Without descriptors to be had, sleeping lasts 20 ms, and ringing does nothing.
    package init() {
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) != 0 { ends = [-1, -1] }
        for end in ends where end >= 0 {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        reading = ends[0]
        writing = ends[1]
    }

    deinit {
        if reading >= 0 { close(reading) }
        if writing >= 0 { close(writing) }
    }

    /// Ends the sleep, or the next one. A pipe that is full has been rung often enough.
    func ring() {
        var one: UInt8 = 1
        _ = write(writing, &one, 1)
    }

    /// Sleeps until the alarm is rung, or until that time of `now`; nil is without end.
    package func sleep(until deadline: UInt64?) {
        guard reading >= 0 else {
            usleep(20_000)
            return
        }
        var milliseconds: Int32 = -1
        if let deadline {
            let now = Self.now()
            milliseconds = deadline > now ? Int32(min((deadline - now) / 1_000_000 + 1, 60_000)) : 0
        }
        var waited = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        guard poll(&waited, 1, milliseconds) > 0 else { return }
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { room in
            while read(reading, room.baseAddress, room.count) == room.count {}
        }
    }

    /// Nanoseconds of the monotonic clock.
    package static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
