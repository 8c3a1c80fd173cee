/// A subscriber that reads as badly as a test wants.

import Foundation
import TestSupport
import Testing

/// An event stream over a socket of its own, read when it is told to.
final class SocketSubscriber {
    private let caller: Caller
    private var socket: Int32
    private(set) var stream = EventBytes()
    private(set) var events: [EventBytes.Event] = []

    /// - Parameter receiveBuffer: bytes that the system takes for who does not read; its own choice
    ///   where nil.
    init(
        _ caller: Caller, _ path: String, lastEventID: String? = nil, receiveBuffer: Int32? = nil
    ) throws {
        self.caller = caller
        socket = try #require(caller.connected(receiveBuffer: receiveBuffer))
        let headers = lastEventID.map { ["Last-Event-ID: \($0)"] } ?? []
        try caller.send("GET", path, ["Accept: text/event-stream"] + headers, to: socket)
        try #require(wait { $0.stream.lastID != nil })
    }

    deinit { close(socket) }

    /// Reads what has come; false where nothing will come any more.
    func read(atMost most: Int = 65_536) throws -> Bool {
        if stream.isEnded { return false }
        guard let bytes = Caller.read(socket, atMost: most) else {
            // Nothing for twenty seconds is no end: there are heartbeats.
            #expect(errno != EAGAIN, "the stream is silent")
            return false
        }
        events += try stream.take(bytes)
        return true
    }

    /// Reads until that holds; false where the stream ends before, or where two minutes of it did
    /// not bring that.
    func wait(until holds: (SocketSubscriber) throws -> Bool) throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(120)
        while try !holds(self) {
            guard try read() else { return false }
            if ContinuousClock.now > deadline {
                let last = events.suffix(3).map { event in
                    "\(event.name): \(String(decoding: event.data, as: UTF8.self))"
                }
                Issue.record("\(events.count) events, place \(stream.lastID ?? "-"), last \(last)")
                return false
            }
        }
        return true
    }

    /// Lets the system take more: what waits is read at once.
    func widen() {
        var size: Int32 = 4 << 20
        setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Goes without a word: whatever the server sends is answered by a reset.
    func vanish() {
        caller.resetsWhenClosed(socket)
        close(socket)
        socket = -1
    }

    /// The number of the last save that it knows of.
    var place: Int64 { Torture.number(stream.lastID ?? "") }

    /// The numbers of the saves told, parts once each.
    var saves: [Int64] {
        events.filter { $0.name == "save" }.map {
            Torture.saveNumber(ofEvent: String(decoding: $0.data.prefix(60), as: UTF8.self))
        }
    }

    /// The last event's data.
    var lastData: String { events.last.map { String(decoding: $0.data, as: UTF8.self) } ?? "" }
}

/// A server over a store of its own, with the model that the feed's filters know.
struct StaffServer {
    let program: Program
    let caller: Caller
    let arguments: [String]

    init() throws {
        let model = try temporaryFile(FeedFilter.model, name: "Staff.json")
        let folder = String(model.dropLast("Staff.json".count))
        self = try Self([
            "serve", model, "--store", folder + "staff.sqlite", "--port", "0", "--heartbeat", "1",
        ])
    }

    private init(_ arguments: [String]) throws {
        self.arguments = arguments
        program = try Program(arguments)
        caller = try Caller(program.lines(3))
    }

    /// Another one over the same store.
    func another() throws -> StaffServer { try Self(arguments) }

    var store: String { arguments[3] }

    func kill() {
        program.signal(SIGKILL)
        _ = program.end()
    }

    /// A write that must succeed.
    func write(_ method: String, _ path: String, _ body: String? = nil) throws {
        let answer = try #require(caller.ask(method, path, body))
        try #require((200..<300).contains(answer.status), "\(method) \(path): \(answer)")
    }

    func read(_ path: String) throws -> String { try #require(caller.ask("GET", path)).body }

    /// Runs SQL on the store as another program does.
    func changeElsewhere(_ sql: String) throws {
        try RawDatabase(store).run(sql)
    }
}
