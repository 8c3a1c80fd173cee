// The page in a real browser: runs the tests of Tests/Page, where Chromium and playwright are there.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct PageInBrowserTests {
    private static let folder = packageRoot.appendingPathComponent("Tests/Page")

    /// A Python that has playwright: that of `Tests/Page/install.sh`, or the system's.
    private static let python: String? = {
        let own = packageRoot.appendingPathComponent(".build/page/bin/python").path
        return [own, "/usr/bin/python3"].first { path in
            FileManager.default.isExecutableFile(atPath: path)
                && run(path, ["-c", "import playwright, axe_playwright_python"]).status == 0
        }
    }()

    private static let chromium = [
        "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome",
    ].first { FileManager.default.isExecutableFile(atPath: $0) }

    /// The modules of tests.
    private static let modules: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasPrefix("test_") && $0.hasSuffix(".py") }
            .map { String($0.dropLast(3)) }.sorted()
    }()

    @Test(
        .enabled(
            if: chromium != nil && python != nil,
            "no Chromium or no playwright is here: Tests/Page/install.sh installs them"),
        arguments: modules)
    func thePageInABrowser(_ module: String) throws {
        let python = try #require(Self.python)
        let result = Self.run(python, ["-m", "unittest", "-v", module])
        print(result.text.split(separator: "\n").suffix(3).joined(separator: "\n"))
        #expect(result.status == 0, "\(result.text)")
    }

    @Test func thereAreModulesOfTests() { #expect(Self.modules.count > 3) }

    private static func run(_ path: String, _ arguments: [String]) -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        var environment = ProcessInfo.processInfo.environment
        environment["STELE"] = Program.path
        environment["CHROMIUM"] = chromium
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        do { try process.run() } catch { return (-1, "\(error)") }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
