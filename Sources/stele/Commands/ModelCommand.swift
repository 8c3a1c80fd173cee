/// `stele model`: what can be done with a model alone.

import ArgumentParser

/// The words after `stele model`; without one it prints the model.
struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model", abstract: "Print what was understood of a model, or Swift for it.",
        subcommands: [ModelPrintCommand.self, ModelSwiftCommand.self],
        defaultSubcommand: ModelPrintCommand.self)
}
