/// Wakes the feed's thread: an event counter of the kernel, and the monotonic clock.

import Glibc

/// What a thread sleeps on until it is rung or a time has come.
final class Alarm: Sendable {
    private let descriptor: Int32

    /// Without a descriptor to be had, sleeping lasts 20 ms at most, and ringing does nothing.
    init() {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK.rawValue | EFD_CLOEXEC.rawValue))
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Ends the sleep, or the next one.
    func ring() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    /// Sleeps until the alarm is rung, or until that time of `now`; nil is without end.
    func sleep(until deadline: UInt64?) {
        guard descriptor >= 0 else {
            usleep(20_000)
            return
        }
        var milliseconds: Int32 = -1
        if let deadline {
            let now = Self.now()
            milliseconds = deadline > now ? Int32(min((deadline - now) / 1_000_000 + 1, 60_000)) : 0
        }
        var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&waited, 1, milliseconds)
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }

    /// Nanoseconds of the monotonic clock.
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
