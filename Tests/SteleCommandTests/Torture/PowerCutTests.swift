// What the power cuts themselves do: a check that cannot fail would prove nothing. And the order in
// which the service writes, syncs and answers.

import Foundation
import SteleDifferential
import TestSupport
import Testing

@Suite(.enabled(if: PreloadedLibrary.compiler != nil, "there is no C compiler"))
struct PowerCutTests {
    private var numbers = SeededNumbers(seed: 1)

    /// A folder, and what loses its power.
    private func place() throws -> (folder: TemporaryFolder, power: PowerCut) {
        let folder = try TemporaryFolder()
        return (folder, try PowerCut(folder.path))
    }

    private func run(_ command: String, _ power: PowerCut) throws {
        let program = try Program(
            ["-c", command], environment: try power.environment(), file: "/bin/sh")
        let (status, errors) = program.end()
        try #require(status == 0, "\(errors)")
    }

    @Test mutating func whatIsNotSyncedIsLost() throws {
        let (folder, power) = try place()
        let path = try folder.write(String(repeating: "a", count: 10_000), to: "file")
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let input = try temporaryFile(String(repeating: "b", count: 20_000))
        try run(
            "dd if=\(input) of=\(path) bs=3000 count=3 seek=2 conv=notrunc 2>/dev/null", power)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == 15_000)
        try power.cut(.all, &numbers)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        // A file that is emptied first.
        try run("dd if=\(input) of=\(path) bs=3000 count=1 2>/dev/null", power)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == 3_000)
        try power.cut(.all, &numbers)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(power.counts.lost == 5)
    }

    @Test mutating func whatIsSyncedIsKept() throws {
        let (folder, power) = try place()
        let path = try folder.write(String(repeating: "a", count: 10_000), to: "file")
        let input = try temporaryFile(String(repeating: "b", count: 20_000))
        let options = "bs=4000 seek=1 conv=notrunc,fdatasync 2>/dev/null"
        try run("dd if=\(input) of=\(path) \(options)", power)
        let after = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(after.count == 24_000)
        // Only what came after the sync is lost.
        try run("dd if=\(input) of=\(path) bs=100 count=1 conv=notrunc 2>/dev/null", power)
        try power.cut(.all, &numbers)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == after)
    }

    /// A new file is there for certain when its folder is synced, too.
    @Test mutating func aNewFileNeedsItsFolder() throws {
        let (folder, power) = try place()
        let made = "dd if=/dev/zero of=\(folder.path)/new bs=100 count=1 conv=fsync 2>/dev/null"
        try run(made, power)
        try power.cut(.all, &numbers)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/new"))
        try run("\(made) && sync \(folder.path)", power)
        try power.cut(.all, &numbers)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/new")).count == 100)
    }

    @Test mutating func aSeedLosesSomePieces() throws {
        let (folder, power) = try place()
        let path = try folder.write(String(repeating: "a", count: 4_096 * 64), to: "file")
        let input = try temporaryFile(String(repeating: "b", count: 4_096 * 64))
        try run("dd if=\(input) of=\(path) bs=64K conv=notrunc 2>/dev/null", power)
        try power.cut(.some, &numbers)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(bytes.count == 4_096 * 64)
        #expect(power.counts.lost > 10 && power.counts.kept > 10 && power.counts.torn > 0)
        let kept = bytes.count { $0 == UInt8(ascii: "b") }
        #expect(kept > 4_096 * 10 && kept < 4_096 * power.counts.kept)
    }

    // MARK: The service

    private func serve(
        _ folder: TemporaryFolder, _ power: PowerCut, traced: Bool = false, lies: Bool = false
    ) throws -> (server: Program, caller: Caller) {
        let model = try temporaryFile(FeedFilter.model, name: "Staff.json")
        let server = try Program(
            ["serve", model, "--store", folder.store, "--port", "0", "--log-level", "warning"],
            environment: try power.environment(traced: traced, lies: lies))
        return (server, try Caller(server.lines(3)))
    }

    /// On a disk whose syncs do nothing, answered saves are lost: the torture would find that.
    @Test(arguments: [false, true])
    mutating func anAnsweredSaveIsThereIfSyncsAreNoLies(_ lies: Bool) throws {
        let (folder, power) = try place()
        var (server, caller) = try serve(folder, power)
        #expect(caller.ask("POST", "/Team", "{\"name\":\"first\"}")?.status == 201)
        server.signal(SIGTERM)
        #expect(server.end().status == 0)
        (server, caller) = try serve(folder, power, lies: lies)
        for _ in 0..<20 {
            #expect(caller.ask("POST", "/Team", "{\"name\":\"more\"}")?.status == 201)
        }
        server.signal(SIGKILL)
        #expect(server.end().status == SIGKILL)
        try power.cut(.all, &numbers)
        (server, caller) = try serve(folder, power)
        #expect(caller.ask("GET", "/Team/count")?.body == "{\"count\":\(lies ? 1 : 21)}")
        server.signal(SIGTERM)
        #expect(server.end().status == 0)
    }

    /// Before the answer to a write is sent, all that the service has written to the log of the
    /// store is on the disk.
    @Test func theLogIsSyncedBeforeTheAnswer() throws {
        let (folder, power) = try place()
        let (server, caller) = try serve(folder, power, traced: true)
        let writes = [
            ("POST", "/Team", "{\"name\":\"Reds\"}"), ("PATCH", "/Team/1", "{\"city\":\"Rome\"}"),
            ("POST", "/Person", "[{\"name\":\"Ann\",\"team\":1},{\"name\":\"Bo\"}]"),
            ("PUT", "/Person/1/team", "null"), ("POST", "/Team/1/members", "[2]"),
            (
                "POST", "/transactions",
                "[{\"op\":\"insert\",\"entity\":\"Person\",\"values\":{\"name\":\"Cy\"}}]"
            ),
            ("PATCH", "/Person?where=name%20%3D%3D%20%22Bo%22", "{\"age\":5}"),
            ("DELETE", "/Person/1", nil),
        ]
        var before = 0
        for round in 0..<5 {
            for (method, path, body) in writes
            where round == 0 || method == "POST" && path != "/Team/1/members" {
                let answer = try #require(caller.ask(method, path, body))
                #expect((200..<300).contains(answer.status), "\(method) \(path): \(answer.body)")
                let lines = try String(contentsOfFile: power.trace, encoding: .utf8)
                    .split(separator: "\n").map(String.init)
                let own = lines[before...].map { $0.split(separator: " ") }
                before = lines.count
                let answered = try #require(own.firstIndex { $0[1] == "answer" })
                let written = own[..<answered].lastIndex {
                    $0[1] == "write" && $0[2].hasSuffix(".sqlite-wal")
                }
                let last = try #require(written, "\(method) \(path) writes nothing")
                let synced = own[last..<answered].contains {
                    $0[1] == "sync" && $0[2].hasSuffix(".sqlite-wal")
                }
                #expect(synced, "\(method) \(path) is answered before the sync: \(own)")
                if round == 0 {
                    let shown = own[max(0, last - 1)...answered].map { $0.joined(separator: " ") }
                    print("\(method) \(path)\n  " + shown.joined(separator: "\n  "))
                }
            }
        }
        server.signal(SIGTERM)
        #expect(server.end().status == 0)
    }
}
