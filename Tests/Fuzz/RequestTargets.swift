/// Requests: whole ones, their fields, their bodies, and the tokens in them.

import SteleJSON
import SteleModel

/// Whole requests, in the form of `RequestText`.
struct RequestTarget: FuzzTarget {
    private let stage: RequestStage
    let seeds = FuzzText.bytes(RequestSeeds.reads + RequestSeeds.writes)
    let words =
        PredicateWords.all + RequestSeeds.words + ["%27", "%2B", "%00", "%zz", "%C3%A9", "&", "="]

    init() throws { stage = try RequestStage() }

    func attempt(_ input: [UInt8]) throws {
        try stage.ask(String(decoding: input, as: UTF8.self))
    }
}

/// The fields of requests, a line each.
struct HeaderTarget: FuzzTarget {
    private let stage: RequestStage
    let seeds = FuzzText.bytes([
        "Range: bytes=0-1", "Range: bytes=-2", "Range: bytes=1-", "Range: bytes=0-0,2-2",
        "If-Range: \"1-x\"\nRange: bytes=0-9223372036854775807",
        "Accept: application/json;q=0.5, text/csv, */*;q=0", "Accept: text/event-stream",
        "Accept: application/x-ndjson", "Accept: application/xml", "Accept-Encoding: gzip;q=0, *",
        "If-Match: \"1-abc\", W/\"2\", *", "If-None-Match: \"1-abc;gz\"", "If-Match: \"1\"",
        "Prefer: return=minimal", "Prefer: return=representation, wait=10",
        "Content-Type: application/json; charset=utf-8",
        "Content-Type: application/merge-patch+json",
        "Content-Type: application/json-patch+json", "Content-Type: text/csv",
        "Content-Type: application/octet-stream", "Idempotency-Key: \"abc\"", "Idempotency-Key: 1",
        "Last-Event-ID: $TOKEN", "Last-Event-ID: 0123abcd-9.x.8", "Origin: http://localhost:80",
        "Origin: null", "Authorization: Bearer x", "Host: [::1]:8080", "Content-Length: 5",
        "If-Modified-Since: Tue, 24 Nov 2026 08:00:00 GMT", "Last-Event-ID: 0",
    ])
    let words = RequestSeeds.words + ["bytes=", "q=", ";", ",", "W/", "\"", "*", "gzip", "return="]
    private static let requests = [
        ("GET /Item/1", ""), ("GET /Item?sort=-price&limit=2", ""), ("GET /Item/1/bytes", ""),
        ("PUT /Item/2/photo", "abc"), ("PATCH /Item/2", #"{"small":1}"#), ("DELETE /Item/2", ""),
        ("PUT /Item/2/bytes", "abc"), ("POST /Item", #"{"name":"x"}"#), ("GET /changes", ""),
        ("GET /live?q.a=/Item", ""), ("GET /Item/1/whole", ""), ("GET /model", ""),
        ("PUT /Item/1/whole", #"{"_id":2}"#), ("GET /Item?select=count()", ""),
    ]

    init() throws { stage = try RequestStage() }

    func attempt(_ input: [UInt8]) throws {
        let fields = String(decoding: input, as: UTF8.self)
            .split(separator: "\n").joined(separator: "\n")
        for (line, body) in Self.requests { try stage.ask("\(line)\n\(fields)\n\n\(body)") }
    }
}

/// JSON: read, written, and taken as the body of requests.
struct JSONTarget: FuzzTarget {
    private let stage: RequestStage
    let seeds = FuzzText.bytes(RequestSeeds.bodies)
    let words =
        RequestSeeds.words + [
            "{", "}", "[", "]", ",", ":", "null", "true", "false", "\"\"", "\"\\ud83d\"",
            "\"\\u0000\"",
        ]
    private static let lines = [
        "POST /Item", "PATCH /Item/1", "PUT /Item/2", "POST /Tag", "POST /Item/query",
        "POST /transactions", "PATCH /Item", "PUT /Item/1/parts", "POST /contexts",
        "POST /contexts/$CONTEXT/Item", "PATCH /contexts/$CONTEXT",
        "PATCH /Item/1\nContent-Type: application/json-patch+json",
        "PATCH /Item/1?mergePolicy=overwrite", "POST /contexts/$CONTEXT/refresh",
    ]

    init() throws { stage = try RequestStage() }

    func attempt(_ input: [UInt8]) throws {
        do {
            let document = try JSONDocument(input)
            try writesAgain(document)
        } catch let error as JSONError {
            try require(
                !error.message.isEmpty && (0...input.count).contains(error.position),
                "\(error) is beyond the text")
        }
        let body = String(decoding: input, as: UTF8.self)
        for line in Self.lines { try stage.ask("\(line)\n\n\(body)") }
    }

    /// What is written reads as the same.
    private func writesAgain(_ document: JSONDocument) throws {
        var first = ByteWriter()
        JSONValue(document.root).write(to: &first)
        let bytes = first.take()
        var second = ByteWriter()
        do { JSONValue(try JSONDocument(bytes).root).write(to: &second) } catch {
            throw FuzzFinding("the JSON that is written is not read: \(error)")
        }
        try require(second.take() == bytes, "the JSON that is written reads as another")
    }
}

/// Cursors, tokens of the history, keys and numbers in addresses.
struct TokenTarget: FuzzTarget {
    private let stage: RequestStage
    /// A cursor up to its values: the version and the query's fingerprint.
    private let head: [UInt8]
    let seeds: [[UInt8]]
    let words = RequestSeeds.words + ["\u{0}", "\u{1}", "\u{3}", "\u{5}", "\u{6}", "-", "t1", "x"]

    init() throws {
        stage = try RequestStage()
        let cursor = Base64.decode(stage.cursor, urlSafe: true) ?? []
        head = Array(cursor.prefix(9))
        seeds =
            [Array(cursor.dropFirst(9))]
            + FuzzText.bytes([
                "$TOKEN", "$CURSOR", "0", "7f3a09c1-128", "0123abcd-9.x.8", "t1", "1", "0", "42",
                "$CONTEXT", "\"1-abc\"", "bytes=0-1", "9223372036854775807",
            ])
    }

    func attempt(_ input: [UInt8]) throws {
        let text = String(decoding: input, as: UTF8.self).filter { !$0.isNewline }
        let cursor = Base64.encodeURLSafe(head + input)
        for request in [
            "GET /Item?sort=-price,name[c],born&after=\(cursor)", "GET /Item?after=\(text)",
            "GET /changes?since=\(text)", "GET /changes?since=$TOKEN&limit=\(text)",
            "GET /changes\nAccept: text/event-stream\nLast-Event-ID: \(text)",
            "GET /live?q.a=/Item\nLast-Event-ID: \(text)", "DELETE /changes?before=\(text)",
            "GET /Item/\(text)", "GET /Item/1/parts/\(text)", "GET /contexts/$CONTEXT/Item/\(text)",
            "GET /contexts/\(text)", "GET /Item?limit=\(text)", "GET /Item?offset=\(text)",
            "POST /Item/1/parts?at=\(text)\n\n2", "GET /Item/1/bytes\nRange: \(text)",
            "PATCH /Item/1\nIf-Match: \(text)\n\n{\"small\":1}",
            "GET /Item?where=small > $N&var.N=\(text)", "GET /Item?where=price IN $N&var.N=\(text)",
            "GET /Item?where=born > $N&var.N=\(text)",
            "GET /fetch/above?var.MIN=\(text)&var.NAME=x",
        ] { try stage.ask(request) }
    }
}
