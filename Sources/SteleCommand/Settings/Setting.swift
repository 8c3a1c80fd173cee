/// Every setting there is, with its default and what it means: what the code, the file and the
/// documentation are held to.

/// One setting: a flag `--name`, a variable `STELE_NAME`, and a key of the file.
struct Setting: Sendable {
    let name: String
    /// The default, in the form of the file; nil for none.
    let defaultValue: String?
    /// Its meaning, in one line.
    let meaning: String

    /// The environment variable's name.
    var variable: String {
        "STELE_" + name.uppercased().replacing("-", with: "_")
    }

    static let all: [Setting] = [
        Setting("model", nil, "the model to serve: .xcdatamodeld, .xcdatamodel, contents or JSON"),
        Setting(
            "store", nil,
            "the store's file, or the URL of a database; :memory: for none; by default "
                + "MODEL.sqlite in the current folder; CONFIGURATION=FILE for a store of one "
                + "configuration, once for each of several"),
        Setting(
            "replica", nil,
            "the URL of a standby of the store's database, for reads with History-Token"),
        Setting(
            "store-type", nil,
            "sqlite, memory, xml, binary or text; by default told from the file or its name; "
                + "CONFIGURATION=TYPE for one of several stores"),
        Setting(
            "history", "auto",
            "auto: a store that an app made without a history has it in a file beside it; "
                + "store: inside"),
        Setting(
            "migrate", "false",
            "whether a store of another version of the model is migrated at the start"),
        Setting(
            "mapping", nil,
            "mapping models for migrating, and folders of them, separated by commas; taken before "
                + "those about the model"),
        Setting(
            "read-only", "false",
            "whether the store is only read: nothing in its folder is changed or created"),
        Setting(
            "seeds", nil, "a folder with files NAME.N.ndjson, each loaded once, in order of N"),
        Setting(
            "backups", nil, "the folder of backups; by default STORE-backups beside the store"),
        Setting("host", "127.0.0.1", "the address to listen on"),
        Setting("port", "8080", "the port, 0 to 65535; 0 takes any free one"),
        Setting(
            "token", nil,
            "a bearer token with all rights; with it, every request but health checks and the page's files needs one"
        ),
        Setting("rights", nil, "a file with roles and the tokens that have them"),
        Setting(
            "tls-certificate", nil,
            "a file with the certificate of TLS and its chain in PEM; with it, connections are "
                + "https"),
        Setting("tls-key", nil, "a file with the private key of that certificate in PEM"),
        Setting(
            "encryption-key", nil,
            "the key of AESGCMTransformer: 32 bytes in base64 or hexadecimal"),
        Setting("encryption-key-file", nil, "a file with that key"),
        Setting(
            "strict-transformers", "false",
            "whether a model with a value transformer that is not registered is refused"),
        Setting("insecure", "false", "whether other machines may connect without a token"),
        Setting("allow-host", nil, "names that Host and Origin may have, separated by commas"),
        Setting(
            "cors", nil,
            "origins whose pages may call the service, such as https://app.example, separated by "
                + "commas; * for all"),
        Setting("base-path", "", "the prefix of every path, such as /api"),
        Setting(
            "page", "page",
            "the first part of the addresses of the page's files; empty for no page"),
        Setting(
            "request-log", "false",
            "whether each request is a line of JSON on standard output"),
        Setting("log-level", "info", "trace, debug, info, notice, warning, error or critical"),
        Setting(
            "drain", "10", "seconds for running requests to finish when the service ends"),
        Setting("heartbeat", "15", "seconds between two heartbeats of an event stream"),
        Setting(
            "history-days", "7", "days for which the history keeps a save; 0 is without a limit"),
        Setting("history-size", "1024", "MiB that the history may take; 0 is no bound"),
        Setting("default-limit", "100", "rows of a list without the parameter limit"),
        Setting("maximum-limit", "10000", "the most rows that limit may request in JSON"),
        Setting("body-limit", "32", "MiB of the largest request body"),
        Setting("upload-limit", "1024", "MiB of the largest Binary value streamed into a file"),
        Setting("contexts", "1000", "the most editing contexts at once"),
        Setting(
            "context-lifetime", "900",
            "seconds after which an unused editing context expires"),
        Setting(
            "context-objects", "10000",
            "the most objects with unsaved changes in one editing context"),
        Setting("row-cache", "32", "MiB of memory for cached rows"),
        Setting(
            "workers", "64", "threads for requests that write; they wait for the disk together"),
        Setting(
            "http-threads", "0",
            "threads that carry connections except event streams; 0 is two a core, at least 4"),
        Setting("connections", "30000", "the most connections at once, with event streams"),
        Setting("idle-timeout", "60", "seconds after which a connection without traffic is closed"),
        Setting(
            "limit", nil,
            "other limits, such as include-depth=4, separated by commas; Docs/Limits.md has them"),
        Setting("server-timing", "true", "whether responses have Server-Timing"),
    ]

    private init(_ name: String, _ defaultValue: String?, _ meaning: String) {
        self.name = name
        self.defaultValue = defaultValue
        self.meaning = meaning
    }
}
