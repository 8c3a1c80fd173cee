/// `stele serve`: a model in, an API out.

import ArgumentParser

/// Serves a model's objects over HTTP until it is told to end.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve a model's objects over HTTP.",
        discussion: """
            Without a model it serves the sample that ships, on a store that ends with the \
            process. Every option can also come from the environment (STELE_PORT) or from a YAML \
            file (--config); options win over the environment, and that over the file.
            """)

    @Argument(help: "The model: .xcdatamodeld, .xcdatamodel, contents, or the same as JSON.")
    var model: String?

    @OptionGroup var flags: SettingFlags

    func run() throws {
        try Failure.reporting {
            let settings = try flags.settings(model: model)
            // Before the first thread is made: all of them inherit the mask.
            let signals = EndSignals()
            try Serving(settings).run(until: signals)
        }
    }
}
