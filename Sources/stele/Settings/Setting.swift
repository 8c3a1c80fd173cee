/// Every setting there is, with its default and what it means: what the code, the file and the
/// documentation are held to.

/// One setting: a flag `--name`, a variable `STELE_NAME`, and a key of the file.
struct Setting: Sendable {
    let name: String
    /// As the file has it; nil where there is none until one is given.
    let defaultValue: String?
    /// One line.
    let meaning: String

    /// The environment variable's name.
    var variable: String {
        "STELE_" + name.uppercased().replacing("-", with: "_")
    }

    static let all: [Setting] = [
        Setting("model", nil, "the model to serve: .xcdatamodeld, .xcdatamodel, contents or JSON"),
        Setting("store", nil, "the store's file; without it MODEL.sqlite in the current folder"),
        Setting("host", "127.0.0.1", "the address to listen on"),
        Setting("port", "8080", "the port, 0 to 65535; 0 takes any free one"),
        Setting("token", nil, "the bearer token that every request must bring, but /healthz"),
        Setting(
            "encryption-key", nil,
            "the key of AESGCMTransformer: 32 bytes in base64 or hexadecimal"),
        Setting("encryption-key-file", nil, "a file that holds that key"),
        Setting("insecure", "false", "whether to listen beyond this machine without a token"),
        Setting("allow-host", nil, "names, with commas, that Host and Origin may hold"),
        Setting("base-path", "", "what every path begins with, such as /api"),
        Setting("log-level", "info", "trace, debug, info, notice, warning, error or critical"),
        Setting(
            "drain", "10", "seconds that running requests have when the service is told to end"),
        Setting("heartbeat", "15", "seconds between two heartbeats of an event stream"),
        Setting("history-days", "7", "days that a save is kept in the history; 0 is for ever"),
        Setting("history-size", "1024", "MiB that the history may take; 0 is any size"),
        Setting("default-limit", "100", "rows of a list where limit says nothing"),
        Setting("maximum-limit", "10000", "the most rows that limit may ask for in JSON"),
        Setting("body-limit", "32", "MiB of the largest body taken"),
        Setting("upload-limit", "1024", "MiB of the largest Binary value streamed into a file"),
        Setting("contexts", "1000", "editing contexts that are kept at once"),
        Setting(
            "context-lifetime", "900",
            "seconds after which an editing context that is left alone expires"),
        Setting("context-objects", "10000", "objects with unsaved changes in one editing context"),
        Setting("row-cache", "32", "MiB of rows kept in memory"),
        Setting(
            "workers", "64", "threads that answer what writes; they wait for the disk together"),
        Setting(
            "http-threads", "0",
            "threads that carry connections, event streams aside; 0 is two a core, 4 at least"),
        Setting("connections", "30000", "connections at once, event streams among them"),
        Setting("idle-timeout", "60", "seconds after which a connection without traffic is closed"),
        Setting("server-timing", "true", "whether answers say in Server-Timing what took how long"),
    ]

    private init(_ name: String, _ defaultValue: String?, _ meaning: String) {
        self.name = name
        self.defaultValue = defaultValue
        self.meaning = meaning
    }
}
