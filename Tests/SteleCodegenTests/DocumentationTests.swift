// The catalogue of the library's reference: its code is that of the guides, and DocC builds it.

import Foundation
import TestSupport
import Testing

@Suite struct DocumentationTests {
    private static let catalogue = "Sources/Stele/Stele.docc"

    /// DocC, which lies beside the `swift` in PATH; nil where there is none.
    private static let docc: String? = {
        let files = FileManager.default
        let paths = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        guard
            let swift = paths.map({ "\($0)/swift" }).first(where: files.isExecutableFile)
        else { return nil }
        let docc = URL(fileURLWithPath: swift).resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("docc").path
        return files.isExecutableFile(atPath: docc) ? docc : nil
    }()

    /// The modules that these tests were built with; nil where they do not lie beside the tests.
    private static let modules: String? = {
        let files = FileManager.default
        let own = try? files.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        // The test bundle itself, or a helper of the toolchain that was given its path.
        let candidates = [own].compactMap { $0 } + CommandLine.arguments
        return candidates.map {
            URL(fileURLWithPath: $0).deletingLastPathComponent().appendingPathComponent("Modules")
                .path
        }
        .first { files.fileExists(atPath: "\($0)/Stele.swiftmodule") }
    }()

    /// The articles of the catalogue, by the names of their files.
    private func articles() throws -> [String: String] {
        let folder = packageRoot.appendingPathComponent(Self.catalogue).path
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".md") }
        var articles: [String: String] = [:]
        for name in names { articles[name] = try packageText("\(Self.catalogue)/\(name)") }
        return articles
    }

    @Test("Each code block stands in a guide, whose code is compiled by a test")
    func codeBlocks() throws {
        let guides = [try packageText("Docs/Library.md"), try packageText("Docs/OwnServer.md")]
        var count = 0
        for (name, text) in try articles() {
            let blocks = text.components(separatedBy: "```swift\n").dropFirst()
                .map { $0.components(separatedBy: "\n```")[0] }
            for block in blocks {
                let isInGuide = guides.contains { $0.contains("\n\(block)\n") }
                #expect(isInGuide, "\(name): \(block)")
            }
            let fences = text.split(separator: "\n").filter { $0.hasPrefix("```") }
            #expect(fences.count == 2 * blocks.count, "\(name) has code that is not Swift")
            count += blocks.count
        }
        #expect(count >= 10)
    }

    @Test("Each file that an article names exists")
    func namedFiles() throws {
        for (name, text) in try articles() {
            for match in text.matches(of: /`((?:Docs|Config)\/[^`]+)`/) {
                let path = packageRoot.appendingPathComponent(String(match.1)).path
                #expect(FileManager.default.fileExists(atPath: path), "\(name): \(match.1)")
            }
        }
    }

    @Test(
        "The reference is built without a warning",
        .enabled(
            if: docc != nil && modules != nil,
            "no docc beside swift in PATH, or no modules beside the tests"),
        .timeLimit(.minutes(30)))
    func build() throws {
        let modules = try #require(Self.modules)
        let folder = try TemporaryFolder()
        let output = folder.path + "/reference"
        let process = Process()
        process.executableURL = packageRoot.appendingPathComponent("Config/build-documentation.sh")
        process.arguments = [output]
        var environment = ProcessInfo.processInfo.environment
        environment["MODULES"] = modules
        process.environment = environment
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let said = String(
            decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(said)")
        let page = "\(output)/documentation/stele/index.html"
        #expect(FileManager.default.fileExists(atPath: page))
    }
}
