/// `stele import`: files of objects into a store.

import ArgumentParser
import Glibc
import SteleGraph
import SteleJSON
import SteleModel
import SteleService

extension DataFormat: ExpressibleByArgument {}
extension ImportOptions.Missing: ExpressibleByArgument {}
extension ImportOptions.Conflict: ExpressibleByArgument {}
extension ImportOptions.Escapes: ExpressibleByArgument {}
extension ImportOptions.Dates: ExpressibleByArgument {}

/// Loads NDJSON, JSON, CSV and TSV files into a store, which is created where there is none.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Load files of NDJSON, JSON, CSV or TSV into a store.",
        discussion: """
            Each record of a file is one object of one entity. A file is named after its entity \
            (city.ndjson, cities.csv: City), it is given with it (City=big.ndjson), or each record \
            has it as _entity. CSV and TSV have a header with the names of the attributes.

            A relationship is given by the keys of its destinations, in any order of records and \
            files: "country":"IR", "neighbours":["ES","FR"]. The key of an entity is its \
            uniqueness constraint, or what --key names. A key of several attributes is an object, \
            or a column for each: city.name, city.country. In records with _id, as stele export \
            writes them, numbers are ids.

              stele import World.xcdatamodeld --store world.sqlite *.ndjson

            An import is one transaction: after an error nothing is saved, and the exit status is 1.
            """)

    @Argument(help: ModelArgument.help)
    var model: String

    @Argument(help: ArgumentHelp("The files, each PATH or ENTITY=PATH.", valueName: "file"))
    var files: [String] = []

    @OptionGroup var stores: StoreFlags

    @Option(
        help: ArgumentHelp(
            "The attributes and to-one relationships whose values name an entity's objects.",
            valueName: "entity.attribute,attribute"))
    var key: [String] = []

    @Option(
        help: "The form of all files: ndjson, json, csv or tsv; by default their names tell it.")
    var format: DataFormat?

    @Option(
        help: """
            Links to objects that do not exist: error saves nothing, null leaves out the link, \
            skip leaves out the object.
            """)
    var missing = ImportOptions.Missing.error

    @Option(
        help: """
            Objects that are in the store: update sets the given values, skip leaves them, error \
            saves nothing.
            """)
    var onConflict = ImportOptions.Conflict.error

    @Flag(help: "Do everything but the save, and say what would be saved.")
    var dryRun = false

    @Flag(name: .customLong("new-ids"), help: "Give new ids to objects with _id.")
    var newIDs = false

    @Flag(help: "Import a file without keys once more.")
    var again = false

    @Option(
        help: ArgumentHelp(
            "A folder with files NAME.N.ndjson: load those not loaded yet, in order of N.",
            valueName: "folder"))
    var seeds: String?

    @Flag(help: "Ignore keys that the entity does not have.")
    var ignoreUnknown = false

    @Option(
        help: ArgumentHelp(
            "What separates cells, such as ; or tab; by default the header tells it.",
            valueName: "character"))
    var separator: String?

    @Option(
        help: """
            How cells have separators and line ends: between quotes, or with a backslash, as \\t and \
            \\n.
            """)
    var escapes: ImportOptions.Escapes?

    @Option(
        name: .customLong("null"),
        help: ArgumentHelp(
            "A text of cells that is null, in all columns or in one.", valueName: "[column=]text"))
    var nulls: [String] = []

    @Option(
        help: ArgumentHelp(
            "The time zone of dates without an offset: UTC, +02:00, Europe/Zurich.",
            valueName: "zone"))
    var timeZone: String?

    @Option(
        help: """
            What numbers in the place of dates count since 1970: seconds, milliseconds, \
            microseconds or nanoseconds.
            """)
    var dates: ImportOptions.Dates?

    @Option(help: ArgumentHelp("How many errors in records are listed.", valueName: "number"))
    var errors = ImportOptions().mostErrors

    func validate() throws {
        for text in key { _ = try Self.key(text) }
        _ = try Self.separator(separator)
        if errors < 1 { throw ValidationError("--errors is a number from 1, not \(errors)") }
        if files.isEmpty == (seeds == nil) {
            throw ValidationError("give files, or a folder with --seeds")
        }
        if dryRun, seeds != nil {
            throw ValidationError("--dry-run is for files: seeds are loaded and saved")
        }
    }

    func run() throws {
        try Failure.reporting {
            try Transformers.registerFromEnvironment()
            let opening = try stores.opening(
                try ModelPackage(model), for: dryRun ? .trial : .write)
            let model = try opening.package().model
            if let seeds { return try loadSeeds(seeds, opening) }
            let files = try files.map(Self.file)
            for file in files where access(file.path, F_OK) != 0 {
                throw Failure("\(file.path): no such file")
            }
            let plan = try ImportPlan(
                model: model, files: files, keys: try key.map(Self.key), options: options())
            let bar = ProgressBar()
            defer { bar.clear() }
            let summary = try Self.filling(opening) { coordinator in
                try Import(coordinator, plan).run { bar.show($0) }
            }
            bar.clear()
            write(
                ImportReport.text(summary, model, isDryRun: dryRun, seconds: bar.seconds), to: 1)
        }
    }

    private func loadSeeds(_ folder: String, _ opening: StoresOpening) throws {
        let seeds = try Seeds(folder: folder)
        let loaded = try Self.filling(opening) { try seeds.load(into: $0) }
        for name in loaded { write("\(name) is loaded\n", to: 1) }
        if loaded.isEmpty { write("all seeds are loaded already\n", to: 1) }
    }

    /// Opens the stores for an import. Those that it would create are not there after a refused one.
    private static func filling<R>(
        _ opening: StoresOpening, _ load: (PersistentStoreCoordinator) throws -> R
    ) throws -> R {
        let new = NewStores(opening)
        let store = try opening.open(.refuse)
        defer { store.close() }
        do { return try load(PersistentStoreCoordinator(store: store)) } catch {
            new.discard(store)
            throw error
        }
    }

    private func options() throws -> ImportOptions {
        var options = ImportOptions()
        options.format = format
        options.missing = missing
        options.onConflict = onConflict
        options.isDryRun = dryRun
        options.givesNewIDs = newIDs
        options.isAgain = again
        options.ignoresUnknownKeys = ignoreUnknown
        options.separator = try Self.separator(separator)
        options.escapes = escapes
        options.nulls = nulls.map(Self.null)
        options.timeZone = try timeZone.map(ZoneRules.init(named:))
        options.dates = dates
        options.mostErrors = errors
        return options
    }

    /// One ASCII character, or `tab`.
    static func separator(_ text: String?) throws -> UInt8? {
        guard let text else { return nil }
        if text == "tab" || text == "\\t" { return UInt8(ascii: "\t") }
        guard let byte = text.utf8.first, text.utf8.count == 1, byte < 0x80, byte != 0x0A,
            byte != 0x0D, byte != UInt8(ascii: "\"")
        else {
            throw ValidationError(
                "--separator is one ASCII character, or tab, and no quote, not \(text)")
        }
        return byte
    }

    /// `COLUMN=TEXT` or `TEXT`.
    static func null(_ text: String) -> (column: String?, text: String) {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            return (nil, text)
        }
        return (String(text[..<equals]), String(text[text.index(after: equals)...]))
    }

    /// `PATH` or `ENTITY=PATH`.
    static func file(_ text: String) throws -> (path: String, entity: String?) {
        guard let equals = text.firstIndex(of: "="),
            text[..<equals].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }),
            equals > text.startIndex
        else { return (text, nil) }
        return (String(text[text.index(after: equals)...]), String(text[..<equals]))
    }

    /// `ENTITY.ATTRIBUTE,ATTRIBUTE`.
    static func key(_ text: String) throws -> (entity: String, attribute: String) {
        guard let dot = text.firstIndex(of: "."), dot > text.startIndex,
            text.index(after: dot) < text.endIndex
        else {
            throw ValidationError(
                "--key is ENTITY.ATTRIBUTE, such as City.iso or City.name,country, not \(text)"
            )
        }
        return (String(text[..<dot]), String(text[text.index(after: dot)...]))
    }
}
