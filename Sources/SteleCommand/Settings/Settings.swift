/// The settings as types.

import Logging
import SteleHTTP
import SteleRequests
import SteleSQLite
import SteleService

/// The settings of `serve`. Each property is the setting of its name.
struct Settings: Sendable {
    var model: String?
    var store: String?
    var replica: String?
    var storeType: String?
    var history: HistoryPlace
    var migrate: Bool
    /// The paths of mapping models and of folders of them.
    var mappings: [String]
    var readOnly: Bool
    var seeds: String?
    var backups: String?
    var host: String
    var port: Int
    var token: String?
    var rights: String?
    var tlsCertificate: String?
    var tlsKey: String?
    var encryptionKey: String?
    var encryptionKeyFile: String?
    var strictTransformers: Bool
    var insecure: Bool
    var allowedHosts: [String]
    var origins: [String]
    var basePath: String
    /// The first segment of the addresses of the page's files; empty for no page.
    var page: String
    var requestLog: Bool
    var logLevel: Logger.Level
    var drain: Double
    var heartbeat: Double
    /// Seconds; nil is without a limit.
    var historySeconds: Double?
    /// Nil for no bound.
    var historyBytes: Int?
    /// Whether one of the two is set, and not by default.
    var boundsHistory: Bool
    private var limitSet = LimitSet()
    var limits: Limits { limitSet.service }
    var bodyBytes: Int
    var uploadBytes: Int
    var rowCacheBytes: Int
    var workers: Int
    var httpThreads: Int
    var connections: Int
    var idleTimeout: Int
    var serverTiming: Bool

    /// Reads and checks them.
    /// - Throws: `Failure` with the setting's name and valid values.
    init(_ source: SettingSource) throws {
        let reading = SettingReading(source: source)
        model = source.text("model")
        store = source.text("store")
        replica = source.text("replica")
        storeType = source.text("store-type")
        history = try reading.historyPlace()
        migrate = try reading.truth("migrate")
        mappings = reading.list("mapping")
        readOnly = try reading.truth("read-only")
        seeds = source.text("seeds")
        backups = source.text("backups")
        host = source.text("host") ?? ""
        port = try reading.integer("port", 0...65_535)
        token = source.text("token")
        rights = source.text("rights")
        tlsCertificate = source.text("tls-certificate")
        tlsKey = source.text("tls-key")
        encryptionKey = source.text("encryption-key")
        encryptionKeyFile = source.text("encryption-key-file")
        strictTransformers = try reading.truth("strict-transformers")
        insecure = try reading.truth("insecure")
        allowedHosts = try reading.hosts()
        origins = try reading.origins()
        basePath = try reading.basePath()
        page = try reading.page()
        requestLog = try reading.truth("request-log")
        logLevel = try reading.logLevel()
        drain = try reading.seconds("drain", 0...3_600)
        heartbeat = try reading.seconds("heartbeat", 0.1...3_600)
        let days = try reading.number("history-days", 0...36_500, of: "days")
        historySeconds = days > 0 ? days * 86_400 : nil
        let size = try reading.integer("history-size", 0...1_048_576)
        historyBytes = size > 0 ? size << 20 : nil
        boundsHistory = source.isGiven("history-days") || source.isGiven("history-size")
        try NamedLimit.apply(reading.list("limit"), to: &limitSet)
        limitSet.service.maximumListLimit = try reading.integer("maximum-limit", 1...1_000_000)
        limitSet.service.defaultListLimit = try reading.integer(
            "default-limit", 1...limitSet.service.maximumListLimit)
        limitSet.service.contexts = try reading.integer("contexts", 0...100_000)
        limitSet.service.contextSeconds = try reading.seconds("context-lifetime", 1...86_400)
        limitSet.service.contextObjects = try reading.integer("context-objects", 1...1_000_000)
        bodyBytes = try reading.integer("body-limit", 1...4_096) << 20
        uploadBytes = try reading.integer("upload-limit", 1...1_048_576) << 20
        rowCacheBytes = try reading.integer("row-cache", 0...1_048_576) << 20
        workers = try reading.integer("workers", 1...4_096)
        limitSet.service.contextTurnPlacesInAll = max(1, workers / 2)
        httpThreads = try reading.integer("http-threads", 0...1_024)
        connections = try reading.integer("connections", 1...1_000_000)
        idleTimeout = try reading.integer("idle-timeout", 0...86_400)
        serverTiming = try reading.truth("server-timing")
        // A variable that a script could not fill must not open the service.
        for name in ["token", "rights", "tls-certificate", "tls-key"] where source.isEmpty(name) {
            throw Failure("\(name) is empty: leave it out, or give a value", setting: name)
        }
        try checkReadOnly()
        try checkAccess()
    }

    /// Whether only this machine can connect.
    var isLoopback: Bool { http.isLoopback }

    private func checkReadOnly() throws {
        guard readOnly else { return }
        if migrate { throw Failure("migrate writes to the store, and read-only does not") }
        if seeds != nil { throw Failure("seeds write to the store, and read-only does not") }
    }

    private func checkAccess() throws {
        if (tlsCertificate == nil) != (tlsKey == nil) {
            let (given, other) = tlsKey == nil ? ("certificate", "key") : ("key", "certificate")
            throw Failure("tls-\(given) needs tls-\(other)", setting: "tls-\(other)")
        }
        if let token {
            guard token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw Failure("token: a header can only have visible ASCII characters")
            }
        } else if rights == nil, !isLoopback, !insecure {
            throw Failure(
                "other machines can connect to \(host): give --token TOKEN (or STELE_TOKEN), "
                    + "--rights FILE, or --insecure")
        }
    }

    /// The files of the rights and of TLS.
    var securityFiles: SecurityFiles {
        SecurityFiles(rights: rights, certificate: tlsCertificate, key: tlsKey)
    }

    /// The configuration of the HTTP server.
    var http: HTTPServer.Configuration {
        var configuration = limitSet.server
        configuration.host = host
        configuration.port = port
        configuration.isTLS = tlsCertificate != nil
        if httpThreads > 0 { configuration.threads = httpThreads }
        configuration.workers = workers
        configuration.maximumBodyBytes = bodyBytes
        configuration.connectionLimit = connections
        configuration.idleTimeout = idleTimeout
        return configuration
    }

    /// Seconds of a statement.
    var statementSeconds: Double { limitSet.statementSeconds }
    /// Bytes of a sort in memory.
    var sortBytes: Int { limitSet.sortBytes }
    /// Bytes of the store's log from which on long answers are broken off.
    var logBytes: Int { limitSet.logBytes }

    /// The options of the service.
    var service: Service.Options {
        var options = Service.Options()
        options.basePath = basePath
        options.page = page
        options.allowedHosts = allowedHosts
        options.origins = origins
        options.token = token
        options.limits = limits
        options.uploadBytes = uploadBytes
        options.heartbeatSeconds = heartbeat
        options.historySeconds = historySeconds
        options.historyBytes = historyBytes
        options.serverTiming = serverTiming
        return options
    }
}

/// Reads the settings' texts as values.
struct SettingReading {
    let source: SettingSource

    func integer(_ name: String, _ range: ClosedRange<Int>) throws -> Int {
        let text = source.text(name) ?? ""
        guard let number = Int(text), range.contains(number) else {
            throw Failure(
                "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound), "
                    + "not \(text)", setting: name)
        }
        return number
    }

    /// The items of a list, without empty ones.
    func list(_ name: String) -> [String] {
        (source.text(name) ?? "").split(separator: ",").map {
            String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }.filter { !$0.isEmpty }
    }

    /// The names of `allow-host`, as they are in a URL, without a port.
    func hosts() throws -> [String] {
        let hosts = list("allow-host")
        for host in hosts where host.contains(where: { "/:* ".contains($0) }) {
            throw Failure(
                "allow-host: a host is a name such as api.example, without scheme, port and *, not "
                    + host, setting: "allow-host")
        }
        return hosts
    }

    /// The origins of `cors`: a scheme and a host each, as browsers send them.
    func origins() throws -> [String] {
        let origins = list("cors")
        for origin in origins where origin != "*" {
            let parts = origin.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0].hasSuffix(":"), parts[0].count > 1, parts[1].isEmpty,
                !parts[2].isEmpty, !origin.contains(where: { "* ".contains($0) })
            else {
                throw Failure(
                    "cors: an origin is a scheme and a host, such as https://app.example, not "
                        + origin, setting: "cors")
            }
        }
        return origins
    }

    func seconds(_ name: String, _ range: ClosedRange<Double>) throws -> Double {
        try number(name, range, of: "seconds")
    }

    func number(
        _ name: String, _ range: ClosedRange<Double>, of unit: String
    ) throws -> Double {
        let text = source.text(name) ?? ""
        guard let number = Double(text), range.contains(number) else {
            throw Failure(
                "\(name) must be a number of \(unit) from \(range.lowerBound) to "
                    + "\(range.upperBound), not \(text)", setting: name)
        }
        return number
    }

    func truth(_ name: String) throws -> Bool {
        switch (source.text(name) ?? "").lowercased() {
        case "true", "yes", "on", "1": return true
        case "false", "no", "off", "0": return false
        case let text: throw Failure("\(name) must be true or false, not \(text)", setting: name)
        }
    }

    func logLevel() throws -> Logger.Level {
        let text = source.text("log-level") ?? ""
        guard let level = Logger.Level(rawValue: text.lowercased()) else {
            let names = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw Failure(
                "log-level must be one of \(names), not \(text)", setting: "log-level")
        }
        return level
    }

    func historyPlace() throws -> HistoryPlace {
        try HistoryPlace(setting: source.text("history") ?? "")
    }

    func page() throws -> String {
        let name = source.text("page") ?? ""
        let isPlain = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == UInt8(ascii: "-")
        }
        let others = RoutePattern.allCases.filter { $0 != .page }.compactMap {
            $0.rawValue.split(separator: "/").first.map(String.init)
        }
        let isTaken = (others + ["entities"]).contains(name)
        guard isPlain, !isTaken else {
            throw Failure(
                "page must be a name of a-z, 0-9 and - that is no other route's, or empty: \(name)",
                setting: "page")
        }
        return name
    }

    func basePath() throws -> String {
        let path = source.text("base-path") ?? ""
        if path.isEmpty || path == "/" { return "" }
        let isPlain = path.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
                || "/-._~".utf8.contains(byte)
        }
        guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.contains("//"), isPlain else {
            throw Failure(
                "base-path must begin with / and not end with one, such as /api: \(path)",
                setting: "base-path")
        }
        return path
    }
}
