/// Thousands of event streams, read by one thread that does nothing but read and count.

import CLinux
import Dispatch
import Foundation
import SteleSystem

/// Sockets of subscribers in one epoll. The same for whichever server: its own cost is a `recv` a
/// piece, and looking for the empty lines that end events.
// @unchecked: a slot is written before its socket is in the epoll, and by the thread alone after
// that; the other state is atomic or has its lock.
final class Subscribers: @unchecked Sendable {
    private struct Slot {
        var socket: Int32 = -1
        var events = 0
        var hasAnswer = false
        /// Whether what came last ended with the first of two line breaks.
        var endsInBreak = false
    }

    private let port: Int
    private let request: String
    private let slots: UnsafeMutablePointer<Slot>
    private let capacity: Int
    private var used = 0
    private let poll = epoll_create1(Int32(EPOLL_CLOEXEC))
    private let wakening = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    private let ended = DispatchSemaphore(value: 0)

    private let answered = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)
    private let closed = Atomic<Int>(0)
    private let total = Atomic<Int>(0)
    private let byteTotal = Atomic<Int>(0)
    private let target = Atomic<Int>(.max)
    private let reached = DispatchSemaphore(value: 0)
    private let isRecording = Atomic<Bool>(false)
    private let recorded = Mutex<[(event: Int, time: UInt64)]>([])

    struct Failure: Error { let text: String }

    /// - Parameters:
    ///   - capacity: how many can be opened in all.
    ///   - headers: lines of the request, each with its end.
    init(port: Int, path: String, capacity: Int, headers: String = "") {
        self.port = port
        self.capacity = capacity
        request =
            "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\(headers)\r\n"
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: Slot(), count: capacity)
        var event = epoll_event(events: UInt32(EPOLLIN.rawValue), data: epoll_data_t(u64: .max))
        epoll_ctl(poll, EPOLL_CTL_ADD, wakening, &event)
        let thread = Thread { [self] in
            run()
            ended.signal()
        }
        thread.name = "subscribers"
        thread.start()
    }

    /// Closes all and ends the thread.
    func close() {
        var one: UInt64 = 1
        write(wakening, &one, MemoryLayout<UInt64>.size)
        ended.wait()
        for index in 0..<used where slots[index].socket >= 0 { Glibc.close(slots[index].socket) }
        slots.deallocate()
        Glibc.close(poll)
        Glibc.close(wakening)
    }

    // MARK: Coming and going

    /// Opens so many more and waits until each has been answered with 200.
    func open(_ count: Int) throws {
        let before = answered.load(ordering: .acquiring)
        for _ in 0..<count { try openOne() }
        for _ in 0..<6_000 {
            if refused.load(ordering: .acquiring) > 0 { break }
            if answered.load(ordering: .acquiring) == before + count { return }
            usleep(5_000)
        }
        throw Failure(
            text: "of \(count) subscribers \(answered.load(ordering: .acquiring) - before) were "
                + "answered with 200, and \(refused.load(ordering: .acquiring)) otherwise")
    }

    /// Opens one and waits for nothing.
    func openOne() throws {
        guard used < capacity else { throw Failure(text: "no more than \(capacity) subscribers") }
        let socket = try PlainConnection.connected(to: port)
        slots[used].socket = socket
        var event = epoll_event(
            events: UInt32(EPOLLIN.rawValue), data: epoll_data_t(u64: UInt64(used)))
        used += 1
        guard epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event) == 0 else {
            throw Failure(text: "a socket cannot be watched")
        }
        try PlainConnection.send(request, on: socket)
    }

    /// Lets the one go that was opened as that one, from 0.
    func leave(_ index: Int) { shutdown(slots[index].socket, Int32(SHUT_RDWR)) }

    /// How many are there.
    var count: Int { used - gone }

    /// How many have gone, by whichever side.
    var gone: Int { closed.load(ordering: .acquiring) }

    // MARK: What has come

    /// Events that have come to all of them together, what they are greeted with among them.
    var events: Int { total.load(ordering: .acquiring) }

    /// Bytes that have come to all of them together.
    var bytes: Int { byteTotal.load(ordering: .acquiring) }

    /// The fewest and the most events of any. Only while nothing comes.
    var extremes: ClosedRange<Int> {
        _ = events
        let counts = (0..<used).map { slots[$0].events }
        return (counts.min() ?? 0)...(counts.max() ?? 0)
    }

    /// Waits until nothing has come for a fifth of a second.
    func settle() {
        var last = -1
        while last != bytes {
            last = bytes
            usleep(200_000)
        }
    }

    /// Waits until so many events have come in all.
    func wait(for count: Int, seconds: Double = 30) throws {
        target.store(count, ordering: .sequentiallyConsistent)
        if total.load(ordering: .sequentiallyConsistent) >= count,
            target.exchange(.max, ordering: .sequentiallyConsistent) != .max
        {
            return
        }
        if reached.wait(timeout: .now() + seconds) == .success { return }
        if target.exchange(.max, ordering: .sequentiallyConsistent) == .max {
            return reached.wait()
        }
        throw Failure(
            text:
                "of \(count) events only \(events) have come in \(seconds) s; \(gone) streams ended"
        )
    }

    /// From now on the time of each event is kept.
    func record() { isRecording.store(true, ordering: .releasing) }

    /// The events that were recorded, numbered for each subscriber from its first one on, with the
    /// nanoseconds of the monotonic clock at which they were there.
    func takeRecorded() -> [(event: Int, time: UInt64)] {
        isRecording.store(false, ordering: .releasing)
        return recorded.withLock { recorded in
            defer { recorded = [] }
            return recorded
        }
    }

    // MARK: The thread

    private func run() {
        var ready = [epoll_event](repeating: epoll_event(), count: 512)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { room.deallocate() }
        while true {
            let count = epoll_wait(poll, &ready, Int32(ready.count), -1)
            let now = Monotonic.nanoseconds()
            var (events, bytes) = (0, 0)
            for event in ready.prefix(Int(max(count, 0))) {
                if event.data.u64 == .max { return }
                let index = Int(event.data.u64)
                let received = recv(slots[index].socket, room.baseAddress, room.count, 0)
                guard received > 0 else {
                    Glibc.close(slots[index].socket)
                    slots[index].socket = -1
                    closed.add(1, ordering: .releasing)
                    continue
                }
                bytes += received
                events += take(UnsafeRawBufferPointer(rebasing: room[..<received]), index, now)
            }
            byteTotal.add(bytes, ordering: .releasing)
            let sum = total.add(events, ordering: .sequentiallyConsistent).newValue
            if sum >= target.load(ordering: .sequentiallyConsistent),
                target.exchange(.max, ordering: .sequentiallyConsistent) != .max
            {
                reached.signal()
            }
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer, _ index: Int, _ now: UInt64) -> Int {
        if !slots[index].hasAnswer {
            slots[index].hasAnswer = true
            if bytes.starts(with: "HTTP/1.1 200".utf8) {
                answered.add(1, ordering: .releasing)
            } else {
                refused.add(1, ordering: .releasing)
            }
        }
        let found = Self.ends(bytes, &slots[index].endsInBreak)
        if found > 0, isRecording.load(ordering: .acquiring) {
            let first = slots[index].events
            recorded.withLock { recorded in
                for event in first..<first + found { recorded.append((event, now)) }
            }
        }
        slots[index].events += found
        return found
    }

    /// How many empty lines there are. The lines of a head and of chunks end with a CR as well, so
    /// that two LF in a row are the end of an event, wherever a chunk begins.
    private static func ends(_ bytes: UnsafeRawBufferPointer, _ endsInBreak: inout Bool) -> Int {
        guard let start = bytes.baseAddress else { return 0 }
        var found = 0
        var position = 0
        if endsInBreak, bytes[0] == 10 {
            found = 1
            position = 1
        }
        endsInBreak = false
        while position < bytes.count,
            let place = memchr(start + position, 10, bytes.count - position)
        {
            let next = UnsafeRawPointer(place) - start + 1
            if next == bytes.count {
                endsInBreak = true
                break
            }
            let isEnd = bytes[next] == 10
            found += isEnd ? 1 : 0
            position = isEnd ? next + 1 : next
        }
        return found
    }
}

/// The monotonic clock, which all processes share.
enum Monotonic {
    static func nanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// Sleeps until a time of it.
    static func sleep(until deadline: UInt64) {
        let now = nanoseconds()
        if deadline > now { usleep(UInt32(clamping: (deadline - now) / 1000)) }
    }
}
