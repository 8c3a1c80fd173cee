/// `stele import`: files of JSON lines into a store.

import ArgumentParser
import Glibc
import SteleGraph
import SteleModel
import SteleService

/// Loads NDJSON files into a store, which is created where there is none.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Load files of JSON lines into a store.",
        discussion: """
            Each line of a file is one object of one entity. A file is named after its entity \
            (city.ndjson, cities.ndjson: City) or given with it: City=big.ndjson.

            A relationship is given by the names of its destinations, in any order of lines and \
            files: "country":"IR", "neighbours":["ES","FR"]. The name of an object is the value of \
            the attribute of its entity's uniqueness constraint, or of the attribute in --key.

              stele import World.xcdatamodeld --store world.sqlite *.ndjson

            Every few thousand lines are one save. After an error the earlier saves stay, and \
            nothing of the failed batch; the exit status is 1.
            """)

    @Argument(help: "The model: .xcdatamodeld, .xcdatamodel, contents, or the same as JSON.")
    var model: String

    @Argument(help: ArgumentHelp("The files, each PATH or ENTITY=PATH.", valueName: "file"))
    var files: [String]

    @Option(help: ArgumentHelp("The store's file.", valueName: "path"))
    var store: String

    @Option(help: SettingFlags.help("store-type", "type"))
    var storeType: String?

    @Option(
        help: ArgumentHelp(
            "The attribute whose values name an entity's objects.", valueName: "entity.attribute"))
    var key: [String] = []

    @Flag(help: "Ignore keys that the entity does not have.")
    var ignoreUnknown = false

    func validate() throws {
        for text in key { _ = try Self.key(text) }
    }

    func run() throws {
        try Failure.reporting {
            try Transformers.registerFromEnvironment()
            let model = try Serving.model(model)
            let files = try files.map(Self.file)
            for file in files where access(file.path, F_OK) != 0 {
                throw Failure("\(file.path): no such file")
            }
            let plan = try ImportPlan(
                model: model, files: files, keys: try key.map(Self.key),
                ignoresUnknownKeys: ignoreUnknown)
            let store = try StoreOpening(self.store, type: storeType, model).open(model)
            defer { store.close() }
            let work = Import(PersistentStoreCoordinator(store: store), plan)
            let bar = ProgressBar()
            do {
                try work.run { bar.show($0) }
            } catch {
                bar.clear()
                let done = work.summary.total
                throw Failure(
                    Failure.sentence(error)
                        + (done > 0 ? "\n\(done) objects were saved before the error" : ""))
            }
            bar.clear()
            write(ImportReport.text(work.summary, model, seconds: bar.seconds), to: 1)
        }
    }

    /// `PATH` or `ENTITY=PATH`.
    static func file(_ text: String) throws -> (path: String, entity: String?) {
        guard let equals = text.firstIndex(of: "="),
            text[..<equals].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }),
            equals > text.startIndex
        else { return (text, nil) }
        return (String(text[text.index(after: equals)...]), String(text[..<equals]))
    }

    /// `ENTITY.ATTRIBUTE`.
    static func key(_ text: String) throws -> (entity: String, attribute: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
            throw ValidationError("--key is ENTITY.ATTRIBUTE, such as City.geonameId, not \(text)")
        }
        return (String(parts[0]), String(parts[1]))
    }
}
