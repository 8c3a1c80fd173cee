/// `stele model print`, or just `stele model`: what was understood of a model.

import ArgumentParser
import SteleJSON
import SteleModel
import StelePredicates

/// Prints a model as text, JSON or XML.
struct ModelPrintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print", abstract: "Print what was understood of a model.",
        discussion: """
            The JSON form is a model, too: stele reads it as it reads Xcode's. The exit status is \
            1 where the model cannot be, and 0 where only something of it does not work yet.
            """)

    @Argument(help: "The model: .xcdatamodeld, .xcdatamodel, contents, or the same as JSON.")
    var model: String

    @Flag(help: "Print the current version as JSON.")
    var json = false

    @Flag(help: "Print the current version as Xcode's contents file.")
    var xml = false

    func validate() throws {
        if json, xml { throw ValidationError("--json or --xml, not both") }
    }

    func run() throws {
        try Failure.reporting {
            try Transformers.registerFromEnvironment()
            let file = try ModelFile.read(model)
            if json {
                var writer = ByteWriter(capacity: 4096)
                file.current.json().write(to: &writer)
                writer.raw("\n")
                write(writer.bytes, to: 1)
            } else if xml {
                write(file.current.xml(), to: 1)
            } else {
                write(ModelSummary.text(file), to: 1)
            }
            try file.model().checkRequests()
        }
    }
}
