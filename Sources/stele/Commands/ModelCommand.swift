/// `stele model`: commands on a model.

import ArgumentParser

/// The subcommands of `stele model`, of which `print` is the default.
struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model", abstract: "Print a model, its source, or Swift classes for it.",
        subcommands: [
            ModelPrintCommand.self, ModelSwiftCommand.self, ModelContentsCommand.self,
        ],
        defaultSubcommand: ModelPrintCommand.self)
}
