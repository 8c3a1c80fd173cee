/// Running a service.

import FoundationEssentials
import Glibc
import Logging
import Stele
import SteleGraph
import SteleHTTP
import SteleModel
import StelePersistence
import StelePostgreSQL
import StelePredicates
import SteleSQLite
import SteleRequests
import SteleService
import SteleSystem

/// The work of `stele serve`.
struct Serving {
    private let settings: Settings
    private let logger: Logger

    init(_ settings: Settings) {
        self.settings = settings
        var logger = Logger(label: "stele") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = settings.logLevel
        self.logger = logger
    }

    /// Serves until a signal comes, and ends cleanly.
    /// - Throws: the reason why it cannot serve, for `Failure.sentence`.
    func run(until signals: EndSignals) throws {
        try Transformers.register(key: settings.encryptionKey, file: settings.encryptionKeyFile)
        ValueTransformers.isStrict = settings.strictTransformers
        StatementTime.set(seconds: settings.statementSeconds)
        ProcessLimits.raiseOpenFiles()
        ProcessLimits.boundArenas()
        SQLiteStore.configureProcess(sortBytes: settings.sortBytes)
        SQLiteStore.limitLog(bytes: settings.logBytes)
        SQLiteStore.reportCutFiles()
        for note in SettingSource.unknownVariables() { logger.warning("\(note)") }
        // Before the store: a service that cannot listen, or has no seeds, makes no store, and
        // migrates none.
        let http = fitted(settings.http)
        let address = try ReservedAddress(http)
        let files = settings.securityFiles
        let rights = try files.readRights()
        let certificate = try files.readCertificate()
        let seeds = try settings.seeds.map(Seeds.init(folder:))
        let ground = try ground()
        defer { ground.close() }
        if !ground.store.isReadOnly, let file = ground.store.filePaths.first {
            SQLiteStore.makeTemporaryFiles(beside: file)
        }
        let coordinator = PersistentStoreCoordinator(
            store: ground.store, rowCacheBytes: settings.rowCacheBytes)
        try ground.load(coordinator)
        do {
            for name in try seeds?.load(into: coordinator) ?? [] {
                logger.info("loaded a seed", metadata: ["file": "\(name)"])
            }
        } catch {
            ground.newStores?.discard(ground.store)
            throw error
        }
        var options = settings.service
        options.modelName = ground.modelName
        options.modelVersions = ground.versions
        options.rights = rights
        if ground.store.hasHistoryOfApp, !settings.boundsHistory {
            options.historySeconds = nil
            options.historyBytes = nil
            logger.notice(
                "the history is an app's and is kept; history-days and history-size bound it",
                metadata: ["store": "\(ground.name)"])
        }
        if let store = ground.store as? SQLiteStore, let file = store.historyFile {
            logger.notice(
                "the store came without a history: it is in a file beside it",
                metadata: ["store": "\(ground.name)", "history": "\(file)"])
        }
        options.backupFolder =
            ground.store.filePaths.first.map { settings.backups ?? $0 + "-backups" }
        if settings.requestLog { options.requestLog = RequestLog(descriptor: 1) }
        let server = try Server(
            coordinator, options: options, http: http, files: files, certificate: certificate,
            at: address, logger: logger)
        if settings.origins.contains("*"), rights == nil, settings.token == nil {
            logger.warning(
                "cors is * without token or rights: every page in a browser can change the data")
        }
        write(announcement(ground, port: server.port), to: 1)
        let endsWithTerminal = files.areNone && isatty(STDIN_FILENO) == 1
        let signal = signals.wait(
            endsWithTerminal ? nil : { files.reload(into: server.service, logger) })
        logger.info("ending", metadata: ["signal": "\(signal)"])
        endInTime()
        server.stop(drain: settings.drain)
        options.requestLog?.close()
    }

    /// Ends the process where something in it does not end, such as a request that holds the store.
    /// What was answered is on disk.
    private func endInTime() {
        let deadline = MonotonicClock.deadline(in: settings.drain + Self.closingSeconds)
        let logger = logger
        _ = SystemThread(name: "deadline") {
            Alarm().sleep(until: deadline)
            logger.critical("a request or the store does not end: the process is ended")
            _exit(1)
        }
    }

    /// The most seconds after `drain` until the process has ended.
    private static let closingSeconds = 15.0

    /// The configuration with as many connections as the process may have open files for.
    private func fitted(_ configuration: HTTPServer.Configuration) -> HTTPServer.Configuration {
        let room = ProcessLimits.roomForConnections
        guard configuration.connectionLimit > room else { return configuration }
        var fitted = configuration
        fitted.connectionLimit = room
        // The default is more than most services need.
        if room < 1_000
            || configuration.connectionLimit != HTTPServer.Configuration().connectionLimit
        {
            logger.notice(
                "the limit of open files has no room for so many connections",
                metadata: ["connections": "\(configuration.connectionLimit)", "room": "\(room)"])
        }
        return fitted
    }

    /// Checks the settings, the model and the files that they name. The store is not opened, and
    /// nothing listens, so a service with the same settings may run.
    /// - Throws: what `run` would throw for them.
    func check() throws {
        try Transformers.register(key: settings.encryptionKey, file: settings.encryptionKeyFile)
        ValueTransformers.isStrict = settings.strictTransformers
        for note in SettingSource.unknownVariables() { logger.warning("\(note)") }
        let files = settings.securityFiles
        var options = settings.service
        options.rights = try files.readRights()
        if let certificate = try files.readCertificate() {
            let faults = certificate.faults()
            guard faults.isEmpty else {
                throw Failure(
                    "\(files.certificate ?? ""): clients refuse it: "
                        + faults.joined(separator: ", and "))
            }
            files.warn(of: certificate, logger)
        }
        let seeds = try settings.seeds.map(Seeds.init(folder:))
        let model = try package()?.model ?? Self.model(SampleFiles.model(in: SampleFiles.folder()))
        let coordinator = PersistentStoreCoordinator(store: InMemoryStore(model: model))
        _ = try seeds?.load(into: coordinator)
        _ = try Service(coordinator: coordinator, options: options, logger: logger)
        write(
            "the settings, the model and the files that they name are valid; the store was not "
                + "opened\n", to: 1)
    }

    /// The model that is named, with its notes logged; nil for the sample.
    private func package() throws -> ModelPackage? {
        guard let path = settings.model else {
            if settings.readOnly {
                throw Failure("read-only needs a store: stele serve MODEL --store PATH --read-only")
            }
            if settings.store != nil {
                throw Failure(
                    "a store is given without a model: use stele serve MODEL --store PATH, or "
                        + "stele serve PATH for a store that has its model (Z_MODELCACHE)")
            }
            return nil
        }
        let package = try ModelPackage(path, mappings: settings.mappings)
        for note in package.notes {
            logger.warning("\(note)", metadata: ["model": "\(package.path)"])
        }
        return package
    }

    /// Opens the store.
    private func ground() throws -> Ground {
        guard let package = try package(), let path = settings.model else {
            return try Ground.sample()
        }
        if let database = DatabaseOpening(settings.store) {
            return try Ground.database(database, package, settings)
        }
        if settings.replica != nil {
            throw Failure("replica is for a store in a database: give its URL as store")
        }
        // A store that is named in place of a model is served with its own model.
        let own = settings.store == nil && StoreType.hasStore(file: path) ? path : nil
        let opening = try StoresOpening(
            settings.store ?? own, type: settings.storeType, package, history: settings.history,
            use: settings.readOnly ? .readOnly : .write)
        report(try opening.package())
        let new = opening.newPaths
        let created = NewStores(opening)
        let store = try opening.open(settings.migrate ? .migrate : .offer)
        if store.isReadOnly {
            let members = (store as? StoreGroup)?.stores ?? [store]
            let isFileRead = members.contains { ($0 as? ReadOnlySQLiteStore)?.isCopied == false }
            let notice =
                isFileRead
                ? "no other program may change the file meanwhile, because some of its changes "
                    + "would be seen and others not"
                : "what other programs change from now on is not seen"
            logger.notice("read-only: \(notice)", metadata: ["store": "\(opening.name)"])
        }
        var ground = Ground(store: store, name: opening.name, modelName: package.name)
        ground.newStores = created
        ground.versions = try package.modelVersions()
        if !new.isEmpty {
            let names = new == opening.paths ? "" : ": \(new.joined(separator: ", "))"
            ground.newness = ", new\(names)"
            for path in new { warnOfRemains(beside: path) }
        }
        return ground
    }

    /// Warns of a new store where there was one: its volume may not be mounted.
    private func warnOfRemains(beside path: String) {
        let folder = settings.backups ?? path + "-backups"
        guard !BackupFolder(folder).isEmpty else { return }
        logger.warning(
            "a new store was made, and there are backups of one: is its volume mounted?",
            metadata: ["store": "\(path)", "backups": "\(folder)"])
    }

    /// Logs what of the model is not served because the store has a part of its entities.
    private func report(_ package: ModelPackage) {
        let (part, whole) = (package.model, package.model.whole)
        let omitted = whole.entities.map(\.name).filter { part.entity(named: $0) == nil }
        guard !omitted.isEmpty else { return }
        logger.notice(
            "the store has a part of the model's entities, and the others are not served",
            metadata: [
                "model": "\(package.path)", "entities": "\(omitted.joined(separator: ", "))",
            ])
        for name in part.omittedFetchedProperties {
            logger.notice(
                "a fetched property is not served: its objects are in another store",
                metadata: ["property": "\(name)"])
        }
    }

    /// Reads a model, and checks that it can be served.
    static func model(_ path: String) throws -> Model { try ModelPackage(path).model }

    /// Three lines: the model with its version and the store, the address, and an example request.
    private func announcement(_ ground: Ground, port: Int) -> String {
        let model = ground.store.model
        let served = model.entities.filter { !$0.isAbstract }
        let all = model.whole.entities.count { !$0.isAbstract }
        let count =
            served.count < all
            ? "\(served.count) of \(all) entities"
            : served.count == 1 ? "1 entity" : "\(served.count) entities"
        let name = ground.modelName
        let title = name == model.name ? name : "\(name), version \(model.name)"
        let scheme = settings.tlsCertificate == nil ? "http" : "https"
        let address = "\(scheme)://\(Self.reachable(settings.host)):\(port)\(settings.basePath)"
        let others =
            Self.isEveryAddress(settings.host) ? ", and on all addresses of this machine" : ""
        var curl = "curl "
        if settings.token != nil || settings.rights != nil {
            curl += "-H \"Authorization: Bearer $STELE_TOKEN\" "
        }
        curl += address + Self.path(of: ground.firstEntity ?? served.first?.name)
        return """
            \(title), \(count), from \(ground.name) (\(ground.store.type)\(ground.newness))
            on \(address)\(others)
            try: \(curl)

            """
    }

    /// The path of an entity's list. At the root are only names with a capital first letter.
    private static func path(of entity: String?) -> String {
        guard let entity, let first = entity.unicodeScalars.first else { return "/" }
        return (first.properties.isUppercase ? "/" : "/entities/") + entity
    }

    private static func isEveryAddress(_ host: String) -> Bool {
        ["0.0.0.0", "", "::", "[::]"].contains(host)
    }

    /// The host for clients on this machine.
    static func reachable(_ host: String) -> String {
        switch host {
        case "0.0.0.0", "": "127.0.0.1"
        case "::", "[::]": "[::1]"
        default: host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        }
    }
}
