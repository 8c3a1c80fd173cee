// Requests that are answered from elsewhere, when something has happened.

import SteleHTTP
import SteleSystem
import Testing

@Suite struct PendingTests {
    /// Takes the replies, once there are so many.
    private func replies(_ count: Int, _ seen: Seen) throws -> [Reply] {
        try #require(seen.eventually { seen.replies.withLock { $0.count } >= count })
        return seen.replies.withLock { replies in
            defer { replies = [] }
            return replies
        }
    }

    @Test func aPendingRequestGetsTheAnswerThatIsMadeForIt() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let client = try RawClient(port: server.port)
        for index in 0..<50 {
            try client.send("POST /pending HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab")
            let reply = try #require(try replies(1, seen).first)
            reply.answer { text("made \(index)", status: 201) }
            let response = try client.readResponse()
            #expect(response.status == 201)
            #expect(response.text == "made \(index)")
        }
        #expect(try client.get("/inline").status == 200)
        server.stop(drain: 1)
    }

    @Test func onlyTheFirstAnswerCounts() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let client = try RawClient(port: server.port)
        try client.send("GET /pending HTTP/1.1\r\nHost: h\r\n\r\n")
        let reply = try #require(try replies(1, seen).first)
        reply.answer { text("first") }
        reply.answer { text("second") }
        reply.later(Later(by: .waiting) { .done(text("late")) })
        #expect(try client.readResponse().text == "first")
        #expect(try client.get("/inline").text == "GET /inline - ")
        server.stop(drain: 1)
    }

    @Test func aPendingRequestMayGoToAWorkerAfterAll() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let client = try RawClient(port: server.port)
        try client.send("POST /pending/x HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc")
        let reply = try #require(try replies(1, seen).first)
        let request = try #require(seen.requests.withLock { $0.first })
        reply.later(Later(by: .waiting) { .done(echo(request)) })
        #expect(try client.readResponse().text == "POST /pending/x - abc")
        server.stop(drain: 1)
    }

    @Test func aWorkersStepMayBeFollowedByOthers() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let client = try RawClient(port: server.port)
        for index in 0..<20 {
            try client.send("GET /pending HTTP/1.1\r\nHost: h\r\n\r\n")
            let first = try #require(try replies(1, seen).first)
            first.later(
                Later(by: .reading) {
                    .later(
                        Later(by: .waiting) {
                            .pending { reply in seen.replies.withLock { $0.append(reply) } }
                        })
                })
            let second = try #require(try replies(1, seen).first)
            second.answer { text("step \(index)") }
            #expect(try client.readResponse().text == "step \(index)")
        }
        try client.send("GET /pending HTTP/1.1\r\nHost: h\r\n\r\n")
        let last = try #require(try replies(1, seen).first)
        last.later(
            Later(by: .waiting) {
                .pending { reply in seen.replies.withLock { $0.append(reply) } }
            })
        let late = try #require(try replies(1, seen).first)
        server.stop(drain: 0.1)
        #expect(try client.readResponse().status == 503)
        late.answer { text("late") }
    }

    @Test func manyArePendingAtOnce() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let clients = try (0..<100).map { _ in try RawClient(port: server.port) }
        for client in clients { try client.send("GET /pending HTTP/1.1\r\nHost: h\r\n\r\n") }
        for reply in try replies(100, seen) { reply.answer { text("all") } }
        for client in clients { #expect(try client.readResponse().text == "all") }
        server.stop(drain: 1)
    }

    @Test func stoppingAnswersWhatNobodyHasAnswered() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let clients = try (0..<5).map { _ in try RawClient(port: server.port) }
        for client in clients { try client.send("GET /pending HTTP/1.1\r\nHost: h\r\n\r\n") }
        let replies = try replies(5, seen)
        server.stop(drain: 0.1)
        for client in clients { #expect(try client.readResponse().status == 503) }
        // Who answers after that answers nobody.
        for reply in replies {
            reply.answer { text("late") }
            reply.later(Later(by: .waiting) { .done(text("late")) })
        }
    }

    @Test func answeringAClientThatHasLeftHasNoEffect() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let reply: Reply
        do {
            let client = try RawClient(port: server.port)
            try client.send("GET /pending HTTP/1.1\r\nHost: h\r\n\r\n")
            reply = try #require(try replies(1, seen).first)
        }
        reply.answer { text("nobody") }
        #expect(seen.eventually { server.requestsInProgress == 0 })
        server.stop(drain: 1)
    }
}
