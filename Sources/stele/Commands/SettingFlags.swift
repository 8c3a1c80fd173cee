/// The settings as flags of the command line.

import ArgumentParser

/// An option's line of help, with the setting's default.
private func settingHelp(
    _ name: String, _ text: String, _ valueName: String? = nil
) -> ArgumentHelp {
    let known = Setting.all.first { $0.name == name }?.defaultValue
    return ArgumentHelp("\(text)\(known.map { " (default: \($0))" } ?? "")", valueName: valueName)
}

/// What may stand after `serve` and `health`, beside the model; all of it may come from the
/// environment or a file as well.
struct SettingFlags: ParsableArguments {
    @Option(help: ArgumentHelp("A YAML file of settings (also STELE_CONFIG).", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("The store's file.", valueName: "path"))
    var store: String?
    @Option(help: settingHelp("host", "The address to listen on."))
    var host: String?
    @Option(help: settingHelp("port", "The port to listen on; 0 takes any free one."))
    var port: String?
    @Option(help: "The bearer token that every request must bring.")
    var token: String?
    @Option(help: "The key of AESGCMTransformer; better in a file or in the environment.")
    var encryptionKey: String?
    @Option(help: ArgumentHelp("A file that holds that key.", valueName: "path"))
    var encryptionKeyFile: String?
    @Flag(help: "Listen beyond this machine without a token.")
    var insecure = false
    @Option(help: ArgumentHelp("A name that Host and Origin may hold.", valueName: "name"))
    var allowHost: [String] = []
    @Option(help: ArgumentHelp("What every path begins with.", valueName: "path"))
    var basePath: String?
    @Option(help: settingHelp("log-level", "How much the log tells.", "level"))
    var logLevel: String?
    @Option(help: settingHelp("drain", "Seconds for running requests at the end.", "seconds"))
    var drain: String?
    @Option(help: settingHelp("heartbeat", "Seconds between heartbeats of a stream.", "seconds"))
    var heartbeat: String?
    @Option(help: settingHelp("history-days", "Days that the history is kept.", "days"))
    var historyDays: String?
    @Option(help: settingHelp("history-size", "The history's largest size.", "MiB"))
    var historySize: String?
    @Option(help: settingHelp("default-limit", "Rows of a list without limit.", "rows"))
    var defaultLimit: String?
    @Option(help: settingHelp("maximum-limit", "The most rows that limit may ask for.", "rows"))
    var maximumLimit: String?
    @Option(help: settingHelp("body-limit", "The largest body taken.", "MiB"))
    var bodyLimit: String?
    @Option(help: settingHelp("upload-limit", "The largest value streamed into a file.", "MiB"))
    var uploadLimit: String?
    @Option(help: settingHelp("contexts", "Editing contexts at once.", "number"))
    var contexts: String?
    @Option(
        help: settingHelp(
            "context-lifetime", "Seconds until an idle editing context expires.", "seconds"))
    var contextLifetime: String?
    @Option(
        help: settingHelp("context-objects", "Unsaved objects of an editing context.", "objects"))
    var contextObjects: String?
    @Option(help: settingHelp("row-cache", "Rows kept in memory.", "MiB"))
    var rowCache: String?
    @Option(help: settingHelp("workers", "Threads that read or write the store.", "threads"))
    var workers: String?
    @Option(help: settingHelp("http-threads", "Threads that carry connections.", "threads"))
    var httpThreads: String?
    @Option(help: settingHelp("connections", "Connections at once.", "number"))
    var connections: String?
    @Option(
        help: settingHelp("idle-timeout", "Seconds until an idle connection is closed.", "seconds"))
    var idleTimeout: String?
    @Option(
        help: settingHelp("server-timing", "Whether answers carry Server-Timing.", "true|false"))
    var serverTiming: String?

    /// What is given, by setting.
    var given: [String: String] {
        let all: [(String, String?)] = [
            ("store", store), ("host", host), ("port", port), ("token", token),
            ("encryption-key", encryptionKey), ("encryption-key-file", encryptionKeyFile),
            ("insecure", insecure ? "true" : nil),
            ("allow-host", allowHost.isEmpty ? nil : allowHost.joined(separator: ",")),
            ("base-path", basePath), ("log-level", logLevel), ("drain", drain),
            ("heartbeat", heartbeat), ("history-days", historyDays), ("history-size", historySize),
            ("default-limit", defaultLimit),
            ("maximum-limit", maximumLimit), ("body-limit", bodyLimit),
            ("upload-limit", uploadLimit), ("contexts", contexts),
            ("context-lifetime", contextLifetime), ("context-objects", contextObjects),
            ("row-cache", rowCache),
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
