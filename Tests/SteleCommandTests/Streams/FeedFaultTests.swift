// What goes wrong at one end of a stream stays there: the program over real sockets.

import Foundation
import Testing

@Suite struct FeedFaultTests {
    /// One reads nothing, one a byte a save, one has gone without a word, one never ends its head.
    @Test(arguments: ["/changes?values=true", "/Person?sort=name"])
    func aSlowClientDelaysNoOther(_ path: String) throws {
        let server = try StaffServer()
        defer { server.kill() }
        try server.write("POST", "/Person", #"{"name":"x"}"#)
        let good = try SocketSubscriber(server.caller, path)
        let silent = try SocketSubscriber(server.caller, path, receiveBuffer: 4096)
        let slow = try SocketSubscriber(server.caller, path, receiveBuffer: 4096)
        try SocketSubscriber(server.caller, path).vanish()
        let endless = try server.caller.socket()
        defer { close(endless) }
        let head = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nAccept: text/ev".utf8)
        try #require(send(endless, head, head.count, 0) == head.count)
        let before = server.program.peakMemory
        // With the value before, it fits into the line of an event.
        let name = String(repeating: "x", count: 110_000)
        let last: Int64 = path.hasPrefix("/changes") ? 60 : 100
        for number in 2...last {
            try server.write("PATCH", "/Person/1", #"{"name":"\#(name)\#(number)"}"#)
            #expect(try good.wait { $0.place == number })
            #expect(try slow.read(atMost: 1))
        }
        // What waits for a stream is bounded, and the same bytes for all.
        let grown = server.program.peakMemory - before
        #if !STELE_THREAD_SANITIZER  // which keeps four bytes of its own for each
            #expect(grown < 64 << 10, "\(grown) KiB")
        #endif
        for bad in [silent, slow] {
            // What the system still has of it, and then the end.
            bad.widen()
            #expect(try !bad.wait { $0.place == last }, "nobody broke it off")
            let back = try SocketSubscriber(server.caller, path, lastEventID: bad.stream.lastID)
            #expect(try back.wait { $0.place == last && !$0.events.isEmpty })
            #expect(back.lastData.contains("x\(last)\""))
            if path.hasPrefix("/changes") { #expect(bad.saves + back.saves == Array(2...last)) }
        }
        #expect(path.hasPrefix("/Person") || good.saves == Array(2...last))
    }

    /// More than a stream's buffer in one save, and again before it is read.
    @Test func aSaveOfTwentyThousandObjectsCutsOffNobodyWhoReads() throws {
        let server = try StaffServer()
        defer { server.kill() }
        let good = try SocketSubscriber(server.caller, "/changes?values=true")
        let name = String(repeating: "x", count: 300)
        let people = (1...20_000).map { #"{"name":"\#(name)\#($0)"}"# }
        try server.write("POST", "/Person", "[\(people.joined(separator: ","))]")
        try server.write("PATCH", "/Person?where=_id%20%3C%2015000", #"{"age":1}"#)
        #expect(try good.wait { $0.place == 2 }, "cut off at \(good.stream.lastID ?? "-")")
        let parts = good.events.count
        #expect(good.saves.filter { $0 == 1 }.count >= 20 && Set(good.saves) == [1, 2])
        try server.write("PATCH", "/Person/1", #"{"age":2}"#)
        #expect(try good.wait { $0.place == 3 })
        #expect(good.events.count == parts + 1)
    }

    /// The numbers behind the copy's last save are given once more.
    @Test func aTokenFromBeforeARestoreExpires() throws {
        let first = try StaffServer()
        for name in ["a", "b", "c"] { try first.write("POST", "/Team", #"{"name":"\#(name)"}"#) }
        let kept = try #require(try SocketSubscriber(first.caller, "/changes").stream.lastID)
        first.kill()
        func copy(_ from: String, _ to: String) throws {
            for ending in ["", "-wal"] {
                try? FileManager.default.removeItem(atPath: to + ending)
                try FileManager.default.copyItem(atPath: from + ending, toPath: to + ending)
            }
        }
        try copy(first.store, first.store + ".copy")
        let second = try first.another()
        for name in ["d", "e"] { try second.write("POST", "/Team", #"{"name":"\#(name)"}"#) }
        let gone = try #require(try SocketSubscriber(second.caller, "/changes").stream.lastID)
        #expect(Torture.number(kept) == 3 && Torture.number(gone) == 5)
        second.kill()
        try? FileManager.default.removeItem(atPath: first.store + "-shm")
        try copy(first.store + ".copy", first.store)
        let third = try first.another()
        defer { third.kill() }
        for name in ["f", "g", "h"] { try third.write("POST", "/Team", #"{"name":"\#(name)"}"#) }
        let refused = try #require(third.caller.ask("GET", "/changes?since=\(gone)"))
        #expect(refused.status == 410 && refused.body.contains("before it was restored"))
        let stream = try SocketSubscriber(third.caller, "/changes", lastEventID: gone)
        #expect(try stream.wait { $0.events.first?.name == "expired" })
        let back = try SocketSubscriber(third.caller, "/changes", lastEventID: kept)
        #expect(try back.wait { $0.saves == [4, 5, 6] })
    }

    @Test func aTokenThatCannotBeUsedExpiresAndTheStreamGoesOn() throws {
        let server = try StaffServer()
        let other = try StaffServer()
        defer { for one in [server, other] { one.kill() } }
        for one in [server, other] { try one.write("POST", "/Team", #"{"name":"A"}"#) }
        let foreign = try #require(try SocketSubscriber(other.caller, "/changes").stream.lastID)
        let own = try #require(try SocketSubscriber(server.caller, "/changes").stream.lastID)
        let generation = own.prefix { $0 != "-" }
        let streams = try [
            foreign, "\(generation)-999", "\(generation)-9223372036854775807", "\(generation)-01",
            "garbage", "-", "🙂-1", String(repeating: "9", count: 3_000),
        ].map { try SocketSubscriber(server.caller, "/changes", lastEventID: $0) }
        let live = try SocketSubscriber(server.caller, "/Team", lastEventID: foreign)
        for (number, stream) in streams.enumerated() {
            #expect(try stream.wait { !$0.events.isEmpty })
            #expect(stream.events[0].name == "expired", "\(number)")
            #expect(stream.lastData.contains("\"code\":134301"), "\(stream.lastData)")
            #expect(stream.stream.lastID == own)
        }
        #expect(try live.wait { $0.events.first?.name == "snapshot" })
        try server.write("PATCH", "/Team/1", #"{"city":"York"}"#)
        for stream in streams {
            #expect(try stream.wait { $0.saves == [2] })
        }
        #expect(try live.wait { $0.events.last?.name == "change" })
    }

    /// A file that was put back is behind what its clients know.
    @Test func aTokenOfAfterTheCopyThatWasPutBackExpires() throws {
        let first = try StaffServer()
        try first.write("POST", "/Team", #"{"name":"A"}"#)
        first.kill()
        let copies = ["", "-wal", "-shm"].map { (first.store + $0, first.store + ".copy" + $0) }
        for (file, copy) in copies { try FileManager.default.copyItem(atPath: file, toPath: copy) }
        let second = try first.another()
        try second.write("PATCH", "/Team/1", #"{"city":"York"}"#)
        let late = try #require(try SocketSubscriber(second.caller, "/changes").stream.lastID)
        second.kill()
        for (file, copy) in copies {
            try? FileManager.default.removeItem(atPath: file)
            try FileManager.default.moveItem(atPath: copy, toPath: file)
        }
        let third = try first.another()
        defer { third.kill() }
        let stream = try SocketSubscriber(third.caller, "/changes", lastEventID: late)
        #expect(try stream.wait { $0.events.first?.name == "expired" })
        try third.write("PATCH", "/Team/1", #"{"city":"Bath"}"#)
        #expect(try stream.wait { $0.saves == [2] })
    }

    /// A pattern that runs too long on one object: what cannot be judged is told rather than lost,
    /// and a live query, which cannot leave it open, ends with the reason.
    @Test func aPredicateThatFailsOnOneObjectStopsNobodyElse() throws {
        let server = try StaffServer()
        defer { server.kill() }
        try server.write("POST", "/Person", #"[{"name":"aa"},{"name":"b"}]"#)
        let text = #"name MATCHES "(a|aa)+""#.percentEncoded
        let feed = try SocketSubscriber(server.caller, "/changes?entity=Person&where=\(text)")
        let plain = try SocketSubscriber(server.caller, "/changes?entity=Person")
        let live = try SocketSubscriber(server.caller, "/Person?where=\(text)&sort=name")
        let other = try SocketSubscriber(server.caller, "/Person?sort=name&select=name")
        #expect(try live.wait { $0.events.count == 1 && other.events.count < 2 })
        let hard = String(repeating: "a", count: 60) + "b"
        try server.write("POST", "/Person", #"{"name":"c"}"#)
        try server.write("POST", "/Person", #"{"name":"\#(hard)"}"#)
        try server.write("POST", "/Person", #"{"name":"aaa"}"#)
        #expect(try plain.wait { $0.saves == [2, 3, 4] })
        #expect(try feed.wait { $0.saves == [3, 4] })
        #expect(try !live.wait { _ in false })
        #expect(live.events.last?.name == "error", "\(live.lastData)")
        #expect(live.lastData.contains("predicate.limit"), "\(live.lastData)")
        #expect(try other.wait { $0.lastData.contains("\"aaa\"") })
        // Who asks again is told so at once, and a browser leaves it at that.
        let again = server.caller.ask(
            "GET", "/Person?where=\(text)&sort=name", headers: ["Accept: text/event-stream"])
        #expect(
            again.map { (400..<500).contains($0.status) } == true, "\(String(describing: again))")
    }

    /// A save in parts, of which a client had one and a piece when the server was killed.
    @Test func anEventThatAKillCutsOffComesAgainAsAWhole() throws {
        let first = try StaffServer()
        try first.write("POST", "/Team", #"{"name":"A"}"#)
        let start = try #require(try SocketSubscriber(first.caller, "/changes").stream.lastID)
        // More than the system keeps for a connection whose server has died.
        let name = String(repeating: "x", count: 200_000)
        let people = (1...60).map { #"{"name":"\#(name)\#($0)"}"# }
        try first.write("POST", "/Person", "[\(people.joined(separator: ","))]")
        let path = "/changes?values=true"
        var server = first
        var cut: SocketSubscriber
        var tries = 0
        // What the system keeps may end where an event does: then it is done again.
        repeat {
            tries += 1
            try #require(tries < 20)
            cut = try SocketSubscriber(
                server.caller, path, lastEventID: start, receiveBuffer: 64 << 10)
            while cut.events.isEmpty || !cut.stream.isWithinAnEvent {
                try #require(try cut.read(atMost: 10_000))
            }
            server.kill()
            cut.widen()
            while try cut.read() {}
            server = try first.another()
        } while !cut.stream.isWithinAnEvent
        defer { server.kill() }
        #expect(cut.stream.lastID == start)
        #expect(!cut.events.contains { $0.hasID })
        let back = try SocketSubscriber(server.caller, path, lastEventID: cut.stream.lastID)
        try server.write("PATCH", "/Team/1", #"{"city":"York"}"#)
        #expect(try back.wait { $0.place == 3 })
        let parts = back.events.dropLast()
        #expect(parts.count > cut.events.count && back.saves.last == 3)
        #expect(parts.dropLast().allSatisfy { !$0.hasID } && parts.last?.hasID == true)
        var told: [Int] = []
        for (index, part) in parts.enumerated() {
            let save = try JSONSerialization.jsonObject(with: Data(part.data)) as? [String: Any]
            #expect(save?["part"] as? Int == index + 1 && save?["of"] as? Int == parts.count)
            let changes = save?["changes"] as? [[String: Any]] ?? []
            told += changes.compactMap { $0["_id"] as? Int }
            // What was read before the kill is the beginning of the same.
            if index < cut.events.count { #expect(cut.events[index].data == part.data) }
        }
        #expect(told == Array(1...60))
    }
}
