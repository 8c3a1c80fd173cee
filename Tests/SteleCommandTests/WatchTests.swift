// `stele watch`: events taken out of their chunks, printed, and gone on with after a restart.

import Foundation
import TestSupport
import Testing

@testable import SteleCommand

@Suite struct WatchTests {
    static let answer =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

    private func chunk(_ text: String) -> String {
        String(text.utf8.count, radix: 16) + "\r\n" + text + "\r\n"
    }

    /// However the bytes are cut, the events are the same.
    @Test func eventsAreTakenOutOfTheirChunks() throws {
        let stream =
            Self.answer + chunk("retry: 500\nid: a-1\n\n") + chunk(":\nid: a-2\n\nevent: sa")
            + chunk("ve\nid: a-3\ndata: {\"é\":1}\ndata: 2\r\n\r") + chunk("\n")
            + chunk("data:x\n\n")
        let whole = [
            EventReader.Event(id: "a-3", name: "save", data: "{\"é\":1}\n2"),
            EventReader.Event(id: "a-3", name: "message", data: "x"),
        ]
        let bytes = Array(stream.utf8)
        for step in [1, 2, 3, 7, 50, bytes.count] {
            var reader = EventReader()
            var events: [EventReader.Event] = []
            for start in stride(from: 0, to: bytes.count, by: step) {
                events += try reader.take(Array(bytes[start..<min(start + step, bytes.count)]))
            }
            #expect(events == whole, "\(step)")
            #expect(reader.status == 200 && reader.retry == 500 && reader.lastID == "a-3")
        }
    }

    /// An `id` comes before its event's data: who is cut off between the two asks for it again.
    @Test func anEventThatIsCutOffIsNotTheLastOne() throws {
        let event = "id: a-2\nevent: save\ndata: {}\n"
        for end in 0...event.utf8.count {
            var reader = EventReader()
            let cut = String(decoding: event.utf8.prefix(end), as: UTF8.self)
            let events = try reader.take(
                Array((Self.answer + chunk("id: a-1\n\n") + chunk(cut + " ")).utf8))
            #expect(events.isEmpty && reader.lastID == "a-1", "cut at \(end)")
        }
    }

    @Test(arguments: [
        "SSH-2.0-x\r\n\r\n", "HTTP/1.1\r\n\r\n", "\(answer)xyz\r\n", "\(answer)-5\r\n",
        "\(answer)ffffffffff\r\n",
    ])
    func whatIsNoAnswerIsRefused(_ text: String) {
        var reader = EventReader()
        #expect(throws: Failure.self) { _ = try reader.take(Array(text.utf8)) }
    }

    @Test func addressesAreReadAsPeopleWriteThem() throws {
        let address = try ServiceAddress("http://[::1]:90/Player?where=name == \"Zoë\"&x=%20%")
        #expect(address.host == "[::1]" && address.port == 90)
        #expect(address.target == "/Player?where=name%20==%20%22Zo%C3%AB%22&x=%20%25")
        #expect(try ServiceAddress("a:8080?x=http://b").target == "?x=http://b")
        let secure = try ServiceAddress("https://a/")
        #expect(secure.isTLS && secure.port == 443 && !address.isTLS)
        for url in ["ftp://a", "http:///x", "a:0", "a:65536"] {
            #expect(throws: Failure.self) { try ServiceAddress(url) }
        }
    }

    @Test func aLiveQuerysDifferenceIsLines() {
        let data =
            #"{"deletes":[{"index":4,"_id":9}],"inserts":[{"index":0,"object":{"_id":3}}],"#
            + #""moves":[{"from":2,"to":5,"object":{"_id":4}}],"#
            + #""updates":[{"index":3,"object":{"_id":5},"updated":["age"]}]}"#
        let event = EventReader.Event(id: "a-7", name: "people.change", data: data)
        #expect(
            EventPrinter.lines(event) == [
                "people a-7", "  - 4  9", "  + 0  {\"_id\":3}", "  2 → 5  {\"_id\":4}",
                "  ~ 3  {\"_id\":5}  age",
            ])
    }

    /// An element of a composite, a to-many, and text that would move a terminal's cursor.
    @Test func anUpdateShowsWhatIsThereNow() {
        let data =
            #"{"transaction":"a-8","at":"t","changes":[{"change":"update","entity":"Person","_id":1,"#
            + #""updated":["home.zip","tags","name"],"before":{"home.zip":1,"#
            + #""tags":{"added":[3],"removed":[]},"name":"b"},"#
            + #""object":{"home":{"city":"X","zip":3},"name":"a\u009B2J\u202Ec👩‍👧"}}]}"#
        let event = EventReader.Event(id: "a-8", name: "save", data: data)
        #expect(
            EventPrinter.lines(event) == [
                "t  a-8",
                "  update Person 1 home.zip: 1 → 3 tags: added [3], removed [] "
                    + #"name: "b" → "a\u{9B}2J\u{202E}c👩‍👧""#,
            ])
    }

    @Test func aSaveThatIsCutShowsWhereItGoesOn() {
        let data =
            #"{"transaction":"a-8","at":"t","changes":[{"change":"delete","entity":"Team","_id":1}],"#
            + #""rest":"a-8.1"}"#
        let event = EventReader.Event(id: "a-8", name: "save", data: data)
        #expect(
            EventPrinter.lines(event)
                == ["t  a-8", "  delete Team 1", "  … the rest: since=a-8.1"])
    }

    /// A row is printed alike, whether it was there or came.
    @Test func aLiveQuerysRowsAreLines() {
        let data =
            #"{"rows":[{"object":{"_id":3},"section":"a"},{"object":{"_id":4}}],"sections":[]}"#
        let event = EventReader.Event(id: "a-6", name: "snapshot", data: data)
        #expect(EventPrinter.lines(event) == ["a-6", "  0  {\"_id\":3}", "  1  {\"_id\":4}"])
    }

    @Test func savesArePrintedAndGoneOnWithAfterAKill() throws {
        let folder = try TemporaryFolder()
        let league = samplePath("League")
        let arguments = ["serve", league, "--store", folder.store]
        let first = try Program(arguments + ["--port", "0"])
        let caller = try Caller(first.lines(3))
        let url = "http://127.0.0.1:\(caller.port)"
        let watch = try Program(["watch", "\(url)/changes?entity=Team&values=true&since=0"])
        defer {
            watch.signal(SIGKILL)
            _ = watch.end()
        }
        _ = try caller.call("POST", "/Team", #"{"name":"Home"}"#)
        _ = try caller.call("PATCH", "/Team/1", #"{"city":"York"}"#)
        let lines = watch.lines(4)
        #expect(lines.count == 4 && lines[0].hasSuffix("  POST /Team"))
        #expect(lines[1].hasPrefix("  insert Team 1 {\"_id\":1,"))
        #expect(lines[3] == "  update Team 1 city: null → \"York\"", "\(lines)")
        first.signal(SIGKILL)
        _ = first.end()
        let second = try Program(arguments + ["--port", "\(caller.port)"])
        defer {
            second.signal(SIGKILL)
            _ = second.end()
        }
        _ = second.lines(3)
        _ = try caller.call("DELETE", "/Team/1")
        let all = watch.lines(6)
        #expect(all.count == 6 && all[5].hasPrefix("  delete Team 1 {"), "\(all)")
        let (status, _, errors) = try Program.run("watch", "\(url)/changes?entity=Taem")
        #expect(status == 1 && errors.contains("did you mean Team?"), "\(errors)")
        let (other, _, kind) = try Program.run("watch", "\(url)/healthz")
        #expect(other == 1 && kind.contains("/healthz is not an event stream"), "\(kind)")
        let (none, _, said) = try Program.run("watch", "127.0.0.1:1")
        #expect(none == 1 && said == "stele: nothing listens on 127.0.0.1 port 1\n")
    }
}
