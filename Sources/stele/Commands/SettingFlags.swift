/// The settings as flags of the command line.

import ArgumentParser

/// What may stand after `serve` and `health`, beside the model; all of it may come from the
/// environment or a file as well.
struct SettingFlags: ParsableArguments {
    @Option(help: ArgumentHelp("A YAML file of settings (also STELE_CONFIG).", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("The store's file.", valueName: "path"))
    var store: String?
    @Option(help: "The address to listen on.")
    var host: String?
    @Option(help: "The port to listen on; 0 takes any free one.")
    var port: String?
    @Option(help: "The bearer token that every request must bring.")
    var token: String?
    @Flag(help: "Listen beyond this machine without a token.")
    var insecure = false
    @Option(help: ArgumentHelp("A name that Host and Origin may hold.", valueName: "name"))
    var allowHost: [String] = []
    @Option(help: ArgumentHelp("What every path begins with.", valueName: "path"))
    var basePath: String?
    @Option(help: ArgumentHelp("How much the log tells.", valueName: "level"))
    var logLevel: String?
    @Option(help: ArgumentHelp("Seconds for running requests at the end.", valueName: "seconds"))
    var drain: String?
    @Option(help: ArgumentHelp("Seconds between heartbeats of a stream.", valueName: "seconds"))
    var heartbeat: String?
    @Option(help: ArgumentHelp("Rows of a list without limit.", valueName: "rows"))
    var defaultLimit: String?
    @Option(help: ArgumentHelp("The most rows that limit may ask for.", valueName: "rows"))
    var maximumLimit: String?
    @Option(help: ArgumentHelp("The largest body taken.", valueName: "MiB"))
    var bodyLimit: String?
    @Option(help: ArgumentHelp("Rows kept in memory.", valueName: "MiB"))
    var rowCache: String?
    @Option(help: ArgumentHelp("Threads that read or write the store.", valueName: "threads"))
    var workers: String?
    @Option(help: ArgumentHelp("Threads that carry connections.", valueName: "threads"))
    var httpThreads: String?
    @Option(help: ArgumentHelp("Connections at once.", valueName: "number"))
    var connections: String?
    @Option(help: ArgumentHelp("Seconds until an idle connection is closed.", valueName: "seconds"))
    var idleTimeout: String?
    @Option(help: ArgumentHelp("Whether answers carry Server-Timing.", valueName: "true|false"))
    var serverTiming: String?

    /// What is given, by setting.
    var given: [String: String] {
        let all: [(String, String?)] = [
            ("store", store), ("host", host), ("port", port), ("token", token),
            ("insecure", insecure ? "true" : nil),
            ("allow-host", allowHost.isEmpty ? nil : allowHost.joined(separator: ",")),
            ("base-path", basePath), ("log-level", logLevel), ("drain", drain),
            ("heartbeat", heartbeat), ("default-limit", defaultLimit),
            ("maximum-limit", maximumLimit), ("body-limit", bodyLimit), ("row-cache", rowCache),
            ("workers", workers), ("http-threads", httpThreads), ("connections", connections),
            ("idle-timeout", idleTimeout), ("server-timing", serverTiming),
        ]
        return Dictionary(
            uniqueKeysWithValues: all.compactMap { name, text in text.map { (name, $0) } })
    }

    /// The settings, with those of the file and the environment below.
    func settings(model: String? = nil) throws -> Settings {
        var flags = given
        flags["model"] = model
        return try Settings(SettingSource(flags: flags, file: config))
    }
}
