// Roles and tokens, as a user sets them up.

import Foundation
import TestSupport
import Testing

@Suite struct RightsServeTests {
    private let folder: TemporaryFolder
    private let league = samplePath("League")

    init() throws { folder = try TemporaryFolder() }

    /// A token and its line for the file.
    private func token(_ name: String, _ more: String...) throws -> (token: String, line: String) {
        let made = try Program.run(["token", name] + more, folder: folder.path)
        let lines = made.output.split(separator: "\n").map(String.init)
        try #require(made.status == 0 && lines.count == 2, "\(made.errors)")
        return (lines[0], lines[1])
    }

    @Test(arguments: ["token", "anonymous", "jwt:ann"])
    func aNameThatTheServiceRefusesGetsNoToken(_ name: String) throws {
        let run = try Program.run("token", name, "--role", "fan", folder: folder.path)
        #expect(run.status == 1 && run.output.isEmpty, "\(run.output)")
        #expect(run.errors.contains("choose another"), "\(run.errors)")
    }

    @Test func aTokenHasTheRightsOfItsRole() throws {
        let fan = try token("ann", "--role", "fan", "--user", "Reds")
        let all = try token("root", "--role", "all")
        #expect(fan.token.count == 64 && fan.token != all.token && !fan.line.contains(fan.token))
        try folder.write(
            """
            {"roles": {"fan": {"Team": {"read": "name == $USER"}, "Player": {"read": true}}},
             "tokens": [\(fan.line), \(all.line)]}
            """, to: "rights.json")
        let program = try Program(
            ["serve", league, "--store", "s.sqlite", "--rights", "rights.json", "--port", "0"],
            folder: folder.path)
        let caller = try Caller(program.lines(3))
        func ask(_ method: String, _ path: String, _ token: String?, _ body: String = "") -> String
        {
            let headers = token.map { ["Authorization: Bearer \($0)"] } ?? []
            return (try? caller.call(method, path, body, headers: headers)) ?? ""
        }
        #expect(ask("GET", "/Team", nil).contains(" 401 "))
        #expect(ask("GET", "/healthz", nil).contains(" 200 "))
        let teams = #"[{"name":"Reds"},{"name":"Blues"}]"#
        #expect(ask("POST", "/Team", fan.token, teams).contains(" 403 "))
        #expect(ask("POST", "/Team", all.token, teams).contains(" 201 "))
        let seen = ask("GET", "/Team", fan.token)
        #expect(seen.contains("Reds") && !seen.contains("Blues"), "\(seen)")
        #expect(ask("GET", "/Team/2", fan.token).contains(" 404 "))
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    @Test(arguments: [
        ("none.json", "", "none.json cannot be read"), ("r.json", "{", "r.json: it is not JSON"),
        (
            "r.json", #"{"roles": {"a": {"Tem": {"read": true}}}}"#,
            "the model League has no entity Tem (did you mean Team?)"
        ),
    ])
    func aFileThatIsWrongIsNamed(_ name: String, _ text: String, _ message: String) throws {
        if !text.isEmpty { try folder.write(text, to: name) }
        for check in [[], ["--check"]] {
            let run = try Program.run(
                ["serve", league, "--store", "s.sqlite", "--rights", name, "--port", "0"] + check,
                folder: folder.path)
            #expect(run.status == 1 && run.errors.contains(message), "\(run.errors)")
        }
    }

    /// Beside a service with the same settings, and without a store.
    @Test func settingsAreCheckedWithoutAStart() throws {
        try folder.write(
            #"{"roles": {"fan": {"Team": {"read": true}}}, "anonymous": "fan"}"#, to: "r.json")
        let program = try Program(
            ["serve", league, "--store", "s.sqlite", "--rights", "r.json", "--port", "0"],
            folder: folder.path)
        let port = try Caller(program.lines(3)).port
        let run = try Program.run(
            "serve", league, "--store", "other.sqlite", "--rights", "r.json", "--port", "\(port)",
            "--check", folder: folder.path)
        #expect(run.status == 0 && run.output.contains("are valid"), "\(run)")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/other.sqlite"))
        let sample = try Program.run("serve", "--check", folder: folder.path)
        #expect(sample.status == 0, "\(sample)")
        let wrong = try Program.run("serve", "--store", "s.sqlite", "--check", folder: folder.path)
        #expect(wrong.status == 1 && wrong.errors.contains("without a model"), "\(wrong)")
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }
}
