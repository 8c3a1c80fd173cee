// `--read-only`, as a user runs it: requests are answered, writes are refused, and the folder of
// the store stays as it was.

import Foundation
import TestSupport
import Testing

@Suite struct ReadOnlyServeTests {
    private let folder: TemporaryFolder
    private let league = samplePath("League")

    init() throws { folder = try TemporaryFolder() }

    private func serve(
        _ arguments: [String], _ ask: (Caller) throws -> Void
    ) throws -> String {
        let program = try Program(["serve"] + arguments + ["--port", "0"], folder: folder.path)
        try ask(Caller(program.lines(3)))
        program.signal(SIGTERM)
        let (status, errors) = program.end()
        #expect(status == 0)
        return errors
    }

    private func make(_ store: String, _ meanwhile: (Caller) throws -> Void = { _ in }) throws {
        _ = try serve([league, "--store", store]) { caller in
            let teams = #"[{"name":"Reds","players":[{"name":"Ann"}]},{"name":"Blues"}]"#
            #expect(caller.ask("POST", "/Team", teams)?.status == 201)
            try meanwhile(caller)
        }
    }

    /// Asks a service that only reads.
    private func check(_ caller: Caller, _ store: String, hasHistory: Bool) throws {
        #expect(caller.ask("GET", "/Team?sort=name")?.body.contains("Reds") == true)
        #expect(caller.ask("GET", "/Team/1/players")?.body.contains("Ann") == true)
        #expect(caller.ask("GET", "/readyz")?.status == 200)
        #expect(caller.ask("GET", "/metadata")?.status == 200)
        let saves = try #require(caller.ask("GET", "/changes")?.json as? [Any])
        #expect(saves.count == (hasHistory ? 1 : 0))
        let stream = try StreamCaller(caller, "/changes")
        withExtendedLifetime(stream) {}
        let made = try caller.call("POST", "/contexts")
        let line = made.components(separatedBy: "\r\n").first { $0.hasPrefix("Location: ") }
        let context = String(try #require(line, "\(made)").dropFirst("Location: ".count))
        #expect(caller.ask("POST", context + "/Team", #"{"name":"Greens"}"#)?.status == 201)
        let writes: [(String, String, String?)] = [
            ("POST", "/Team", #"{"name":"Greens"}"#),
            ("PATCH", "/Team/1", #"{"name":"Greens"}"#),
            ("PUT", "/Team/1", #"{"name":"Greens"}"#), ("DELETE", "/Player/1", nil),
            // Whatever else is wrong with a write, the store is only read.
            ("PATCH", "/Team/1", #"{"name":null}"#), ("DELETE", "/Team/99", nil),
            ("PATCH", "/metadata", #"{"release":3}"#),
            ("POST", context + "/save", nil),
        ]
        for (method, path, body) in writes {
            let answer = caller.ask(method, path, body)
            #expect(answer?.status == 403, "\(store) \(method) \(path): \(answer?.body ?? "")")
            #expect(answer?.body.contains(#""code":"store.read-only""#) == true)
        }
    }

    @Test(arguments: ["s.sqlite", "s.xml", "s.binary", "s.text"])
    func aStoreIsServedAsItIs(_ store: String) throws {
        try make(store)
        let before = try FolderState(folder.path)
        let errors = try serve([league, "--store", store, "--read-only"]) {
            try check($0, store, hasHistory: store == "s.sqlite")
            #expect(try FolderState(folder.path) == before)
        }
        let notice =
            store == "s.sqlite"
            ? "read-only: no other program may change the file" : "read-only: what other programs"
        #expect(errors.contains(notice), "\(errors)")
        #expect(!errors.contains(" error "), "\(errors)")
        #expect(try FolderState(folder.path) == before)
        let seen = try Program.run("inspect", store, "--model", league, folder: folder.path)
        #expect(seen.status == 0 && seen.output.contains("Team"), "\(seen.output)\(seen.errors)")
        let exported = try Program.run(
            "export", league, "--store", store, "--read-only", folder: folder.path)
        #expect(exported.status == 0 && exported.output.contains("Ann"), "\(exported.errors)")
        #expect(try FolderState(folder.path) == before)
    }

    /// The store is open in another service, with its saves in the log.
    @Test func aStoreInUseIsServedFromACopy() throws {
        let place = try TemporaryFolder()
        try make("s.sqlite") { _ in
            // The other service notes its own readers in the index of the log.
            let before = try FolderState(folder.path, except: "-shm")
            #expect(before.names.contains("s.sqlite-wal"))
            let arguments = ["serve", league, "--store", "s.sqlite", "--read-only", "--port", "0"]
            let environment = ["TMPDIR": place.path]
            for signal in [SIGKILL, SIGTERM] {
                let program = try Program(
                    arguments, environment: environment, folder: folder.path)
                let caller = try Caller(program.lines(3))
                let copies = try FileManager.default.contentsOfDirectory(atPath: place.path)
                #expect(copies.count == 1, "the copy of a killed service is removed")
                if signal == SIGTERM { try check(caller, "s.sqlite", hasHistory: true) }
                program.signal(signal)
                _ = program.end()
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == [])
            let seen = try Program.run(
                "inspect", "s.sqlite", "--model", league, folder: folder.path)
            #expect(seen.status == 0, "\(seen.output)\(seen.errors)")
            #expect(try FolderState(folder.path, except: "-shm") == before)
        }
    }

    /// Another user may read the store and its folder, and write neither.
    @Test(.enabled(if: geteuid() == 0, "only the superuser can run a program as another user"))
    func aStoreWithoutWritePermissionIsServed() throws {
        try make("s.sqlite") { _ in
            for endings in [["-wal"], ["-wal", "-shm"]] {
                let place = try TemporaryFolder()
                for ending in [""] + endings {
                    let file = place.path + "/s.sqlite" + ending
                    try FileManager.default.copyItem(
                        atPath: folder.path + "/s.sqlite" + ending, toPath: file)
                    chmod(file, 0o444)
                }
                chmod(place.path, 0o555)
                let before = try FolderState(place.path)
                func program(_ options: [String]) throws -> Program {
                    try Program(
                        [
                            "--reuid", "65534", "--regid", "65534", "--clear-groups", Program.path,
                            "serve", league, "--store", place.path + "/s.sqlite", "--port", "0",
                        ] + options, file: "/usr/bin/setpriv")
                }
                let refused = try program([]).end()
                #expect(refused.status == 1 && refused.errors.contains("--read-only"))
                #expect(try FolderState(place.path) == before)
                let server = try program(["--read-only"])
                let caller = try Caller(server.lines(3))
                #expect(caller.ask("GET", "/Team?sort=name")?.body.contains("Reds") == true)
                #expect(caller.ask("DELETE", "/changes?before=0")?.status == 403)
                server.signal(SIGTERM)
                #expect(server.end().status == 0)
                #expect(try FolderState(place.path) == before)
                chmod(place.path, 0o755)
            }
        }
    }

    @Test func whatCannotBeReadOnlyIsRefused() throws {
        try make("s.sqlite")
        let before = try FolderState(folder.path)
        let refused: [([String], String)] = [
            (["--store", ":memory:"], "read-only needs a file"),
            (["--store", "none.sqlite"], "is not created"),
            (["--store", "none.xml"], "is not created"),
            (["--store", "s.sqlite", "--migrate"], "migrate writes to the store"),
            (["--store", "s.sqlite", "--seeds", "."], "seeds write to the store"),
        ]
        for (arguments, text) in refused {
            let program = try Program(
                ["serve", league, "--read-only", "--port", "0"] + arguments, folder: folder.path)
            let (status, errors) = program.end()
            #expect(status != 0 && errors.contains(text), "\(arguments): \(errors)")
        }
        let sample = try Program.run("serve", "--read-only", "--port", "0", folder: folder.path)
        #expect(sample.status == 1 && sample.errors.contains("read-only needs a store"))
        #expect(try FolderState(folder.path) == before)
    }

    @Test func aConversionToWALIsTold() throws {
        try make("s.sqlite")
        try RawDatabase(folder.path + "/s.sqlite").run("PRAGMA journal_mode = DELETE")
        for isFirst in [true, false] {
            let errors = try serve([league, "--store", "s.sqlite"]) { _ in }
            #expect(errors.contains("is converted to WAL") == isFirst)
        }
    }

    @Test(.enabled(if: sharedFolder != nil, "the shared data is not here"))
    func storesOfAppsAreServedAsTheyAre() throws {
        let data = try #require(sharedFolder).path + "/data/coredata/"
        for file in [
            "moody/Moody.moody", "moody/Moody 5.moody", "sample/Fixtures/SampleModel_V1.sqlite",
            "sample/Fixtures/SampleModel_V2.sqlite", "sample2/Fixtures/SampleModel2_V2.sqlite",
        ] {
            let place = try TemporaryFolder()
            let path = place.path + "/app.sqlite"
            try FileManager.default.copyItem(atPath: data + file, toPath: path)
            let before = try FolderState(place.path)
            _ = try serve([path, "--read-only"]) { caller in
                let about = try #require(caller.ask("GET", "/")?.json as? [String: Any])
                let entities = try #require(about["entities"] as? [[String: Any]])
                for entity in entities {
                    let name = try #require(entity["href"] as? String)
                    #expect(caller.ask("GET", name)?.status == 200, "\(file) \(name)")
                }
                #expect(caller.ask("GET", "/changes")?.status == 200, "\(file)")
                #expect(caller.ask("PATCH", "/metadata", #"{"a":1}"#)?.status == 403, "\(file)")
            }
            let seen = try Program.run("inspect", path)
            #expect(seen.status == 0, "\(file): \(seen.output)\(seen.errors)")
            #expect(try FolderState(place.path) == before, "\(file)")
        }
    }
}
