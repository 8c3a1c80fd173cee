/// The settings as options of the command line.

import ArgumentParser

private func help(_ name: String, _ valueName: String? = nil) -> ArgumentHelp {
    SettingFlags.help(name, valueName)
}

/// The options of `serve` and `health`. All settings can also be set in the environment or a file.
struct SettingFlags: ParsableArguments {
    @Option(help: ArgumentHelp("A YAML file of settings (also STELE_CONFIG).", valueName: "file"))
    var config: String?

    @Option(help: help("store", "path"))
    var store: [String] = []
    @Option(help: help("replica", "url"))
    var replica: String?
    @Option(help: help("store-type", "type"))
    var storeType: [String] = []
    @Option(help: help("history", "place"))
    var history: String?
    @Flag(help: help("migrate"))
    var migrate = false
    @Option(help: help("mapping", "path"))
    var mapping: [String] = []
    @Flag(help: help("read-only"))
    var readOnly = false
    @Option(help: help("seeds", "folder"))
    var seeds: String?
    @Option(help: help("backups", "folder"))
    var backups: String?
    @Option(help: help("host"))
    var host: String?
    @Option(help: help("port"))
    var port: String?
    @Option(help: help("token"))
    var token: String?

    @Option(help: help("rights", "file"))
    var rights: String?
    @Option(help: help("tls-certificate", "file"))
    var tlsCertificate: String?
    @Option(help: help("tls-key", "file"))
    var tlsKey: String?
    @Option(help: help("encryption-key", "key"))
    var encryptionKey: String?
    @Option(help: help("encryption-key-file", "path"))
    var encryptionKeyFile: String?
    @Flag(help: help("strict-transformers"))
    var strictTransformers = false
    @Flag(help: help("insecure"))
    var insecure = false
    @Option(help: help("allow-host", "name"))
    var allowHost: [String] = []
    @Option(help: help("cors", "origin"))
    var cors: [String] = []
    @Option(help: help("base-path", "path"))
    var basePath: String?
    @Option(help: help("page", "name"))
    var page: String?
    @Flag(help: help("request-log"))
    var requestLog = false
    @Option(help: help("log-level", "level"))
    var logLevel: String?
    @Option(help: help("drain", "seconds"))
    var drain: String?
    @Option(help: help("heartbeat", "seconds"))
    var heartbeat: String?
    @Option(help: help("history-days", "days"))
    var historyDays: String?
    @Option(help: help("history-size", "MiB"))
    var historySize: String?
    @Option(help: help("default-limit", "rows"))
    var defaultLimit: String?
    @Option(help: help("maximum-limit", "rows"))
    var maximumLimit: String?
    @Option(help: help("body-limit", "MiB"))
    var bodyLimit: String?
    @Option(help: help("upload-limit", "MiB"))
    var uploadLimit: String?
    @Option(help: help("contexts", "number"))
    var contexts: String?
    @Option(help: help("context-lifetime", "seconds"))
    var contextLifetime: String?
    @Option(help: help("context-objects", "objects"))
    var contextObjects: String?
    @Option(help: help("row-cache", "MiB"))
    var rowCache: String?
    @Option(help: help("workers", "threads"))
    var workers: String?
    @Option(help: help("http-threads", "threads"))
    var httpThreads: String?
    @Option(help: help("connections", "number"))
    var connections: String?
    @Option(help: help("idle-timeout", "seconds"))
    var idleTimeout: String?
    @Option(help: help("limit", "name=number"))
    var limit: [String] = []
    @Option(help: help("server-timing", "true|false"))
    var serverTiming: String?

    /// The help of a setting's option: the setting's meaning and default.
    static func help(_ name: String, _ valueName: String? = nil) -> ArgumentHelp {
        guard let setting = Setting.all.first(where: { $0.name == name }) else { return "" }
        let value = setting.defaultValue.flatMap { $0.isEmpty ? nil : " (default: \($0))" } ?? ""
        return ArgumentHelp("\(setting.meaning)\(value)", valueName: valueName)
    }

    /// The given settings by name.
    var given: [String: String] {
        let all: [(String, String?)] = [
            ("store", store.isEmpty ? nil : store.joined(separator: ",")),
            ("store-type", storeType.isEmpty ? nil : storeType.joined(separator: ",")),
            ("replica", replica), ("history", history), ("migrate", migrate ? "true" : nil),
            ("mapping", mapping.isEmpty ? nil : mapping.joined(separator: ",")),
            ("read-only", readOnly ? "true" : nil), ("seeds", seeds), ("backups", backups),
            ("host", host),
            ("port", port),
            ("token", token), ("rights", rights),
            ("tls-certificate", tlsCertificate), ("tls-key", tlsKey),
            ("encryption-key", encryptionKey), ("encryption-key-file", encryptionKeyFile),
            ("strict-transformers", strictTransformers ? "true" : nil),
            ("insecure", insecure ? "true" : nil),
            ("allow-host", allowHost.isEmpty ? nil : allowHost.joined(separator: ",")),
            ("cors", cors.isEmpty ? nil : cors.joined(separator: ",")),
            ("base-path", basePath), ("page", page), ("request-log", requestLog ? "true" : nil),
            ("log-level", logLevel), ("drain", drain),
            ("heartbeat", heartbeat), ("history-days", historyDays), ("history-size", historySize),
            ("default-limit", defaultLimit),
            ("maximum-limit", maximumLimit), ("body-limit", bodyLimit),
            ("upload-limit", uploadLimit), ("contexts", contexts),
            ("context-lifetime", contextLifetime), ("context-objects", contextObjects),
            ("row-cache", rowCache),
            ("workers", workers), ("http-threads", httpThreads), ("connections", connections),
            ("idle-timeout", idleTimeout),
            ("limit", limit.isEmpty ? nil : limit.joined(separator: ",")),
            ("server-timing", serverTiming),
        ]
        return Dictionary(
            uniqueKeysWithValues: all.compactMap { name, text in text.map { (name, $0) } })
    }

    /// The settings from the command line, the environment and the file.
    /// - Throws: `Failure`; `ValidationError` for an option whose value cannot be used.
    func settings(model: String? = nil) throws -> Settings {
        try read(model: model) { try Settings($0) }
    }

    /// Reads settings from the command line, the environment and the file.
    /// - Throws: as `settings(model:)`.
    func read<Result>(
        model: String? = nil, _ body: (SettingSource) throws -> Result
    ) throws -> Result {
        var flags = given
        flags["model"] = model
        do {
            return try body(SettingSource(flags: flags, file: config))
        } catch let failure as Failure {
            guard let name = failure.setting, flags[name] != nil else { throw failure }
            throw ValidationError(failure.message)
        }
    }
}
