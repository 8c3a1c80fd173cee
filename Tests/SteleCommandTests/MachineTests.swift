// What the machine does to a service: its clock is set, it runs out of files, and a sort does not
// fit in memory.

import Foundation
import SteleSystem
import TestSupport
import Testing

@Suite struct MachineTests {
    private static let timeShift = PreloadedLibrary("TimeShift")

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The program over a store in the folder.
    private func serve(
        _ model: String = samplePath("League"), _ more: [String] = [],
        environment: [String: String] = [:]
    ) throws -> (program: Program, caller: Caller) {
        let program = try Program(
            ["serve", model, "--store", "s.sqlite", "--port", "0"] + more,
            environment: environment, folder: folder.path)
        return (program, try Caller(program.lines(3)))
    }

    private func end(_ program: Program) {
        program.signal(SIGTERM)
        let (status, errors) = program.end()
        #expect(status == 0, "\(errors)")
    }

    private func field(_ name: String, of answer: String) -> String {
        answer.components(separatedBy: "\r\n").first { $0.hasPrefix(name + ": ") }
            .map { String($0.dropFirst(name.count + 2)) } ?? ""
    }

    /// Streams, contexts, limits by time and the order of changes do not follow the time of day.
    @Test(.enabled(if: PreloadedLibrary.compiler != nil, "there is no C compiler"))
    func aClockThatIsSetStopsNothing() throws {
        let shift = folder.path + "/shift"
        func set(days: Int) throws {
            try withUnsafeBytes(of: Int64(days) * 86_400) { Data($0) }
                .write(to: URL(fileURLWithPath: shift), options: [])
        }
        try set(days: 0)
        let (program, caller) = try serve(
            environment: ["LD_PRELOAD": try Self.timeShift.path.get(), "TIME_SHIFT": shift])
        defer { end(program) }
        let stream = try SocketSubscriber(caller, "/changes")
        let live = try SocketSubscriber(caller, "/live?q.teams=%2FTeam%3Fsort%3Dname")
        let start = try #require(stream.stream.lastID)
        let context = field("Location", of: try caller.call("POST", "/contexts", "{}"))
        var dates: [String] = []
        for (index, days) in [0, 4_000, -4_000, 1, 0].enumerated() {
            try set(days: days)
            let made = try caller.call("POST", "/Team", #"{"name":"Team \#(index)"}"#)
            #expect(made.contains(" 201 "), "\(made)")
            dates.append(field("Date", of: made))
            #expect(try stream.wait { $0.saves.count > index })
            #expect(try live.wait { $0.lastData.contains("Team \(index)") })
            #expect(try caller.call("GET", "/readyz").contains(" 200 "))
            let edited = try caller.call(
                "PATCH", context + "/Team/1", #"{"city":"City \#(index)"}"#)
            #expect(edited.contains(" 200 "), "\(edited)")
        }
        // The process has seen each of them.
        #expect(Set(dates.map { $0.suffix(17).prefix(4) }).count >= 3, "\(dates)")
        #expect(stream.saves == [1, 2, 3, 4, 5])
        let changes = try caller.call("GET", "/changes?since=\(start)&values=true")
        for index in 0..<5 { #expect(changes.contains("Team \(index)"), "\(changes)") }
        #expect(try caller.call("POST", context + "/save", "{}").contains(" 200 "))
    }

    /// Clients with a connection are served, others wait until there is room.
    @Test func withoutFilesConnectionsWait() throws {
        let program = try Program(
            [
                "-c", "ulimit -n 64 && exec \"$0\" \"$@\"", Program.path, "serve",
                samplePath("League"), "--store", "s.sqlite", "--port", "0",
            ], folder: folder.path, file: "/bin/sh")
        defer { end(program) }
        let caller = try Caller(program.lines(3))
        let used = try caller.socket()
        defer { close(used) }
        func ask(_ method: String, _ path: String, _ body: String? = nil) throws -> String {
            try caller.send(method, path, [], body, to: used)
            return String(decoding: Caller.read(used) ?? [], as: UTF8.self)
        }
        #expect(try ask("POST", "/Team", #"{"name":"Reds"}"#).contains(" 201 "))
        let others = try (0..<100).map { _ in try caller.socket() }
        for number in 1...20 {
            let made = try ask("POST", "/Team", #"{"name":"Team \#(number)"}"#)
            #expect(made.contains(" 201 "), "\(made)")
            let read = try ask("GET", "/Team/\(number)?include=players")
            #expect(read.contains(" 200 "), "\(read)")
        }
        let list = try ask("GET", "/Team/count")
        #expect(list.contains("{\"count\":21}"), "\(list)")
        for other in others { close(other) }
        let later = try caller.call("GET", "/Team/count")
        #expect(later.contains("{\"count\":21}"), "\(later)")
    }

    /// SIGTERM waits for a body that is coming in, and for no new request.
    @Test func aBodyThatIsComingInIsTakenAtTheEnd() throws {
        let (program, caller) = try serve()
        let (upload, idle) = (try caller.socket(), try caller.socket())
        defer { for one in [upload, idle] { close(one) } }
        try caller.send("GET", "/healthz", [], to: idle)
        #expect(String(decoding: Caller.read(idle) ?? [], as: UTF8.self).contains(" 200 "))
        let body = #"{"name":"Reds"}"#
        let head = "POST /Team HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        func send(_ text: some StringProtocol) {
            let bytes = Array(text.utf8)
            #expect(Glibc.send(upload, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
        }
        send(head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body.prefix(5))
        let stream = try StreamCaller(caller, "/changes")
        usleep(200_000)
        program.signal(SIGTERM)
        // A browser comes back after that.
        #expect(!stream.wait { _ in false })
        #expect(stream.text.hasPrefix("HTTP/1.1 200 ") && stream.text.hasSuffix("\r\n0\r\n\r\n"))
        // It is closed, and not told of a status.
        #expect(Caller.read(idle) == nil)
        #expect(caller.connected() == nil)
        send(body.dropFirst(5))
        let made = String(decoding: Caller.read(upload) ?? [], as: UTF8.self)
        #expect(made.contains(" 201 "), "\(made)")
        #expect(program.end().status == 0)
        let (again, reader) = try serve()
        #expect(try reader.call("GET", "/Team").contains("Reds"))
        end(again)
    }

    /// SIGTERM ends the process also where a request never comes to its end.
    @Test func aBodyThatNeverComesDoesNotKeepTheProcess() throws {
        let (program, caller) = try serve(samplePath("League"), ["--drain", "0.2"])
        let upload = try caller.socket()
        defer { close(upload) }
        try caller.send(
            "POST", "/Team", ["Content-Type: application/json", "Content-Length: 100"], to: upload)
        #expect(try caller.call("GET", "/readyz").contains(" 200 "))
        end(program)
    }

    /// The limit of a file's size is an error of the save that reaches it, as a full disk is.
    @Test(arguments: ["s.sqlite", "s.xml", "s.txt"])
    func aFileThatMayNotGrowHasNoRoom(_ store: String) throws {
        let program = try Program(
            [
                "-c", "ulimit -S -f 300 && exec \"$0\" \"$@\"", Program.path, "serve",
                samplePath("League"), "--store", store, "--port", "0",
            ], folder: folder.path, file: "/bin/sh")
        defer { end(program) }
        let caller = try Caller(program.lines(3))
        let team = #"{"name":"Reds","city":"\#(String(repeating: "x", count: 3_000))"}"#
        var made = ""
        for _ in 0..<500 {
            made = try caller.call("POST", "/Team", team)
            guard made.contains(" 201 ") else { break }
        }
        #expect(made.contains(" 507 ") && made.contains("store.no-room"), "\(made)")
        #expect(try caller.call("GET", "/Team/1").contains(" 200 "))
        #expect(try caller.call("GET", "/readyz").contains(" 200 "))
    }

    /// A long read of many rows takes files in the store's folder in place of memory.
    @Test(arguments: ["sort=name", "select=name&distinct=true", "sort=name&limit=10&offset=20000"])
    func aLongSortUsesTemporaryFiles(_ query: String) throws {
        let model = try folder.write(
            """
            {"name": "Rows", "entities": [{"name": "Row", "attributes": [
              {"name": "name", "type": "String"}]}]}
            """, to: "Rows.json")
        let (program, caller) = try serve(
            model,
            [
                "--limit", "sort-bytes=1048576", "--limit", "short-reading-milliseconds=1",
                "--limit", "short-reading-steps=1000",
            ])
        defer { end(program) }
        var numbers = SeededNumbers(seed: drawSeed("long sort"))
        var names: [String] = []
        for _ in 0..<15 {
            let some = (0..<2_000).map { _ in
                String(numbers.next(), radix: 36) + String(repeating: "x", count: 80)
            }
            let rows = some.map { #"{"name":"\#($0)"}"# }.joined(separator: ",")
            let made = try caller.call(
                "POST", "/Row", "[\(rows)]", headers: ["Prefer: return=minimal"])
            try #require(made.contains(" 201 "), "\(made.prefix(300))")
            names += some
        }
        let isDone = Mutex(false)
        let answer = Mutex("")
        let thread = try #require(
            SystemThread(name: "reader") {
                let text = try? caller.call("GET", "/Row?format=csv&\(query)")
                answer.withLock { $0 = text ?? "" }
                isDone.withLock { $0 = true }
            })
        var seen: Set<String> = []
        while !isDone.withLock({ $0 }) {
            seen.formUnion(program.files.filter { $0.contains("/etilqs_") })
        }
        thread.join()
        let place = folder.url.resolvingSymlinksInPath().path
        #expect(!seen.isEmpty && seen.allSatisfy { $0.hasPrefix(place) }, "\(seen)")
        #expect(!program.files.contains { $0.contains("/etilqs_") })
        let text = answer.withLock { $0 }
        let body = text.contains("chunked") ? Caller.chunkedBody(text).text : text
        let lines = body.split(separator: "\r\n").filter { $0.contains("xxx") }
        names.sort()
        if query.contains("offset") { names = Array(names[20_000..<20_010]) }
        #expect(lines.count == names.count)
        if query.hasPrefix("sort") {
            #expect(zip(lines, names).allSatisfy { $0.contains($1) })
        }
    }

    /// A client that takes its time keeps a view, and the log cannot restart.
    @Test func anAnswerForWhichTheLogBecomesTooLongIsBrokenOff() throws {
        let (program, caller) = try serve(
            samplePath("League"),
            ["--limit", "log-bytes=33554432", "--limit", "stall-seconds=600"])
        defer { end(program) }
        // More than a batch, which is read without keeping a view.
        let city = String(repeating: "x", count: 12_000)
        for part in 0..<10 {
            let teams = (0..<100).map { #"{"name":"Team \#(part).\#($0)","city":"\#(city)"}"# }
            let made = try caller.call(
                "POST", "/Team", "[\(teams.joined(separator: ","))]",
                headers: ["Prefer: return=minimal"])
            try #require(made.contains(" 201 "), "\(made.prefix(300))")
        }
        let long = String(repeating: "y", count: 400_000)
        func change(_ times: Int) throws {
            for time in 0..<times {
                let text = #"{"city":"\#(long)\#(time)"}"#
                let changed = try caller.call(
                    "PATCH", "/Team/1", text, headers: ["Prefer: return=minimal"])
                try #require(changed.contains(" 204 "), "\(changed.prefix(300))")
            }
        }
        let slow = try #require(caller.connected(receiveBuffer: 4_096))
        defer { close(slow) }
        try caller.send("GET", "/Team?format=ndjson", [], to: slow)
        var text = Caller.read(slow) ?? []
        #expect(String(decoding: text, as: UTF8.self).contains(" 200 "))
        // 72 MB: the length is looked at every 32 MiB.
        try change(180)
        // The answer has ten seconds to end by itself.
        sleep(20)
        while let more = Caller.read(slow) { text += more }
        #expect(text.count < 1_000 * city.utf8.count)
        #expect(!text.suffix(5).elementsEqual("0\r\n\r\n".utf8))
        // From now on the log restarts, and a client that is not slow has all of the list.
        try change(180)
        let log = try FileManager.default.attributesOfItem(
            atPath: folder.path + "/s.sqlite-wal")[.size]
        #expect(try #require(log as? Int) < 130_000_000)
        let whole = try caller.call("GET", "/Team?format=ndjson")
        #expect(Caller.chunkedBody(whole).text.split(separator: "\n").count == 1_000)
    }
}
