/// Editing contexts over a socket: a drawing as a drawing program edits it.

import Foundation
import SteleJSON
import TestSupport
import Testing

@Suite struct EditingServeTests {
    private func body(_ answer: String) -> String {
        answer.components(separatedBy: "\r\n\r\n").dropFirst().joined(separator: "\r\n\r\n")
    }

    private func json(_ answer: String) throws -> JSONValue {
        JSONValue(try JSONDocument(Array(body(answer).utf8)).root)
    }

    /// A new context's address.
    private func context(_ caller: Caller) throws -> String {
        let made = try caller.call("POST", "/contexts")
        try #require(made.hasPrefix("HTTP/1.1 201"), "\(made)")
        let line = made.components(separatedBy: "\r\n").first { $0.hasPrefix("Location: ") }
        return String(try #require(line).dropFirst("Location: ".count))
    }

    @Test func aDrawingIsEditedTakenBackAndSaved() throws {
        let folder = String(try temporaryFile("").dropLast("/file".count))
        let arguments = ["serve", drawingPath, "--port", "0", "--context-objects", "50"]
        let first = try Program(arguments, folder: folder)
        var caller = try Caller(first.lines(3))
        let scratch = try context(caller)
        // Create.
        let drawn = try caller.call(
            "POST", "\(scratch)/Canvas",
            """
            {"name":"Page","width":100,"shapes":[{"_entity":"Circle","name":"sun","x":10,"y":10},
             {"_entity":"Polygon","name":"tent","vertices":[{"x":0},{"x":5,"y":9},{"x":10}],
              "transform":{"rotation":45}}]}
            """)
        #expect(drawn.hasPrefix("HTTP/1.1 201") && drawn.contains(#""_id":"t1""#), "\(drawn)")
        #expect(try caller.call("GET", "/Shape/count").hasSuffix(#"{"count":0}"#))
        // Move, undo, redo.
        let circle = try json(
            caller.call("GET", "\(scratch)/Circle?where=name==%22sun%22&select=_id,x"))
        guard case .array(let found) = circle, case .string(let sun)? = found.first?["_id"] else {
            Issue.record("\(circle)")
            return
        }
        for x in [20, 30] {
            #expect(
                try json(caller.call("PATCH", "\(scratch)/Circle/\(sun)", #"{"x":\#(x)}"#))["x"]
                    == .integer(Int64(x)))
        }
        func x() throws -> JSONValue? {
            try json(caller.call("GET", "\(scratch)/Circle/\(sun)"))["x"]
        }
        #expect(try caller.call("POST", "\(scratch)/undo").hasPrefix("HTTP/1.1 200"))
        #expect(try x() == 20)
        #expect(try caller.call("POST", "\(scratch)/undo").hasPrefix("HTTP/1.1 200"))
        #expect(try x() == 10)
        #expect(try caller.call("POST", "\(scratch)/redo").hasPrefix("HTTP/1.1 200"))
        #expect(try x() == 20)
        // Delete with its cascade, and undo of it.
        #expect(try caller.call("DELETE", "\(scratch)/Canvas/t1").hasPrefix("HTTP/1.1 204"))
        for entity in ["Shape", "Vertex", "Transform"] {
            #expect(try caller.call("GET", "\(scratch)/\(entity)/count").hasSuffix(#"{"count":0}"#))
        }
        #expect(try caller.call("POST", "\(scratch)/undo").hasPrefix("HTTP/1.1 200"))
        let order = try caller.call("GET", "\(scratch)/Canvas/t1/shapes?select=name")
        #expect(order.hasSuffix(#"[{"name":"sun"},{"name":"tent"}]"#), "\(order)")
        #expect(try caller.call("GET", "\(scratch)/Vertex/count").hasSuffix(#"{"count":3}"#))
        // Save, and delete what is saved, with undo.
        let saved = try caller.call("POST", "\(scratch)/save")
        #expect(try json(saved)["ids"]?["t1"]?["_id"] == 1, "\(saved)")
        let stored = try caller.call("GET", "/Canvas/1/shapes?select=name,transform.rotation")
        #expect(
            stored.hasSuffix(
                #"[{"name":"sun","transform.rotation":null},{"name":"tent","transform.rotation":45}]"#
            ),
            "\(stored)")
        func key(_ temporary: String) throws -> Int64 {
            guard case .integer(let key)? = try json(saved)["ids"]?[temporary]?["_id"] else {
                return 0
            }
            return key
        }
        let tent = try key("t3")
        #expect(try caller.call("DELETE", "\(scratch)/Polygon/\(tent)").hasPrefix("HTTP/1.1 204"))
        #expect(try caller.call("POST", "\(scratch)/save").hasPrefix("HTTP/1.1 200"))
        #expect(try caller.call("GET", "/Vertex/count").hasSuffix(#"{"count":0}"#))
        #expect(try caller.call("POST", "\(scratch)/undo").hasPrefix("HTTP/1.1 200"))
        #expect(try caller.call("POST", "\(scratch)/save").hasPrefix("HTTP/1.1 200"))
        #expect(
            try caller.call("GET", "/Polygon/\(tent)/vertices?select=x").hasSuffix(
                #"[{"x":0},{"x":5},{"x":10}]"#))
        // Bounds by settings, from the flag to the answer.
        let many = Array(repeating: "{}", count: 51).joined(separator: ",")
        let full = try caller.call("POST", "\(scratch)/Vertex", "[\(many)]")
        #expect(full.hasPrefix("HTTP/1.1 422") && full.contains("context.full"), "\(full)")
        #expect(try caller.call("POST", "\(scratch)/Vertex", "{}").hasPrefix("HTTP/1.1 201"))
        first.signal(SIGTERM)
        #expect(first.end().status == 0)
        // What was not saved ends with the server.
        let second = try Program(arguments, folder: folder)
        caller = try Caller(second.lines(3))
        #expect(try caller.call("GET", "\(scratch)").contains("context.unknown"))
        #expect(try caller.call("GET", "/Vertex/count").hasSuffix(#"{"count":3}"#))
        #expect(try caller.call("GET", "/Circle/\(key(sun))").contains(#""x":20"#))
        second.signal(SIGTERM)
        _ = second.end()
    }

    @Test func manyConnectionsTakeTurns() throws {
        let program = try Program(
            ["serve", drawingPath, "--port", "0", "--contexts", "3"],
            folder: String(try temporaryFile("").dropLast("/file".count)))
        defer {
            program.signal(SIGTERM)
            _ = program.end()
        }
        let caller = try Caller(program.lines(3))
        let scratch = try context(caller)
        let bad = Bad()
        DispatchQueue.concurrentPerform(iterations: 8) { worker in
            for round in 0..<10 {
                let answers = [
                    try? caller.call(
                        "POST", "\(scratch)/Vertex", #"{"x":\#(worker),"y":\#(round)}"#),
                    try? caller.call("GET", "\(scratch)/Vertex?sort=-x&limit=3"),
                    try? caller.call("POST", "\(scratch)/save"),
                ]
                for answer in answers where answer?.hasPrefix("HTTP/1.1 20") != true {
                    bad.add(answer ?? "no answer")
                }
            }
        }
        #expect(bad.all.isEmpty, "\(bad.all.prefix(3))")
        #expect(try caller.call("GET", "/Vertex/count").hasSuffix(#"{"count":80}"#))
        for _ in 0..<2 { _ = try context(caller) }
        let full = try caller.call("POST", "/contexts")
        #expect(full.hasPrefix("HTTP/1.1 429") && full.contains("Retry-After: "), "\(full)")
    }

    /// What went wrong, from any thread.
    private final class Bad: @unchecked Sendable {
        private let lock = NSLock()
        private var found: [String] = []

        func add(_ one: String) { lock.withLock { found.append(one) } }
        var all: [String] { lock.withLock { found } }
    }
}
