// What is generated compiles, under Swift 6 with all its checks.

import Foundation
import SteleModel
import SteleModelFiles
import TestSupport
import Testing

@testable import SteleCodegen

/// The compiler, and the modules that these tests were built with.
struct Compiler {
    private let program: String
    private let arguments: [String]

    /// Nil where there is none in PATH, or where the modules do not lie beside the tests.
    init?() {
        let paths = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        guard
            let found = paths.map({ "\($0)/swiftc" })
                .first(where: FileManager.default.isExecutableFile)
        else { return nil }
        guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        else { return nil }
        // The test bundle itself, or a helper of the toolchain that was given its path.
        let candidates = [own] + CommandLine.arguments
        let modules = candidates.map {
            URL(fileURLWithPath: $0).deletingLastPathComponent().appendingPathComponent("Modules")
        }
        .first {
            FileManager.default.fileExists(
                atPath: $0.appendingPathComponent("Stele.swiftmodule").path)
        }
        guard let modules else { return nil }
        program = found
        var arguments = [
            "-typecheck", "-swift-version", "6", "-strict-concurrency=complete",
            "-warnings-as-errors", "-I", modules.path,
        ]
        for name in [
            "CExpat", "CGnuTLS", "CJansson", "CLinux", "CMicroHTTPD", "CSQLite", "CZlib",
        ] {
            arguments += ["-I", packageRoot.appendingPathComponent("Sources/\(name)").path]
        }
        // Those of targets with C sources, whose module maps the build makes.
        for name in ["CBuild", "CPage"] {
            let made = modules.deletingLastPathComponent()
                .appendingPathComponent("\(name).build/module.modulemap")
            arguments += ["-Xcc", "-fmodule-map-file=\(made.path)"]
        }
        self.arguments = arguments
    }

    /// What the compiler says to the files; nothing where they compile.
    func complaints(_ files: [SwiftFile], _ options: [String] = []) throws -> String {
        let folder = try TemporaryFolder()
        for file in files {
            try Data(file.text.utf8).write(to: folder.url.appendingPathComponent(file.name))
        }
        let said = folder.url.appendingPathComponent("complaints")
        try #require(FileManager.default.createFile(atPath: said.path, contents: nil))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.currentDirectoryURL = folder.url
        process.arguments = arguments + options + ["-module-name", "Generated"] + files.map(\.name)
        let output = try FileHandle(forWritingTo: said)
        process.standardOutput = output
        process.standardError = output
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus == 0 { return "" }
        return try String(contentsOf: said, encoding: .utf8)
            + "\nstatus \(process.terminationStatus)"
    }
}

@Suite(.enabled(if: Compiler() != nil, "no swiftc in PATH, or no modules beside the tests"))
struct CompilingTests {
    @Test(arguments: Sample.allCases)
    func everySample(_ sample: Sample) throws {
        let compiler = try #require(Compiler())
        let complaints = try compiler.complaints(SwiftGenerator(sample.file()).files())
        #expect(complaints.isEmpty, "\(complaints)")
    }

    /// Programs choose these; the last is the mode of older ones.
    @Test(
        arguments: [
            "ExistentialAny", "InferIsolatedConformances", "InternalImportsByDefault",
            "MemberImportVisibility", "NonisolatedNonsendingByDefault",
        ].map { ["-enable-upcoming-feature", $0] } + [
            ["-default-isolation", "MainActor"], ["-swift-version", "5"],
        ])
    func eachModeOfTheLanguage(options: [String]) throws {
        let compiler = try #require(Compiler())
        for model in [try Sample.Recipes.file(), ModelFile(try HardModel.model().declaration)] {
            let file = try SwiftGenerator(model).combined()
            let said = try compiler.complaints([file], options)
            #expect(said.isEmpty, "\(model.name): \(said)")
            let complaints = try compiler.complaints(SwiftGenerator(model).files(), options)
            #expect(complaints.isEmpty, "\(complaints)")
        }
    }

    /// Code beside the classes uses them; that of another module does not see internal ones.
    @Test(arguments: AccessLevel.allCases)
    func eachAccessLevel(_ access: AccessLevel) throws {
        let compiler = try #require(Compiler())
        for model in [try Sample.Recipes.file(), ModelFile(try HardModel.model().declaration)] {
            let generator = try SwiftGenerator(model, access: access)
            let own = SwiftFile(name: "Own.swift", text: "import Stele\nlet own: Value = .null\n")
            for options in [[], ["-enable-upcoming-feature", "InternalImportsByDefault"]] {
                let said = try compiler.complaints(
                    generator.files() + [own], options + ["-package-name", "app"])
                #expect(said.isEmpty, "\(model.name): \(said)")
            }
            let levels = Set(
                generator.combined().text.matches(of: #/(?m)^ *(open|public|package) /#).map {
                    $0.1
                })
            let expected: Set<Substring> =
                switch access {
                case .internal: []
                case .package: ["package"]
                case .public: ["public", "open"]
                }
            #expect(levels.isSubset(of: expected) && levels.isEmpty == expected.isEmpty)
        }
    }

    /// Printed as one file it is Swift as well.
    @Test func allInOneFile() throws {
        let compiler = try #require(Compiler())
        let file = SwiftFile(name: "All.swift", text: try code(Sample.World.file()))
        let complaints = try compiler.complaints([file])
        #expect(complaints.isEmpty, "\(complaints)")
    }

    @Test func entitiesThatShareAClass() throws {
        let compiler = try #require(Compiler())
        let generator = try SwiftGenerator(SharedClass.model())
        let own = SwiftFile(
            name: "Own.swift",
            text: """
                import Stele

                func count(_ added: Added, _ removed: Removed) -> Int64 {
                    (added.count ?? 0) + Int64(removed.count ?? 0) + (removed.added?.count ?? 0)
                }
                """)
        let complaints = try compiler.complaints(generator.files() + [own])
        #expect(complaints.isEmpty, "\(complaints)")
    }

    @Test func whateverAModelCallsThings() throws {
        let compiler = try #require(Compiler())
        let complaints = try compiler.complaints(SwiftGenerator(HardModel.model()).files())
        #expect(complaints.isEmpty, "\(complaints)")
    }

    @Test func theExampleOfThePage() throws {
        let compiler = try #require(Compiler())
        let blocks = try packageText("Docs/GeneratedSwift.md").components(separatedBy: "```swift\n")
            .dropFirst().map { $0.components(separatedBy: "```")[0] }
        #expect(blocks.count >= 2)
        let body = blocks.joined(separator: "\n").split(separator: "\n").map { "    \($0)\n" }
        let example = SwiftFile(
            name: "Example.swift",
            text: """
                import Stele
                import StelePersistence

                func example(store: any PersistentStore) throws {
                \(body.joined())}
                """)
        let files = try SwiftGenerator(Sample.League.file()).files() + [example]
        let complaints = try compiler.complaints(files)
        #expect(complaints.isEmpty, "\(complaints)")
    }

    /// The code of `Docs/OwnServer.md`: a class, a program, a transformer and a function.
    @Test func theServiceOfOnesOwn() throws {
        let compiler = try #require(Compiler())
        let blocks = try packageText("Docs/OwnServer.md").components(separatedBy: "```swift\n")
            .dropFirst().map { $0.components(separatedBy: "```")[0] }
        try #require(blocks.count == 4)
        var declaration = try Sample.Tasks.model().declaration
        for index in declaration.entities.indices where declaration.entities[index].name == "Task" {
            declaration.entities[index].codeGenerationType = .category
        }
        let generated = try SwiftGenerator(try Model(declaration)).files()
        let files =
            generated + [
                SwiftFile(name: "Task.swift", text: blocks[0]),
                SwiftFile(name: "main.swift", text: blocks[1...].joined(separator: "\n")),
            ]
        let complaints = try compiler.complaints(files)
        #expect(complaints.isEmpty, "\(complaints)")
    }

    /// A text, one that a literal would end, and a file that is no text.
    @Test func mappingModels() throws {
        let compiler = try #require(Compiler())
        var file = try Sample.League.file()
        let contents = [
            Array(#"{"a": "\(1) #", "b": 2}"#.utf8), Array(#"{"a": """"}"#.utf8), [0, 255],
        ]
        file.embeddedMappings = contents.enumerated().map {
            EmbeddedMapping("m\($0).cdm", bytes: $1)
        }
        let files = try SwiftGenerator(file).files()
        let check = SwiftFile(
            name: "main.swift",
            text: "print(LeagueModel.embedded.file.embeddedMappings.map(\\.bytes.count))")
        let complaints = try compiler.complaints(files + [check])
        #expect(complaints.isEmpty, "\(complaints)")
        let model = try #require(files.first { $0.name == "LeagueModel.swift" }).text
        #expect(model.contains(##"            {"a": "\(1) #", "b": 2}"##))
        #expect(model.contains(#"base64: "AP8=""#) && model.contains(#"base64: "eyJh"#))
    }

    /// A class that is the user's own finds its properties written.
    @Test func classesWrittenByHand() throws {
        let compiler = try #require(Compiler())
        let generator = try SwiftGenerator(HandWritten.model())
        let own = SwiftFile(
            name: "Own.swift",
            text: """
                import Stele

                class Animal: ManagedObject {
                    func call() -> String { name ?? "" }
                }
                final class Cat: Animal {}
                """)
        let complaints = try compiler.complaints(generator.files() + [own])
        #expect(complaints.isEmpty, "\(complaints)")
        #expect(try compiler.complaints(generator.files()).contains("cannot find type 'Animal'"))
    }
}
