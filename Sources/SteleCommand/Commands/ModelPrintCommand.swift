/// `stele model print`, or `stele model`: the model as Stele reads it.

import ArgumentParser
import SteleJSON
import SteleModel
import SteleModelFiles
import StelePredicates

/// Prints a model as text, JSON or XML.
struct ModelPrintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print", abstract: "Print a model as Stele reads it.",
        discussion: """
            Stele reads the JSON form as it reads Xcode's. The exit status is 1 where the model is \
            not valid, and 0 where it only uses features that are not supported yet.
            """)

    @Argument(help: ModelArgument.help)
    var model: String

    @Flag(help: "Print the current version as JSON.")
    var json = false

    @Flag(help: "Print the current version as Xcode's contents file.")
    var xml = false

    func validate() throws {
        if json, xml { throw ValidationError("use --json or --xml, not both") }
    }

    func run() throws {
        try Failure.reporting {
            try Transformers.registerFromEnvironment()
            let file = try ModelFile.given(model)
            if json {
                var writer = ByteWriter(capacity: 4096)
                file.current.json().write(to: &writer)
                writer.raw("\n")
                write(writer.bytes, to: 1)
            } else if xml {
                write(file.current.xml(), to: 1)
            } else {
                write(file.summary, to: 1)
            }
            try file.model().checkRequests()
        }
    }
}
