// What a target imports without naming it is built, but not built anew when only that has changed.

import Foundation
import TestSupport
import Testing

@Suite struct PackageTests {
    @Test func everyTargetNamesWhatItImports() throws {
        let targets = Self.targets(
            of: try String(
                contentsOf: packageRoot.appending(path: "Package.swift"), encoding: .utf8))
        #expect(targets.count > 30)
        let ours = Set(targets.map(\.name) + targets.flatMap(\.dependencies))
        for target in targets {
            let imported = try Self.imports(of: packageRoot.appending(path: target.path))
            let unnamed = imported.intersection(ours).subtracting(target.dependencies)
            #expect(unnamed.isEmpty, "\(target.name) lacks \(unnamed.sorted())")
            let idle = Set(target.dependencies).subtracting(imported)
            #expect(idle.isEmpty, "\(target.name) does not import \(idle.sorted())")
        }
    }

    @Test func eachPackageIsDescribedWithItsVersionAndLicence() throws {
        let package = try String(
            contentsOf: packageRoot.appending(path: "Package.swift"), encoding: .utf8)
        let page = try String(
            contentsOf: packageRoot.appending(path: "Docs/Dependencies.md"), encoding: .utf8)
        let packages = package.matches(
            of: /url: "[^"]*\/([a-z-]+)"/)
        let versions = package.matches(of: /from: "([0-9.]+)"/)
        #expect(packages.count == versions.count && versions.count >= 5)
        for version in versions {
            let row = page.split(separator: "\n").first {
                $0.hasPrefix("| [") && $0.contains("| \(version.output.1) or newer")
            }
            // The columns are name, version, licence and source.
            let licence = row?.split(separator: "|").dropFirst(2).first
            let isKnown = licence.map { $0.contains("Apache 2.0") || $0.contains("MIT") } ?? false
            #expect(isKnown, "\(version.output.1)")
        }
        for name in packages.map(\.output.1) {
            #expect(page.contains("| [\(name)](#"), "\(name)")
            #expect(page.contains("## \(name)"), "\(name)")
        }
    }

    @Test func whatATargetNamesIsRead() throws {
        let targets = Self.targets(
            of: """
                let package = Package(
                    targets: [
                        .systemLibrary(name: "CThing"),
                        .target(name: "One", dependencies: ["CThing"], swiftSettings: settings),
                        .testTarget(
                            name: "OneTests",
                            dependencies: ["One", .product(name: "Logging", package: "swift-log")],
                            path: "Tests/Else", exclude: ["Golden"]),
                    ])
                """)
        #expect(targets.map(\.name) == ["CThing", "One", "OneTests"])
        #expect(targets.map(\.dependencies) == [[], ["CThing"], ["One", "Logging"]])
        #expect(targets.map(\.path) == ["Sources/CThing", "Sources/One", "Tests/Else"])
    }

    private struct Target {
        let name: String
        let dependencies: [String]
        let path: String
    }

    /// Each is from one word like `.target(` to the next.
    private static func targets(of manifest: String) -> [Target] {
        let start = /\.(systemLibrary|target|executableTarget|testTarget)\(/
        let starts = manifest.matches(of: start)
        let ends = starts.dropFirst().map(\.range.lowerBound) + [manifest.endIndex]
        return zip(starts, ends).compactMap { start, end in
            let text = manifest[start.range.upperBound..<end]
            guard let name = text.firstMatch(of: /name: "([^"]+)"/)?.1 else { return nil }
            // A product's name comes before its package's, which is no module.
            let named = text.firstMatch(of: /dependencies: \[([^\]]*)\]/)?.1 ?? ""
            let modules = named.replacing(/package: "[^"]*"/, with: "").matches(of: /"([^"]+)"/)
            let folder = start.1 == "testTarget" ? "Tests" : "Sources"
            let path = text.firstMatch(of: /path: "([^"]+)"/)?.1 ?? "\(folder)/\(name)"
            return Target(
                name: String(name), dependencies: modules.map { String($0.1) }, path: String(path))
        }
    }

    private static func imports(of folder: URL) throws -> Set<String> {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var found: Set<String> = []
        for case let file as URL in try #require(files) where file.pathExtension == "swift" {
            let source = try String(contentsOf: file, encoding: .utf8)
            let line =
                /^\s*(?:(?:@\w+|public|package|internal) )?import (?:(?:struct|class|enum|func|protocol) )?(\w+)/
            for match in source.matches(of: line.anchorsMatchLineEndings()) {
                found.insert(String(match.1))
            }
        }
        return found
    }
}
