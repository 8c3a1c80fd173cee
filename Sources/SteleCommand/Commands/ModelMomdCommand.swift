/// `stele model momd`: a model as Xcode compiles it.

import ArgumentParser
import SteleModel
import SteleModelFiles

/// Writes a compiled model.
struct ModelMomdCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "momd", abstract: "Write a compiled model.",
        discussion: """
            It writes a new .momd folder with a .mom for each version, in the form that Xcode's \
            compiler makes and apps with Core Data load. VersionInfo.plist has the version hashes \
            that are known from another .momd or from a store that Core Data made; only Core Data \
            computes others.

              stele model momd Shop.xcdatamodeld --output Shop.momd
            """)

    @Argument(help: ModelArgument.help)
    var model: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The .momd to write; it must not exist.", valueName: "folder"))
    var output: String

    @Flag(help: "Replace the .momd if it exists.")
    var replace = false

    func run() throws {
        try Failure.reporting {
            let file = try ModelFile.given(model)
            guard ModelPath(output).path.hasSuffix(".momd") else {
                throw Failure("\(output): the name of the folder must end in .momd")
            }
            let notes = try file.writeCompiled(to: output, replaces: replace)
            for note in file.notes + notes { printError("stele: \(note)") }
        }
    }
}
