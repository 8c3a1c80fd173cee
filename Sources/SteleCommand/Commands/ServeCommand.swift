/// `stele serve`: serving a model over HTTP.

import ArgumentParser
import SteleSystem

/// Serves a model's objects over HTTP until a signal ends it.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve a model's objects over HTTP.",
        discussion: """
            Without a model it serves the sample, on a temporary store. Every option can also be \
            set in the environment (STELE_PORT) or in a YAML file (--config); options win over the \
            environment, and the environment over the file.
            """)

    @Argument(help: ModelArgument.help)
    var model: String?

    @Flag(help: "Check the settings, the model and the files that they name, and end.")
    var check = false

    @OptionGroup var flags: SettingFlags

    func run() throws {
        try Failure.reporting {
            let settings = try flags.settings(model: model)
            if check { return try Serving(settings).check() }
            // Before the first thread is created: threads inherit the mask.
            let signals = EndSignals()
            try Serving(settings).run(until: signals)
        }
    }
}
