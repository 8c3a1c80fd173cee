/// What a service stands on: a store of its own, or the sample's.

import FoundationEssentials
import Glibc
import SteleGraph
import SteleModel
import StelePersistence
import SteleSQLite
import SteleService

/// An open store, and what is to be done with it before and after.
struct Ground {
    let store: SQLiteStore
    /// How to name the store to a person.
    let name: String
    /// The entity to show first.
    var firstEntity: String?
    /// Seeds to load into it.
    var seeds: [String] = []
    /// A folder that ends with the service.
    var temporaryFolder: String?

    init(store: SQLiteStore, name: String) {
        self.store = store
        self.name = name
    }

    /// The sample that ships, on a store in a temporary folder: readers are connections of their
    /// own, and a database in memory cannot be shared between connections.
    static func sample() throws -> Ground {
        let folder = try SampleFiles.folder()
        let model = try Serving.model("\(folder)/Models/League.xcdatamodeld")
        let temporary = try makeTemporaryFolder()
        do {
            let store = try SQLiteStore.opened("\(temporary)/League.sqlite", model)
            var ground = Ground(store: store, name: "the sample; it is gone when this ends")
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
        var keys: [(entity: String, attribute: String)] = []
        for entity in store.model.entities where entity.attribute(named: "name") != nil {
            keys.append((entity.name, "name"))
        }
        let plan = try ImportPlan(
            model: store.model, files: seeds.map { ($0, nil) }, keys: keys)
        do {
            _ = try Import(coordinator, plan).run()
        } catch {
            close()
            throw error
        }
    }

    /// Closes the store, and removes what was the sample's.
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
            throw Failure("no folder can be made in \(place): \(String(cString: strerror(reason)))")
        }
        return made
    }

    private static func remove(_ folder: String) {
        try? FileManager.default.removeItem(atPath: folder)
    }
}

/// Where the files that ship lie.
enum SampleFiles {
    /// The folder that holds `Models` and `Seeds`: `Config` here, `../share/stele` beside the
    /// program, or `Config` in a folder above it.
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
        where FileManager.default.fileExists(atPath: "\(candidate)/Models/League.xcdatamodeld") {
            return candidate
        }
        throw Failure(
            "the sample cannot be found (Config/Models/League.xcdatamodeld); "
                + "say which model to serve: stele serve MODEL")
    }

    /// The seeds' files by name.
    static func seeds(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".ndjson") }.sorted().map { "\(folder)/\($0)" }
    }

    private static func parent(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
}
