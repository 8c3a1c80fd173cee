/// `stele diff`: what differs between two models.

import ArgumentParser
import SteleMigration
import SteleModel
import SteleModelFiles

/// Prints the differences between two models, and how a store would be migrated.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Print what differs between two models.",
        discussion: """
            It ends with whether and how a store of the first model would be migrated to the \
            second one.

              stele diff 'Shop.xcdatamodeld/Shop.xcdatamodel' 'Shop.xcdatamodeld/Shop 2.xcdatamodel'

            The exit status is 0 if the models are equal, 1 if they differ and 2 if one cannot be \
            read.
            """)

    @Argument(help: "The model before: a model file, or a store with its model.")
    var before: String

    @Argument(help: "The model now.")
    var now: String

    func run() throws {
        try Failure.reporting(ExitCode(2)) {
            let before = try ModelFile.given(before).model()
            let now = try ModelFile.given(now).model()
            let difference = ModelDifference(from: before, to: now)
            if difference.isEmpty { return }
            let lines =
                ["\(difference.source) → \(difference.destination)"] + difference.lines
                + [""] + ModelDifference.migration(from: before, to: now)
            write(lines.map { $0 + "\n" }.joined(), to: 1)
            throw ExitCode(1)
        }
    }
}
