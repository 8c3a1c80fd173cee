/// `stele model swift`: a model's entities as Swift classes.

import ArgumentParser
import FoundationEssentials
import SteleCodegen
import SteleModel
import StelePredicates

/// Writes a class for each entity.
struct ModelSwiftCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swift", abstract: "Write Swift classes for a model's entities.",
        discussion: """
            One file a class, and one that registers them. Without a folder everything is printed; \
            it is one file of Swift, too. Into a folder only files are written that differ, and \
            none is replaced that stele has not written.

              stele model swift League.xcdatamodeld --output Sources/League
            """)

    @Argument(help: "The model: .xcdatamodeld, .xcdatamodel, contents, or the same as JSON.")
    var model: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The folder for the files; made where it is missing.", valueName: "folder"))
    var output: String?

    func run() throws {
        try Failure.reporting {
            let model = try ModelFile.read(model).model()
            try model.checkRequests()
            let generator = try SwiftGenerator(model)
            let files = generator.files()
            if let output {
                try Self.write(files, to: output)
            } else {
                stele.write(files.map(\.text).joined(separator: "\n"), to: 1)
            }
            for note in generator.notes() { printError("stele: \(note)") }
        }
    }

    /// All files or, where one is somebody else's, none.
    private static func write(_ files: [SwiftFile], to folder: String) throws {
        let place = URL(filePath: folder, directoryHint: .isDirectory)
        var different: [(url: URL, text: String)] = []
        for file in files {
            let url = place.appending(path: file.name)
            let text = try present(url)
            if text == file.text { continue }
            guard text == nil || text?.hasPrefix(SwiftFile.mark) == true else {
                throw Failure(
                    "\(folder)/\(file.name) is there already, and stele has not written it; "
                        + "move it, or give another --output")
            }
            different.append((url, file.text))
        }
        do {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            for (url, text) in different {
                try Data(text.utf8).write(to: url, options: .atomic)
                stele.write("\(folder)/\(url.lastPathComponent)\n", to: 1)
            }
        } catch { throw Failure("\(folder) cannot be written: \(error)") }
    }

    /// What the file has now; nil where there is none.
    private static func present(_ url: URL) throws -> String? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        do { return String(decoding: try Data(contentsOf: url), as: UTF8.self) } catch {
            throw Failure("\(url.path) cannot be read: \(error)")
        }
    }
}
