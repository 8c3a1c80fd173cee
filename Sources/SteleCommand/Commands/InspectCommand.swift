/// `stele inspect`: what a store has, and whether it agrees with itself.

import ArgumentParser
import SteleJSON
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import SteleSystem

/// Prints what a store has, and where its tables do not agree with its metadata and its model.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Print what stores have, and check them.",
        discussion: """
            It prints the file, the metadata, the model version, the history, the objects of each \
            entity, the size of each table, and each place where the tables do not agree with the \
            metadata or the model. The model is the one in the store, or the given one. Without \
            either, only what SQL alone can tell is checked. Nothing in the store's folder is \
            changed.

              stele inspect App.sqlite
              stele inspect league.sqlite --model League.xcdatamodeld
              stele inspect Backups/*.sqlite
              stele inspect 'postgresql://stele@db/shop' --model Shop.xcdatamodeld

            The exit status is 0 if all agrees, 1 if something does not and 2 if a store cannot \
            be read. The whole store is read.
            """)

    @OptionGroup var inspected: InspectedStores

    @Flag(help: "Print it as JSON: an object, or a list of them for several stores.")
    var json = false

    func run() throws {
        try Failure.reporting(ExitCode(2)) {
            try Transformers.registerFromEnvironment()
            let stores = inspected.files
            try Self.inspect(stores, inspected.model) { store, report, isFirst in
                if json { return }
                let title = isFirst ? "\(store)\n" : "\n\(store)\n"
                write((stores.count == 1 ? "" : title) + report.text, to: 1)
            } _: { reports in
                guard json else { return }
                let all = reports.map(\.json)
                write((stores.count == 1 ? all[0] : .array(all)).pretty + "\n", to: 1)
            }
        }
    }

    /// Inspects stores, one after the other.
    /// - Parameters:
    ///   - each: called with each report, and whether it is the first.
    ///   - all: called with all reports.
    /// - Throws: `ExitCode`: 2 where one of several stores cannot be read, after its error is
    ///   printed, and 1 where one does not agree with itself; for a single store its error.
    static func inspect(
        _ stores: [String], _ model: String?,
        _ each: (_ store: String, InspectionReport, _ isFirst: Bool) -> Void,
        _ all: ([InspectionReport]) -> Void = { _ in }
    ) throws {
        var reports: [InspectionReport] = []
        var isComplete = true
        for store in stores {
            do {
                let report = try report(store, model)
                // A URL may have a password.
                each(DatabaseOpening(store)?.label ?? store, report, reports.isEmpty)
                reports.append(report)
            } catch  where stores.count > 1 {
                // The others are inspected all the same.
                printError("stele: \(Failure.sentence(error))")
                isComplete = false
            }
        }
        all(reports)
        if !isComplete { throw ExitCode(2) }
        if reports.contains(where: { !$0.inspection.differences.isEmpty }) { throw ExitCode(1) }
    }

    private static func report(_ store: String, _ model: String?) throws -> InspectionReport {
        if let database = DatabaseOpening(store) {
            let package = try model.map { try ModelPackage($0, isServed: false) }
            return InspectionReport(
                path: database.label, current: package?.model.name, try database.inspect(package))
        }
        if store == StoreOpening.memoryPath {
            throw Failure("a store of the type memory has no file that could be inspected")
        }
        var (opening, package) = try ExistingStore.find(store, model: model, isServed: false)
        opening.use = .readOnly
        return InspectionReport(
            path: opening.path, current: package?.model.name, try inspect(opening, package))
    }

    private static func inspect(
        _ opening: StoreOpening, _ package: ModelPackage?
    ) throws -> StoreInspection {
        do {
            guard opening.isSQLite else { return try inspectWholeFile(opening, package) }
            let versions = try package?.versions().nearestFirst.map(\.model) ?? []
            return try SQLiteStore.inspect(
                path: opening.path, among: versions, published: package?.versionHashes ?? [:])
        } catch let error as StoreError {
            throw opening.located(error)
        }
    }

    /// Inspects a store whose file is read whole. Opening it checks every object.
    private static func inspectWholeFile(
        _ opening: StoreOpening, _ package: ModelPackage?
    ) throws -> StoreInspection {
        try ExistingStore.open(opening, package) { store, version in
            var found = StoreInspection(type: store.type, metadata: try store.metadata)
            found.model = .init(name: version.name, isOwn: package == nil)
            found.hashes = "those of the model"
            found.files = [.init(.store, opening.path, bytes: try opening.fileSize())]
            let reader = try store.reader()
            defer { reader.close() }
            var depths: [Int: Int] = [:]
            for entity in store.model.storedEntities {
                var all = FetchRequest(entity: entity)
                all.includesSubentities = false
                let depth = entity.parent.flatMap { depths[$0] }.map { $0 + 1 } ?? 0
                depths[entity.index] = depth
                found.entities.append(
                    .init(name: entity.name, depth: depth, objects: Int64(try reader.count(all))))
                found.differences += try farDates(of: entity, reader.fetch(all), reader)
            }
            return found
        }
    }

    /// Names the attributes with dates that are read as null.
    private static func farDates(
        of entity: Entity, _ rows: [Snapshot], _ reader: any StoreReader
    ) throws -> [String] {
        var found: [String] = []
        for case .attribute(let it) in entity.slots where it.type == .date {
            let dates = try reader.infiniteNumbers(of: it, keys: rows.map(\.key))
            guard let first = dates.keys.min() else { continue }
            found.append(
                "\(entity.name).\(it.name): in \(dates.count) "
                    + "\(dates.count == 1 ? "object" : "objects") (first: \(first)) the date is "
                    + "beyond the years that it can have: it is read as null")
        }
        return found
    }
}

/// The stores of `inspect` and `check`.
struct InspectedStores: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The store's file, the folder of a backup, or the URL of a database, or several; "
                + "CONFIGURATION=FILE, with --model, for a store of one configuration.",
            valueName: "store"))
    var stores: [String]

    @Option(
        help: ArgumentHelp(
            "The model, or the package with the store's version. A store that is no SQLite file is "
                + "read by its model.", valueName: "path"))
    var model: String?

    /// The files of the stores, with those in a folder in its place.
    var files: [String] {
        stores.flatMap { path in
            guard DatabaseOpening(path) == nil, FileKind.otherThanFile(path) != nil else {
                return [path]
            }
            let found = BackupContents(path).allStores
            return found.isEmpty ? [path] : found
        }
    }
}
