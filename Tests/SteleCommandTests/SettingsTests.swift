/// The settings: one table in code, file and documentation, and which layer wins.

import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import SteleCommand

@Suite struct SettingsTests {
    private func lines(_ path: String) throws -> [String] {
        try packageText(path)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test func theFileHasEverySettingWithItsDefaultAndMeaning() throws {
        let file = try lines("Config/stele.yaml")
        var expected: [String] = []
        for setting in Setting.all {
            let text = setting.defaultValue.map { $0.isEmpty ? "\"\"" : $0 }
            expected += [
                "", "# \(setting.meaning)",
                text.map { "\(setting.name): \($0)" } ?? "#\(setting.name):",
            ]
        }
        #expect(Array(file.drop { $0.hasPrefix("#") }) == expected + [""])
    }

    @Test func theHelpOfAnExportNamesTheFormatsThatAreWritten() {
        let help = ExportCommand.helpMessage(columns: 200)
        #expect(help.contains("(values: ndjson, json, csv)"), "\(help)")
    }

    @Test func aMisspeltVariableIsNamed() {
        let environment = [
            "STELE_TOKEN": "a", "STELE_TOKNE": "b", "STELE_CONFIG": "c", "STELE_SERVICE_HOST": "d",
            "HOME": "/",
        ]
        #expect(
            SettingSource.unknownVariables(in: environment) == [
                "the variable STELE_SERVICE_HOST is not a setting",
                "the variable STELE_TOKNE is not a setting: did you mean STELE_TOKEN?",
            ])
    }

    @Test func theDocumentationHasEverySettingWithItsDefaultAndMeaning() throws {
        let section = try lines("Docs/Operations.md").drop { $0 != "## Settings" }.dropFirst()
            .prefix { !$0.hasPrefix("## ") }
        let rows = section.filter { $0.hasPrefix("| `") }
        let expected = Setting.all.map { setting in
            let text = setting.defaultValue.map { $0.isEmpty ? "empty" : "`\($0)`" } ?? "none"
            return "| `\(setting.name)` | \(text) | \(setting.meaning) |"
        }
        #expect(rows == expected)
    }

    @Test(arguments: [
        ("allow-host", "https://api.example"), ("allow-host", "api.example:443"),
        ("allow-host", "*.example"), ("allow-host", "a.example b.example"),
        ("cors", "https://*.example"), ("cors", "app.example"),
    ])
    func aHostOrOriginThatNothingMatchesIsRefused(_ name: String, _ text: String) throws {
        let source = try SettingSource(flags: [name: text], file: nil, environment: [:])
        let error = #expect(throws: Failure.self) { try Settings(source) }
        #expect(error?.message.contains("\(name): ") == true, "\(error?.message ?? "")")
        #expect(error?.message.hasSuffix("not \(text)") == true, "\(error?.message ?? "")")
    }

    @Test func everySettingIsAFlag() throws {
        let help = ServeCommand.helpMessage(columns: 200)
        for setting in Setting.all where setting.name != "model" {
            #expect(help.contains("--\(setting.name)"), "\(setting.name)")
        }
        let given = try SettingFlags.parse(
            Setting.all.filter {
                ![
                    "model", "insecure", "migrate", "read-only", "request-log",
                    "strict-transformers",
                ]
                .contains($0.name)
            }
            .flatMap { ["--\($0.name)", "1"] } + [
                "--insecure", "--migrate", "--read-only", "--request-log", "--strict-transformers",
            ]
        ).given
        #expect(Set(given.keys).union(["model"]) == Set(Setting.all.map(\.name)))
    }

    @Test func theFileThatShipsIsTheDefaults() throws {
        let path = packageRoot.appendingPathComponent("Config/stele.yaml").path
        let file = try SettingSource(flags: [:], file: path, environment: [:])
        let none = try SettingSource(flags: [:], file: nil, environment: [:])
        for setting in Setting.all {
            #expect(file.text(setting.name) == none.text(setting.name))
        }
        #expect(try Settings(file).port == 8080)
    }

    @Test func flagsWinOverTheEnvironmentAndThatOverTheFile() throws {
        let path = try temporaryFile("port: 1\nhost: h1\nbase-path: /f\nallow-host: [a, b]\n")
        let source = try SettingSource(
            flags: ["port": "3"], file: path,
            environment: ["STELE_PORT": "2", "STELE_BASE_PATH": "/e", "STELE_HOST": ""])
        #expect(source.text("port") == "3")
        #expect(source.text("base-path") == "/e")
        #expect(source.text("host") == "127.0.0.1", "an empty variable means the default")
        #expect(source.text("allow-host") == "a,b")
        let named = try SettingSource(flags: [:], file: nil, environment: ["STELE_CONFIG": path])
        #expect(named.text("port") == "1")
    }

    @Test(arguments: [
        ["port": "abc"], ["port": "70000"], ["port": "-1"], ["heartbeat": "0"],
        ["base-path": "api"], ["base-path": "/api/"], ["base-path": "/a b"], ["insecure": "maybe"],
        ["log-level": "loud"], ["host": "0.0.0.0"], ["default-limit": "20000"],
        ["token": "a b"], ["body-limit": "0"],
    ])
    func aBadValueIsRefusedByName(flags: [String: String]) throws {
        let source = try SettingSource(flags: flags, file: nil, environment: [:])
        let error = #expect(throws: Failure.self) { try Settings(source) }
        let name = flags.keys.first ?? ""
        #expect(error?.message.contains(name == "host" ? "--token" : name) == true)
    }

    @Test func beyondThisMachineATokenOrAWordIsWanted() throws {
        for flags in [["host": "0.0.0.0", "token": "t"], ["host": "::", "insecure": "true"]] {
            let source = try SettingSource(flags: flags, file: nil, environment: [:])
            #expect(throws: Never.self) { try Settings(source) }
        }
        for host in ["localhost", "127.0.0.1", "127.1.2.3", "::1"] {
            let source = try SettingSource(flags: ["host": host], file: nil, environment: [:])
            #expect(try Settings(source).isLoopback)
        }
        let source = try SettingSource(
            flags: ["host": "127.evil.example", "insecure": "true"], file: nil, environment: [:])
        #expect(try !Settings(source).isLoopback)
    }

    @Test(arguments: [
        "prot: 1\n", "- 1\n", "port: [1\n", "just text\n", "port: {}\n", "port:\n  a: 1\n",
    ])
    func aFileThatIsNoneIsRefused(text: String) throws {
        let path = try temporaryFile(text)
        #expect(throws: Failure.self) {
            try SettingSource(flags: [:], file: path, environment: [:])
        }
        #expect(throws: Failure.self) {
            try SettingSource(flags: [:], file: path + ".none", environment: [:])
        }
    }

    @Test func aHealthChecksURLIsReadStrictly() throws {
        #expect(
            try HealthCheck.Place("http://127.0.0.1:9000")
                == HealthCheck.Place(host: "127.0.0.1", port: 9000, path: "/readyz"))
        #expect(
            try HealthCheck.Place("http://[::1]:9000/api/")
                == HealthCheck.Place(host: "[::1]", port: 9000, path: "/api/readyz"))
        #expect(
            try HealthCheck.Place("http://a.example/healthz")
                == HealthCheck.Place(host: "a.example", port: 80, path: "/healthz"))
        #expect(
            try HealthCheck.Place("localhost:8080")
                == HealthCheck.Place(host: "localhost", port: 8080, path: "/readyz"))
        #expect(
            try HealthCheck.Place("https://a.example", trusting: "a.pem")
                == HealthCheck.Place(
                    host: "a.example", port: 443, path: "/readyz",
                    trust: .system(and: "a.pem")))
        for url in ["ftp://a:80", "http://", "http://a:0", "http://a:x"] {
            #expect(throws: Failure.self) { try HealthCheck.Place(url) }
        }
    }
}

/// A file with that text; the system clears it away.
func temporaryFile(_ text: String, name: String? = nil) throws -> String {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("stele-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent(name ?? "file")
    try Data(text.utf8).write(to: file)
    return file.path
}
