/// The store that is served: the user's, or the sample's.

import FoundationEssentials
import Glibc
import SteleGraph
import SteleModel
import StelePersistence
import SteleService

/// An open store, with what is loaded into it and removed at the end.
struct Ground {
    let store: any PersistentStore
    /// The store's name for the user.
    let name: String
    /// The model's name.
    let modelName: String
    /// All versions of the model that can be read; empty for the served one alone.
    var versions: [Model] = []
    /// What is said of stores that are new, for the first line.
    var newness = ""
    /// The entity of the example request.
    var firstEntity: String?
    /// The files to load.
    var seeds: [String] = []
    /// The files that were created for the store; nil for the sample and for a database.
    var newStores: NewStores?
    /// A folder that is removed at the end.
    var temporaryFolder: String?

    init(store: any PersistentStore, name: String, modelName: String? = nil) {
        self.store = store
        self.name = name
        self.modelName = modelName ?? store.model.name
    }

    /// The sample, on a store in a temporary folder: readers have their own connections, which
    /// cannot share a database in memory.
    static func sample() throws -> Ground {
        let folder = try SampleFiles.folder()
        let model = try Serving.model(SampleFiles.model(in: folder))
        let temporary = try makeTemporaryFolder()
        do {
            let path = "\(temporary)/League.sqlite"
            let store = try StoreOpening(path, type: nil, model).open(model)
            var ground = Ground(store: store, name: "the sample, which is removed at the end")
            ground.firstEntity = "Team"
            ground.seeds = SampleFiles.seeds(in: "\(folder)/Seeds/League")
            ground.temporaryFolder = temporary
            return ground
        } catch {
            remove(temporary)
            throw error
        }
    }

    /// Loads the seeds.
    func load(_ coordinator: PersistentStoreCoordinator) throws {
        guard !seeds.isEmpty else { return }
        let plan = try ImportPlan(
            model: store.model, files: seeds.map { ($0, nil) }, keys: Seeds.keys(of: store.model))
        do {
            _ = try Import(coordinator, plan).run()
        } catch {
            close()
            throw error
        }
    }

    /// Closes the store, and removes the sample's folder.
    func close() {
        store.close()
        if let temporaryFolder { Self.remove(temporaryFolder) }
    }

    private static func makeTemporaryFolder() throws -> String {
        let place = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(place)/stele-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer -> String? in
            guard let start = buffer.baseAddress, let path = mkdtemp(start) else { return nil }
            return String(cString: path)
        }
        let reason = errno
        guard let made else {
            throw Failure(
                "no folder can be created in \(place): \(String(cString: strerror(reason)))")
        }
        return made
    }

    private static func remove(_ folder: String) {
        try? FileManager.default.removeItem(atPath: folder)
    }
}

/// The sample's files.
enum SampleFiles {
    /// The folder of `Models` and `Seeds`: `Config` in the current folder, `../share/stele` beside
    /// the program's, or `Config` in a folder above the program.
    static func folder() throws -> String {
        var candidates = ["Config"]
        if let program = try? FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/self/exe")
        {
            var folder = parent(program)
            candidates.append("\(parent(folder))/share/stele")
            while !folder.isEmpty {
                candidates.append("\(folder)/Config")
                folder = parent(folder)
            }
        }
        for candidate in candidates
        where FileManager.default.fileExists(atPath: model(in: candidate)) {
            return candidate
        }
        throw Failure(
            "the sample (Config/Models/League.xcdatamodeld) cannot be found; "
                + "give a model: stele serve MODEL")
    }

    /// The model in that folder.
    static func model(in folder: String) -> String { "\(folder)/Models/League.xcdatamodeld" }

    /// The seed files, sorted by name.
    static func seeds(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".ndjson") }.sorted().map { "\(folder)/\($0)" }
    }

    private static func parent(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
}
