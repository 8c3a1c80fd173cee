// Requests in the forms in which generated clients, browsers and proxies send them.

import Foundation
import TestSupport
import Testing

@Suite struct RequestFormServeTests {
    /// Serves a sample in memory.
    private func serve(_ sample: String, _ flags: String...) throws -> (Program, Caller) {
        let program = try Program(
            ["serve", samplePath(sample), "--store", ":memory:", "--port", "0"] + flags)
        return (program, try Caller(program.lines(3)))
    }

    private func end(_ program: Program) {
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    private func status(_ answer: String) -> String {
        String(answer.dropFirst("HTTP/1.1 ".count).prefix(3))
    }

    /// The value of a field of an answer's head.
    private func field(_ name: String, _ answer: String) -> String? {
        let head = answer.components(separatedBy: "\r\n\r\n")[0]
        let start = name.lowercased() + ": "
        return head.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(start) }
            .map { String($0.dropFirst(start.count)) }
    }

    /// The head of an answer whose body may have no end.
    private func head(_ caller: Caller, _ path: String, _ headers: [String]) throws -> String {
        let socket = try caller.socket()
        defer { close(socket) }
        try caller.send("GET", path, headers, to: socket)
        var text = ""
        while !text.contains("\r\n\r\n"), let more = Caller.read(socket) {
            text += String(decoding: more, as: UTF8.self)
        }
        return text.components(separatedBy: "\r\n\r\n")[0]
    }

    @Test func aRangeIsForGETAndTheEndOfNothingIsAllOfIt() throws {
        let (program, caller) = try serve("Recipes", "--cors", "https://app.example")
        let made = try caller.call("POST", "/Recipe", #"{"name":"Soup"}"#)
        try #require(status(made) == "201", "\(made)")
        let photo = "/Recipe/1/photo"
        #expect(status(try caller.call("PUT", photo, "0123456789")) == "204")
        let part = try caller.call("GET", photo, headers: ["Range: bytes=2-4"])
        #expect(status(part) == "206" && part.hasSuffix("\r\n\r\n234"))
        for range in ["bytes=2-4", "bytes=-3", "bytes=20-"] {
            let head = try caller.call("HEAD", photo, headers: ["Range: \(range)"])
            #expect(status(head) == "200" && field("Content-Length", head) == "10", "\(range)")
            #expect(field("Content-Range", head) == nil)
            #expect(field("Accept-Ranges", head) == "bytes")
        }
        let all = try caller.call(
            "GET", photo, headers: ["Range: bytes=-99999999999999999999"])
        #expect(status(all) == "206" && field("Content-Range", all) == "bytes 0-9/10")
        #expect(status(try caller.call("PUT", photo, "")) == "204")
        for (range, expected) in [("bytes=-5", "200"), ("bytes=-0", "416"), ("bytes=0-", "416")] {
            let answer = try caller.call("GET", photo, headers: ["Range: \(range)"])
            #expect(status(answer) == expected, "\(range)")
        }
        let answer = try caller.call("GET", photo, headers: ["Origin: https://app.example"])
        let exposed = field("Access-Control-Expose-Headers", answer) ?? ""
        #expect(exposed.contains("Content-Range") && exposed.contains("Accept-Ranges"))
        end(program)
    }

    @Test func theHostOfAnAbsoluteTargetCounts() throws {
        let (program, caller) = try serve("League")
        #expect(status(try caller.call("GET", "http://evil.example/Team")) == "403")
        #expect(status(try caller.call("GET", "http://localhost:80/Team")) == "200")
        #expect(status(try caller.call("GET", "http://localhost")) == "200")
        #expect(status(try caller.call("GET", "http://ann@localhost/Team")) == "400")
        #expect(status(try caller.call("GET", "http:///Team")) == "400")
        // As a proxy sends it that ends TLS. No other scheme is HTTP.
        #expect(status(try caller.call("GET", "https://localhost/Team")) == "200")
        #expect(status(try caller.call("GET", "https://evil.example/Team")) == "403")
        #expect(status(try caller.call("GET", "ftp://localhost/Team")) == "404")
        end(program)
    }

    @Test func anyNumberOfSpacesFollowsBearer() throws {
        let (program, caller) = try serve("League", "--token", "sesame")
        for (value, expected) in [
            ("Bearer sesame", "200"), ("Bearer   sesame", "200"), ("bearer  sesame", "200"),
            ("Bearer", "401"), ("Bearersesame", "401"), ("Bearer\tsesame", "401"),
            ("Bearer  open", "401"), ("Basic sesame", "401"),
        ] {
            let answer = try caller.call("GET", "/Team", headers: ["Authorization: \(value)"])
            #expect(status(answer) == expected, "\(value)")
        }
        end(program)
    }

    @Test func aWeakTagIsRefusedWithItsCauseAndTheWaysOut() throws {
        let (program, caller) = try serve("League")
        let made = try caller.call("POST", "/Team", #"{"name":"A"}"#)
        let tag = try #require(field("ETag", made))
        #expect(status(try caller.call("POST", "/Player", #"{"name":"B","team":1}"#)) == "201")
        for (method, path, body) in [
            ("PATCH", "/Team/1", #"{"name":"B"}"#), ("PUT", "/Team/1", #"{"name":"B"}"#),
            ("DELETE", "/Team/1", nil), ("PUT", "/Player/1/team", "null"),
            ("PATCH", "/Team?where=name%20%3D%3D%20%22A%22", #"{"name":"B"}"#),
            ("GET", "/Team/1", nil), ("GET", "/Team", nil), ("GET", "/model", nil),
        ] as [(String, String, String?)] {
            let weak = try caller.call(method, path, body, headers: ["If-Match: W/\(tag)"])
            #expect(status(weak) == "412", "\(method) \(path): \(weak)")
            #expect(weak.contains("weak entity tag") && weak.contains("13.1.1"), "\(weak)")
            #expect(weak.contains("a proxy that compresses answers"), "\(weak)")
            let other = try caller.call(method, path, body, headers: ["If-Match: \"9-x\""])
            #expect(status(other) == "412" && !other.contains("weak"), "\(other)")
        }
        let hint = try caller.call(
            "PATCH", "/Team/1", #"{"name":"B"}"#, headers: ["If-Match: W/\(tag)"])
        #expect(hint.contains("_version in the body"), "\(hint)")
        // A strong tag beside it counts, and so does the way out.
        let both = try caller.call(
            "PATCH", "/Team/1", #"{"name":"B"}"#, headers: ["If-Match: W/\"9-x\", \(tag)"])
        #expect(status(both) == "200", "\(both)")
        let versioned = try caller.call("PATCH", "/Team/1", #"{"name":"C","_version":2}"#)
        #expect(status(versioned) == "200", "\(versioned)")
        #expect(status(try caller.call("DELETE", "/Team/1", #"{"_version":2}"#)) == "409")
        end(program)
    }

    @Test func anAnswerWithoutABodyNeedsNoAccept() throws {
        let (program, caller) = try serve("League")
        let accept = "Accept: application/problem+json"
        let minimal = "Prefer: return=minimal"
        for (method, path, body, headers, expected) in [
            ("POST", "/Team", #"{"name":"A"}"#, [minimal], "201"),
            ("PATCH", "/Team/1", #"{"name":"B"}"#, [minimal], "204"),
            ("PUT", "/Team/1", #"{"name":"C"}"#, [minimal], "204"),
            (
                "POST", "/transactions",
                #"[{"op":"insert","entity":"Team","values":{"name":"D"}}]"#, [minimal], "204"
            ), ("PUT", "/Team/1/players", "[]", [minimal], "204"),
            ("PATCH", "/metadata", #"{"a":1}"#, [minimal], "204"),
            ("DELETE", "/Team/1", nil, [], "204"),
            ("DELETE", "/Team?where=TRUEPREDICATE", nil, [], "200"),
            ("DELETE", "/changes?before=0", nil, [], "204"),
            ("POST", "/Team", #"{"name":"A"}"#, [], "406"), ("GET", "/Team", nil, [], "406"),
        ] as [(String, String, String?, [String], String)] {
            let answer = try caller.call(method, path, body, headers: [accept] + headers)
            #expect(status(answer) == expected, "\(method) \(path): \(answer)")
        }
        let absent = try caller.call("DELETE", "/Team/99", headers: [accept])
        #expect(status(absent) == "404" && absent.contains("application/problem+json"))
        end(program)
    }

    @Test func ofEqualWeightsJSONIsChosen() throws {
        let (program, caller) = try serve("League")
        for path in ["/changes", "/Team", "/model", "/docs/errors", "/"] {
            for accept in [
                "application/json, text/event-stream, text/html, text/plain, application/xml",
                "text/event-stream, text/html, text/plain, application/xml, application/json",
                "text/html;q=0.8, text/event-stream;q=0.8, application/json;q=0.8",
            ] {
                let head = try head(caller, path, ["Accept: \(accept)"])
                #expect(field("Content-Type", head) == "application/json", "\(path) \(accept)")
            }
        }
        for (path, accept, type) in [
            ("/", "text/html, */*", "text/html; charset=utf-8"),
            ("/changes", "text/event-stream, */*", "text/event-stream; charset=utf-8"),
            (
                "/changes", "text/event-stream, application/json;q=0.9",
                "text/event-stream; charset=utf-8"
            ),
            ("/Team", "text/event-stream", "text/event-stream; charset=utf-8"),
            ("/live?q.a=/Team", "text/event-stream", "text/event-stream; charset=utf-8"),
        ] {
            let head = try head(caller, path, ["Accept: \(accept)"])
            #expect(field("Content-Type", head) == type, "\(path) \(accept): \(head)")
        }
        end(program)
    }

    /// The pages of a service are the same after a restart, and a client that has one needs no other.
    @Test func pagesHaveValidators() throws {
        var tags: [[String?]] = []
        for _ in 0..<2 {
            let (program, caller) = try serve("League")
            var found: [String?] = []
            for path in [
                "/openapi.json", "/model", "/fetch", "/docs/errors", "/", "/model/versions",
                "/model/changes",
            ] {
                let first = try caller.call("GET", path)
                let tag = try #require(field("ETag", first), "\(path)")
                found.append(tag)
                let known = try caller.call("GET", path, headers: ["If-None-Match: \(tag)"])
                #expect(status(known) == "304" && field("ETag", known) == tag, "\(path)")
                #expect(known.hasSuffix("\r\n\r\n"))
                #expect(field("ETag", try caller.call("HEAD", path)) == tag)
                let other = try caller.call("GET", path, headers: ["If-None-Match: \"x\""])
                #expect(status(other) == "200" && field("ETag", other) == tag)
                let held = try caller.call("GET", path, headers: ["If-Match: \"x\""])
                #expect(status(held) == "412", "\(path)")
            }
            let packed = try head(caller, "/openapi.json", ["Accept-Encoding: gzip"])
            let tag = try #require(field("ETag", packed))
            #expect(tag.hasSuffix(";gz\"") && field("Content-Encoding", packed) == "gzip")
            let known = try caller.call(
                "GET", "/openapi.json", headers: ["Accept-Encoding: gzip", "If-None-Match: \(tag)"])
            #expect(status(known) == "304" && field("ETag", known) == tag)
            let xml = try head(caller, "/model", ["Accept: application/xml"])
            #expect(field("ETag", xml) != nil && field("ETag", xml) != found[1])
            // The figures are others in each answer.
            #expect(field("ETag", try caller.call("GET", "/metrics")) == nil)
            end(program)
            tags.append(found)
        }
        #expect(tags[0] == tags[1])
    }

    @Test func aTimeWithoutAnOffsetIsAnsweredWithOneThatHasIt() throws {
        let (program, caller) = try serve("League")
        let text = "2024-05-01T09:00:00"
        let hint = "such as Z or +02:00: 2024-05-01T09:00:00Z is the time in UTC"
        let date = #"{"name":"A","joinedAt":"\#(text)"}"#
        #expect(status(try caller.call("POST", "/Player", #"{"name":"A"}"#)) == "201")
        let query = "/Player?where=joinedAt%20%3E%20"
        for (method, path, body) in [
            ("POST", "/Player", date), ("PUT", "/Player/1", date),
            ("PATCH", "/Player/1", #"{"joinedAt":"\#(text)"}"#),
            (
                "POST", "/transactions",
                #"[{"op":"insert","entity":"Player","values":\#(date)}]"#
            ), ("GET", query + "%22\(text)%22", nil), ("GET", query + "$d&var.d=\(text)", nil),
        ] as [(String, String, String?)] {
            let answer = try caller.call(method, path, body)
            #expect(status(answer).hasPrefix("4") && answer.contains(hint), "\(answer)")
        }
        let given = #"{"name":"A","joinedAt":"\#(text)Z"}"#
        #expect(status(try caller.call("POST", "/Player", given)) == "201")
        end(program)
    }
}
