/// `stele model contents`: the source of a model.

import ArgumentParser
import SteleModel
import SteleModelFiles

/// Writes a model as Xcode's source.
struct ModelContentsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contents", abstract: "Write a model as Xcode's source.",
        discussion: """
            It finds a lost model again: a compiled model and most stores of Core Data have all of \
            it but what only the editor keeps. Without --output the current version is printed; \
            with it all versions are written as a new .xcdatamodeld.

              stele model contents App.sqlite --output App.xcdatamodeld
            """)

    @Argument(help: ModelArgument.help)
    var model: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The .xcdatamodeld to write; it must not exist.", valueName: "folder"))
    var output: String?

    func run() throws {
        try Failure.reporting {
            let file = try ModelFile.given(model)
            if let output {
                guard ModelPath(output).path.hasSuffix(".xcdatamodeld") else {
                    throw Failure("\(output): the name of the folder must end in .xcdatamodeld")
                }
                try file.writeSource(to: output)
            } else {
                write(file.current.xml(), to: 1)
            }
            for note in file.notes { printError("stele: \(note)") }
            for note in file.current.unwritable { printError("stele: \(note)") }
        }
    }
}
