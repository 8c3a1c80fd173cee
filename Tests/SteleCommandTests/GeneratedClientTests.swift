// Clients that others generate of /openapi.json work: Tests/OpenAPI/clients.py makes, compiles and
// uses one of each generator that is here.

import Foundation
import TestSupport
import Testing

@Suite struct GeneratedClientTests {
    @Test(.client("python")) func python() throws { try use("python") }
    @Test(.client("typescript-fetch")) func typeScript() throws { try use("typescript-fetch") }
    @Test(.client("go")) func go() throws { try use("go") }
    @Test(.client("java")) func java() throws { try use("java") }
    @Test(.client("swift6")) func swift() throws { try use("swift6") }
    @Test(.client("openapi-python-client")) func openAPIPythonClient() throws {
        try use("openapi-python-client")
    }
    @Test(.client("aiopenapi3")) func aiopenapi3() throws { try use("aiopenapi3") }
    @Test(.client("datamodel-code-generator")) func datamodelCodeGenerator() throws {
        try use("datamodel-code-generator")
    }

    /// The table of the page has the versions that `make clients` installs.
    @Test func thePageHasTheVersions() throws {
        let page = try packageText("Docs/Clients.md")
        let pins = try packageText("Tests/OpenAPI/requirements.txt").split(separator: "\n")
            .map { $0.split(separator: "==") }.filter { $0.count == 2 }
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| [") }
        #expect(rows.count == 8)
        for row in rows {
            let pin = pins.first { pin in
                row.contains(pin[0].replacing("generator-cli", with: "generator"))
            }
            let version = try #require(pin?[1], "\(row)")
            #expect(row.contains("| \(version) |"), "\(row)")
        }
        for match in page.matches(of: /install ([a-z0-9-]+)==([0-9.]+)/) {
            #expect(pins.contains { $0[0] == match.1 && $0[1] == match.2 }, "\(match.0)")
        }
    }

    /// Makes the client, and has it create, read, list, change and delete objects.
    private func use(_ generator: String) throws {
        try withFolder { folder in
            let server = try Program(
                ["serve", samplePath("League"), "--store", ":memory:", "--port", "0"],
                folder: folder.path)
            defer {
                server.signal(SIGKILL)
                _ = server.end()
            }
            let address = "http://127.0.0.1:\(try Caller(server.lines(3)).port)"
            let (status, text) = try Clients.run([generator, folder.path, address])
            #expect(status == 0, "\(text)")
        }
    }
}

/// The script that makes clients.
private enum Clients {
    /// What `make clients` installs, else the Python of the machine.
    static let python: String? = {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let own = packageRoot.appendingPathComponent(".build/clients/bin/python").path
        return ([own] + path.map { "\($0)/python3" }).first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }()

    /// What a generator lacks here; nil for one that can be used.
    static func missing(for generator: String) -> String? {
        if python == nil { return "python3" }
        guard let lacking else { return "a python3 that executes Tests/OpenAPI/clients.py" }
        return lacking[generator]
    }

    /// What each generator lacks here, by its name; nil if the script does not say it.
    private static let lacking: [String: String]? = {
        guard let (status, text) = try? run(["--missing"]), status == 0 else { return nil }
        let lines = text.split(separator: "\n").compactMap { line -> (String, String)? in
            let parts = line.split(separator: ": ", maxSplits: 1)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        return Dictionary(lines) { first, _ in first }
    }()

    /// Runs the script to its end.
    static func run(_ arguments: [String]) throws -> (status: Int32, text: String) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: try #require(python))
        let script = packageRoot.appendingPathComponent("Tests/OpenAPI/clients.py").path
        process.arguments = [script] + arguments
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test whose generator, or the compiler of its language, is not here in its version.
    fileprivate static func client(_ name: String) -> Self {
        let missing = Clients.missing(for: name)
        return .enabled(
            if: missing == nil,
            "\(name) lacks \(missing ?? ""): make clients, and Docs/Clients.md")
    }
}
