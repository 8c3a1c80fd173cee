// Answers without a bound over a real connection: whole, in order, of one view, or broken off.

import Foundation
import TestSupport
import Testing

@Suite struct LongAnswerTests {
    private let league =
        samplePath("League")

    /// The server over a store with so many players.
    private func serving(_ count: Int, _ more: [String] = []) throws -> (Program, Caller) {
        let folder = String(try temporaryFile("").dropLast("/file".count))
        let program = try Program(
            ["serve", league, "--port", "0"] + more, folder: folder)
        let caller = try Caller(program.lines(3))
        for first in stride(from: 1, through: count, by: 2_000) {
            let players = (first..<min(first + 2_000, count + 1)).map {
                #"{"name":"Player \#($0)","goals":\#($0 % 40),"country":"\","}"#
            }
            let answer = try caller.call("POST", "/Player", "[\(players.joined(separator: ","))]")
            try #require(answer.hasPrefix("HTTP/1.1 201"), "\(answer.prefix(300))")
        }
        return (program, caller)
    }

    @Test func allRowsComeOnceInOrder() throws {
        let (program, caller) = try serving(6_000)
        let csv = try caller.call("GET", "/Player?format=csv&select=_id,name,country")
        #expect(csv.contains("Content-Type: text/csv"))
        #expect(csv.contains("Transfer-Encoding: chunked"))
        let (text, isWhole) = Caller.chunkedBody(csv)
        let lines = text.components(separatedBy: "\r\n")
        #expect(isWhole && lines.count == 6_002)
        #expect(lines.first == "_id,name,country" && lines.last == "")
        #expect(
            lines.dropFirst().dropLast().enumerated().allSatisfy {
                $1 == "\($0 + 1),Player \($0 + 1),\"\"\",\""
            })
        let sorted = try caller.call(
            "GET", "/Player?format=ndjson&select=_id,goals&sort=-goals&where=goals%3E1&offset=10")
        let rows = Caller.chunkedBody(sorted)
        #expect(rows.isWhole && rows.text.split(separator: "\n").count == 5_690)
        #expect(rows.text.hasPrefix(#"{"_id":439,"goals":39}"#), "\(rows.text.prefix(80))")
        let grouped = try caller.call(
            "GET", "/Player?format=csv&select=goals,count()&groupBy=goals")
        #expect(grouped.hasSuffix("39,150\r\n"), "\(grouped.suffix(80))")
        let head = try caller.call("HEAD", "/Player?format=csv")
        #expect(head.hasPrefix("HTTP/1.1 200") && head.hasSuffix("\r\n\r\n"))
        let refused = try caller.call("GET", "/Player?format=csv&select=nme")
        #expect(refused.hasPrefix("HTTP/1.1 400"))
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    @Test func aSlowReaderSeesOneViewAndHoldsUpNobody() throws {
        let (program, caller) = try serving(20_000)
        let descriptor = try caller.socket()
        defer { close(descriptor) }
        try caller.send("GET", "/Player?format=ndjson", ["Connection: close"], to: descriptor)
        var answer = try #require(Caller.read(descriptor))
        for id in [1, 10_000, 20_000] {
            let changed = try caller.call("PATCH", "/Player/\(id)", #"{"name":"changed"}"#)
            #expect(changed.hasPrefix("HTTP/1.1 200"), "\(changed.prefix(200))")
        }
        #expect(try caller.call("DELETE", "/Player/19999").hasPrefix("HTTP/1.1 204"))
        while let more = Caller.read(descriptor) { answer += more }
        let (text, isWhole) = Caller.chunkedBody(String(decoding: answer, as: UTF8.self))
        #expect(isWhole && text.split(separator: "\n").count == 20_000)
        #expect(!text.contains("changed") && text.contains("Player 19999"))
        // A client that goes away in the middle leaves nothing behind.
        for _ in 0..<40 {
            let gone = try caller.socket()
            try caller.send("GET", "/Player?format=ndjson", [], to: gone)
            _ = Caller.read(gone)
            close(gone)
        }
        Thread.sleep(forTimeInterval: 0.5)
        let after = try caller.call("GET", "/Player?format=csv&select=_id")
        #expect(Caller.chunkedBody(after).text.components(separatedBy: "\r\n").count == 20_001)
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }
}
