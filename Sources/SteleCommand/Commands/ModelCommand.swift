/// `stele model`: commands on a model.

import ArgumentParser

/// The subcommands of `stele model`, of which `print` is the default.
struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Print, convert or make a model, or write Swift classes for it.",
        subcommands: [
            ModelPrintCommand.self, ModelSwiftCommand.self, ModelContentsCommand.self,
            ModelMomdCommand.self, ModelFromCommand.self,
        ],
        defaultSubcommand: ModelPrintCommand.self)
}
