/// `stele model`: commands on a model.

import ArgumentParser

/// The subcommands of `stele model`, of which `print` is the default.
struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model", abstract: "Print or convert a model, or write Swift classes for it.",
        subcommands: [
            ModelPrintCommand.self, ModelSwiftCommand.self, ModelContentsCommand.self,
            ModelMomdCommand.self,
        ],
        defaultSubcommand: ModelPrintCommand.self)
}
