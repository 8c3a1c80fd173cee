/// Writes over a socket, as a user's program sends them.

import Foundation
import TestSupport
import Testing

@Suite struct WriteTests {
    private let league =
        samplePath("League")

    /// Sends a request with header fields and gives the whole answer.
    private func call(
        _ caller: Caller, _ method: String, _ path: String, _ headers: [String], _ body: String?
    ) throws -> String {
        let descriptor = try caller.socket()
        defer { close(descriptor) }
        try caller.send(method, path, headers + ["Connection: close"], body, to: descriptor)
        var answer: [UInt8] = []
        while let more = Caller.read(descriptor) { answer += more }
        return String(decoding: answer, as: UTF8.self)
    }

    @Test func transactionsAndWritesOfAllOutliveTheServer() throws {
        let folder = String(try temporaryFile("").dropLast("/file".count))
        let arguments = ["serve", league, "--port", "0"]
        let first = try Program(arguments, folder: folder)
        var caller = try Caller(first.lines(3))
        let operations = """
            [{"op":"insert","entity":"Player","values":{"name":"Ann","team":{"_ref":"t"}}},
             {"op":"insert","entity":"Team","as":"t","values":{"name":"Crew"}}]
            """
        let key = ["Idempotency-Key: 8a6e"]
        let made = try call(caller, "POST", "/transactions", key, operations)
        #expect(made.hasPrefix("HTTP/1.1 200") && made.contains(#""name":"Crew""#), "\(made)")
        let many = (0..<3_000).map { #"{"name":"P\#($0)","goals":\#($0 % 10),"team":1}"# }
        let created = try call(
            caller, "POST", "/Player", ["Prefer: return=minimal"],
            "[\(many.joined(separator: ","))]")
        #expect(created.hasPrefix("HTTP/1.1 201"), "\(created.prefix(300))")
        #expect(
            try caller.call("PATCH", "/Player?where=goals==3", #"{"country":"GB"}"#)
                .hasSuffix(#"{"updated":300}"#))
        #expect(try caller.call("DELETE", "/Player?where=goals==4").hasSuffix(#"{"deleted":300}"#))
        let moved = try caller.call(
            "PATCH", "/Player/1?mergePolicy=objectTrump", #"{"_version":1,"goals":5}"#)
        #expect(moved.contains(#""goals":5"#), "\(moved)")
        first.signal(SIGKILL)
        _ = first.end()
        let second = try Program(arguments, folder: folder)
        caller = try Caller(second.lines(3))
        let again = try call(caller, "POST", "/transactions", key, operations)
        #expect(again.split(separator: "\r\n").last == made.split(separator: "\r\n").last)
        #expect(
            try call(caller, "POST", "/transactions", key, "[]").hasPrefix("HTTP/1.1 422"))
        #expect(try caller.call("GET", "/Team/count").hasSuffix(#"{"count":1}"#))
        #expect(try caller.call("GET", "/Player/count").hasSuffix(#"{"count":2701}"#))
        // A cascade over all of them.
        #expect(try caller.call("DELETE", "/Team/1").hasPrefix("HTTP/1.1 204"))
        #expect(try caller.call("GET", "/Player/count").hasSuffix(#"{"count":0}"#))
        second.signal(SIGTERM)
        #expect(second.end().status == 0)
    }
}
