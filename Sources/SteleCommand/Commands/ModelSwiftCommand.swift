/// `stele model swift`: Swift classes for a model's entities.

import ArgumentParser
import FoundationEssentials
import SteleCodegen
import SteleModel
import SteleModelFiles
import StelePredicates

extension AccessLevel: ExpressibleByArgument {}

/// Writes a class for each entity.
struct ModelSwiftCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swift", abstract: "Write Swift classes for a model's entities.",
        discussion: """
            It makes a file for each class, and one that registers the classes. Without a folder \
            they are printed as one file of Swift. In a folder only files that differ are written, \
            and a file that stele has not written is never replaced.

              stele model swift League.xcdatamodeld --output Sources/League
            """)

    @Argument(help: ModelArgument.help)
    var model: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The folder for the files; created where it is missing.", valueName: "folder"))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "The access level of the classes: public, package or internal.", valueName: "level"))
    var accessLevel = AccessLevel.public

    func run() throws {
        try Failure.reporting {
            var file = try ModelFile.given(model)
            if let path = file.path {
                file.embeddedMappings = try MappingSearch(model: path).embedded()
            }
            let model = try file.model()
            try model.checkRequests()
            let generator = try SwiftGenerator(file, access: accessLevel)
            if let output {
                try Self.write(generator.files(), to: output)
            } else {
                SteleCommand.write(generator.combined().text, to: 1)
            }
            for note in generator.notes() { printError("stele: \(note)") }
        }
    }

    /// Writes all files; none where stele has not written one that is there.
    private static func write(_ files: [SwiftFile], to folder: String) throws {
        let place = URL(filePath: folder, directoryHint: .isDirectory)
        var different: [(url: URL, text: String)] = []
        for file in files {
            let url = place.appending(path: file.name)
            let text = try present(url)
            if text == file.text { continue }
            guard text == nil || text?.hasPrefix(SwiftFile.mark) == true else {
                throw Failure(
                    "\(folder)/\(file.name) exists, and stele has not written it; "
                        + "move it, or give another --output")
            }
            different.append((url, file.text))
        }
        do {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            for (url, text) in different {
                try Data(text.utf8).write(to: url, options: .atomic)
                SteleCommand.write("\(folder)/\(url.lastPathComponent)\n", to: 1)
            }
        } catch { throw Failure("\(folder) cannot be written: \(error)") }
    }

    /// The file's text; nil where there is no file.
    private static func present(_ url: URL) throws -> String? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        do { return String(decoding: try Data(contentsOf: url), as: UTF8.self) } catch {
            throw Failure("\(url.path) cannot be read: \(error)")
        }
    }
}
