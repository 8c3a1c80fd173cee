// A store whose file is removed or replaced while a service has it open.

import Foundation
import TestSupport
import Testing

@Suite struct GoneStoreTests {
    private let folder: TemporaryFolder
    private let program: Program
    private let caller: Caller

    init() throws {
        folder = try TemporaryFolder()
        program = try Program(
            [
                "serve", samplePath("League"), "--store", "s.sqlite", "--port", "0",
                "--backups", "kept",
            ], folder: folder.path)
        caller = try Caller(program.lines(3))
        let made = try caller.call("POST", "/Team", #"{"name":"Reds"}"#)
        try #require(made.contains(" 201 "), "\(made)")
    }

    private func path(_ name: String) -> String { folder.path + "/" + name }

    /// Ends the service, and returns its log.
    @discardableResult
    private func end() -> String {
        program.signal(SIGTERM)
        return program.end().errors
    }

    /// Nothing is answered as saved that would be lost.
    @Test(arguments: ["s.sqlite", "s.sqlite-wal"])
    func aRemovedFileIsNotWritten(_ name: String) throws {
        defer {
            let log = end()
            // Not for each request.
            #expect(log.components(separatedBy: "saves are refused").count == 2, "\(log)")
            #expect(log.contains("saves succeed again"), "\(log)")
        }
        try FileManager.default.moveItem(atPath: path(name), toPath: path("elsewhere"))
        let refused = try caller.call("POST", "/Team", #"{"name":"Blues"}"#)
        #expect(refused.contains(" 503 ") && refused.contains("store.gone"), "\(refused)")
        #expect(refused.contains("\(name) is gone"), "\(refused)")
        let ready = try caller.call("GET", "/readyz")
        #expect(ready.contains(" 503 ") && ready.contains("store.gone"), "\(ready)")
        #expect(try caller.call("GET", "/healthz").contains(" 200 "))
        let list = try caller.call("GET", "/Team")
        #expect(list.contains("Reds") && !list.contains("Blues"), "\(list)")
        // It goes on where the file is back.
        try FileManager.default.moveItem(atPath: path("elsewhere"), toPath: path(name))
        #expect(try caller.call("GET", "/readyz").contains(" 200 "))
        #expect(try caller.call("POST", "/Team", #"{"name":"Blues"}"#).contains(" 201 "))
    }

    /// The path of the store is for clients with a token.
    @Test(arguments: [[], ["--rights", "rights.json"]])
    func aHealthCheckWithoutATokenIsToldLittle(_ more: [String]) throws {
        try folder.write(
            #"{"roles": {"guest": {"Team": {"read": true}}}, "anonymous": "guest"}"#,
            to: "rights.json")
        let program = try Program(
            [
                "serve", samplePath("League"), "--store", "other.sqlite", "--port", "0", "--token",
                "right",
            ] + more, folder: folder.path)
        defer {
            end()
            program.signal(SIGTERM)
            _ = program.end()
        }
        let caller = try Caller(program.lines(3))
        #expect(try caller.call("GET", "/readyz").contains(" 200 "))
        try FileManager.default.moveItem(atPath: path("other.sqlite"), toPath: path("elsewhere"))
        let told = try caller.call("GET", "/readyz")
        #expect(told.contains(" 503 ") && told.contains("store.gone"), "\(told)")
        #expect(!told.contains("other.sqlite"), "\(told)")
        let more = try caller.call(
            "GET", "/readyz", headers: ["Authorization: Bearer right"])
        #expect(more.contains("other.sqlite is gone"), "\(more)")
    }

    /// No answer is of the other file.
    @Test func anotherFileInItsPlaceIsNotRead() throws {
        defer { end() }
        let run = try Program.run(
            "import", samplePath("League"), "--store", "other.sqlite", "other.ndjson",
            folder: try folderWithOther())
        try #require(run.status == 0, "\(run.errors)")
        for ending in ["", "-wal", "-shm"] {
            try FileManager.default.removeItem(atPath: path("s.sqlite" + ending))
        }
        try FileManager.default.moveItem(
            atPath: path("other.sqlite"), toPath: path("s.sqlite"))
        let refused = try caller.call("DELETE", "/Team/1")
        #expect(refused.contains("s.sqlite is another file"), "\(refused)")
        let backup = try caller.call("POST", "/backup")
        #expect(backup.contains(" 503 ") && backup.contains("store.gone"), "\(backup)")
        // More at once than there are open connections.
        let crew = Crew<String>()
        for _ in 0..<40 {
            crew.start { [caller] in
                (try? caller.call("GET", "/Team?format=ndjson")) ?? "no answer"
            }
        }
        for answer in crew.reported() {
            #expect(!answer.contains("Others"), "\(answer)")
            #expect(answer.contains("Reds") || answer.contains("store.gone"), "\(answer)")
        }
    }

    private func folderWithOther() throws -> String {
        try folder.write(#"{"_entity":"Team","name":"Others"}"# + "\n", to: "other.ndjson")
        return folder.path
    }
}
