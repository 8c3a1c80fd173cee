/// `stele serve` as a user runs it: three lines, a clean end, one sentence for what is wrong.

import Foundation
import TestSupport
import Testing

@Suite struct ServeTests {
    private let world = samplePath("World")
    private let league =
        samplePath("League")

    private func folder() throws -> String {
        let path = try temporaryFile("")
        return String(path.dropLast("/file".count))
    }

    @Test func withoutAModelItServesTheSampleAndEndsCleanly() throws {
        let folder = try folder()
        let program = try Program(
            ["serve", "--port", "0"], environment: ["TMPDIR": folder])
        let lines = program.lines(3)
        let caller = try Caller(lines)
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("League, 2 entities"))
        #expect(lines[2] == "try: curl http://127.0.0.1:\(caller.port)/Team")
        #expect(try caller.call("GET", "/Team/1").contains("\"_entity\":\"Team\""))
        #expect(try caller.call("GET", "/Player/count").hasSuffix("{\"count\":21}"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 2)
        let health = try Program.run("health", "http://127.0.0.1:\(caller.port)")
        #expect(health.status == 0 && health.output == "ready\n")
        let stream = try StreamCaller(caller, "/changes")
        program.signal(SIGTERM)
        #expect(!stream.wait { _ in false })
        // The last chunk: the stream ended, and was not cut off.
        #expect(stream.text.hasSuffix("0\r\n\r\n"))
        let (status, _) = program.end()
        #expect(status == 0 && program.text.split(separator: "\n").count == 3)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["file"])
        let gone = try Program.run("health", "http://127.0.0.1:\(caller.port)")
        #expect(gone.status == 1 && gone.errors.split(separator: "\n").count == 1)
    }

    @Test(
        "The image and the systemd unit set the allocator's tunables that the documentation names")
    func setsTheAllocatorsTunable() throws {
        for file in ["Dockerfile", "Config/stele.service", "Docs/Operations.md"] {
            let text = try String(
                contentsOf: packageRoot.appendingPathComponent(file), encoding: .utf8)
            let tunables = "glibc.malloc.tcache_count=64:glibc.malloc.tcache_max=384"
            #expect(text.contains("GLIBC_TUNABLES=\(tunables)"), "\(file)")
        }
    }

    @Test func streamsTellTheSameAndResumeAfterAKill() throws {
        let folder = try folder()
        let arguments = ["serve", league, "--port", "0"]
        let first = try Program(arguments, folder: folder)
        let caller = try Caller(first.lines(3))
        _ = try caller.call("POST", "/Team", "{\"name\":\"Crew\"}")
        let one = try StreamCaller(caller, "/changes")
        let two = try StreamCaller(caller, "/changes")
        _ = try caller.call("PATCH", "/Team/1", "{\"city\":\"Leith\"}")
        #expect(one.wait { $0.contains("data: ") && $0.hasSuffix("\n\n\r\n") })
        #expect(two.wait { $0.contains("data: ") && $0.hasSuffix("\n\n\r\n") })
        #expect(one.events == two.events && one.events.count == 1)
        let id = try #require(one.events.first?.split(separator: "\n").first?.dropFirst(4))
        for number in 1...3 {
            _ = try caller.call("PATCH", "/Team/1", "{\"founded\":\(1900 + number)}")
        }
        first.signal(SIGKILL)
        _ = first.end()
        let second = try Program(arguments, folder: folder)
        let again = try Caller(second.lines(3))
        let third = try StreamCaller(again, "/changes?values=true", lastEventID: String(id))
        #expect(third.wait { $0.contains("\"founded\":1903") && $0.hasSuffix("\n\n\r\n") })
        #expect(third.events.count == 3)
        for (index, event) in third.events.enumerated() {
            // Each object as it was after its own save.
            #expect(event.contains("\"_version\":\(index + 3),\"city\":\"Leith\""))
            #expect(event.contains("\"founded\":\(1901 + index)"))
        }
        second.signal(SIGINT)
        #expect(second.end().status == 0)
    }

    @Test func whatIsWrongIsOneSentenceAndStatusOne() throws {
        let folder = try folder()
        let busy = try Program(["serve", "--port", "0"])
        let port = try Caller(busy.lines(3)).port
        let noStore = try temporaryFile("this is no database, and long enough to be looked at")
        let broken = try temporaryFile("<model><entity/></model>", name: "contents")
        let made = try Program.run("import", world, "--store", "w.sqlite", folder: folder)
        #expect(made.status == 64)
        let empty = try temporaryFile("", name: "city.ndjson")
        _ = try Program.run("import", world, empty, "--store", "w.sqlite", folder: folder)
        let cases: [([String], String)] = [
            (["serve", "--port", "\(port)"], "port \(port)"),
            (["serve", world, "--store", noStore], "database"),
            (["serve", league, "--store", "/nope/x.sqlite"], "folder /nope does not exist"),
            (["serve", noStore], "it is not a model: a .xcdatamodeld"),
            (["import", world, "nope.ndjson", "--store", "n.sqlite"], "no such file"),
            (["serve", broken], "contents"),
            (["serve", "/nonexistent.xcdatamodeld"], "/nonexistent.xcdatamodeld"),
            (["serve", "--store", "w.sqlite"], "model"),
            (["serve", "--host", "0.0.0.0"], "--token"),
            (["serve", "--host", "no.such.host.invalid", "--insecure"], "no.such.host.invalid"),
            (["serve", "--config", "none.yaml"], "none.yaml"),
            (["model", "/nonexistent"], "/nonexistent"),
        ]
        for (arguments, word) in cases {
            let program = try Program(arguments, folder: folder)
            let (status, errors) = program.end()
            #expect(status == 1, "\(arguments)")
            #expect(errors.hasPrefix("stele: ") && errors.contains(word), "\(errors)")
            #expect(errors.split(separator: "\n").count == 1, "\(errors)")
            #expect(program.text.isEmpty)
        }
        // A store of another model.
        let (status, errors) = try Program(
            ["serve", league, "--store", "w.sqlite"], folder: folder
        ).end()
        #expect(status == 1)
        #expect(
            errors.hasPrefix(
                "stele: w.sqlite: the store is of another model: none of its entities is one of "
                    + "League"), "\(errors)")
        busy.signal(SIGTERM)
        #expect(busy.end().status == 0)
    }

    @Test func mistakesInTheCommandLineAreStatus64() throws {
        for arguments in [
            ["serve", "--prot", "1"], ["serve", "a", "b"], ["frobnicate"], ["model"],
            ["model", "--json", "--xml", "x"], ["import", "m", "f"],
            ["import", "m", "f", "--store", "s", "--key", "City"],
            ["serve", "--port", "abc"], ["serve", "--port", "70000"], ["serve", "--drain", "long"],
            ["serve", "--log-level", "loud"], ["serve", "--base-path", "api"],
            ["health", "--port", "abc"],
        ] {
            let program = try Program(arguments)
            #expect(program.end().status == 64, "\(arguments)")
        }
    }

    /// A value of the environment or a file is no mistake in the command line.
    @Test func aSettingOfTheEnvironmentIsStatusOne() throws {
        let found = try Program.run("serve", environment: ["STELE_PORT": "abc"])
        #expect(found.status == 1 && found.errors.hasPrefix("stele: port must be"), "\(found)")
    }

    @Test func aPortInUseLeavesNoStoreBehind() throws {
        let busy = try Program(["serve", "--port", "0"])
        let port = try Caller(busy.lines(3)).port
        let folder = try folder()
        let before = try FileManager.default.contentsOfDirectory(atPath: folder)
        let found = try Program.run(
            "serve", league, "--store", "new.sqlite", "--port", "\(port)", folder: folder)
        #expect(found.status == 1 && found.errors.contains("port \(port)"), "\(found)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == before)
        busy.signal(SIGTERM)
        #expect(busy.end().status == 0)
    }

    /// The superuser may write everywhere, so the program runs as another user there.
    @Test func aStoreThatCannotBeWrittenIsNamed() throws {
        let folder = try folder()
        func run(_ store: String) throws -> (status: Int32, errors: String) {
            let arguments = ["serve", league, "--port", "0", "--store", store]
            let program =
                getuid() == 0
                ? try Program(
                    ["--reuid=65534", "--regid=65534", "--clear-groups", Program.path] + arguments,
                    file: "/usr/bin/setpriv")
                : try Program(arguments)
            return program.end()
        }
        try #"{"name":"Reds"}"#.write(
            toFile: folder + "/team.ndjson", atomically: true, encoding: .utf8)
        let made = try Program.run(
            "import", league, folder + "/team.ndjson", "--store", folder + "/old.sqlite")
        #expect(made.status == 0, "\(made)")
        #expect(chmod(folder + "/old.sqlite", 0o444) == 0)
        #expect(chmod(folder, 0o777) == 0)
        let old = try run(folder + "/old.sqlite")
        #expect(
            old.status == 1
                && old.errors.hasPrefix("stele: \(folder)/old.sqlite cannot be written: "),
            "\(old.errors)")
        #expect(chmod(folder, 0o555) == 0)
        defer { chmod(folder, 0o755) }
        let new = try run(folder + "/new.sqlite")
        #expect(
            new.status == 1
                && new.errors
                    == "stele: \(folder)/new.sqlite cannot be opened: Permission denied\n",
            "\(new.errors)")
    }

    @Test func aModelThatAsksForMoreIsRefusedByName() throws {
        let stash = samplePath("Stash")
        let (status, _, errors) = try Program.run("serve", stash, "--port", "0")
        #expect(
            status == 1
                && errors.hasPrefix("stele: Stash uses features that are not supported yet:"))
        #expect(errors.contains("\n  - "))
    }

    @Test func aRequestOfTheModelThatCannotBeEvaluatedIsRefusedByName() throws {
        let text = """
            {"name": "M", "entities": [{"name": "A",
              "attributes": [{"name": "n", "type": "Integer 64"}],
              "fetchedProperties": [
                {"name": "f", "fetchRequest": {"name": "q", "entity": "A", "predicate": "m > 3"}}]}],
             "fetchRequests": [
               {"name": "t", "entity": "A", "predicate": "n > $LEAST AND m == 1"}]}
            """
        let model = try temporaryFile(text, name: "M.json")
        for arguments in [
            ["model", model], ["model", "swift", model], ["serve", model, "--port", "0"],
        ] {
            let (status, errors) = try Program(arguments).end()
            #expect(status == 1, "\(arguments)")
            #expect(errors.contains("A.f: its predicate m > 3"), "\(arguments): \(errors)")
            #expect(errors.contains("fetch request t: its predicate n > $LEAST AND m == 1"))
        }
    }

    @Test(arguments: ["--json", "--xml"])
    func aModelsOtherFormsAreModels(form: String) throws {
        let (status, output, _) = try Program.run("model", league, form)
        #expect(status == 0)
        let copy = try temporaryFile(output, name: form == "--json" ? "League.json" : "contents")
        let (again, text, _) = try Program.run("model", copy, form)
        #expect(again == 0 && text == output)
    }
}
