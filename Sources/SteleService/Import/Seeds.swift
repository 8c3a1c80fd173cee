/// Seed data with a version: files that a store loads once.

import Glibc
import SteleGraph
import SteleModel
import StelePersistence

/// The numbered files of a folder, `NAME.N.ndjson`, also as JSON, CSV or TSV.
///
/// The files of one number are one import, and the numbers are loaded in order. The store keeps a
/// receipt of each file, so that it is loaded once, whatever happens to its objects afterwards.
public struct Seeds {
    private let folder: String
    /// The names of the files by number, sorted.
    private let files: [(number: Int, names: [String])]

    /// Finds the files, before a store is opened.
    /// - Throws: `ImportError` if the folder cannot be read, or has a data file without a number.
    public init(folder: String) throws {
        self.folder = folder
        var files: [Int: [String]] = [:]
        for name in try Self.names(in: folder) {
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            guard let ending = parts.last, Self.endings.contains(ending.lowercased()) else {
                continue
            }
            guard parts.count == 3, let number = Int(parts[1]), number >= 0 else {
                throw ImportError(
                    "a seed has a number, such as \(parts[0]).1.\(ending)",
                    file: "\(folder)/\(name)")
            }
            files[number, default: []].append(name)
        }
        self.files = files.sorted { $0.key < $1.key }.map { ($0.key, $0.value.sorted()) }
    }

    private static let endings = ["ndjson", "json", "csv", "tsv"]

    /// Loads the files that a store has not loaded yet.
    /// - Returns: the loaded files.
    /// - Throws: the errors of an import. The numbers before it are loaded.
    public func load(into coordinator: PersistentStoreCoordinator) throws -> [String] {
        var loaded: [String] = []
        for (_, names) in files {
            let new = try Self.unloaded(names, coordinator.store)
            if new.isEmpty { continue }
            var plan = try ImportPlan(
                model: coordinator.model, files: new.map { ("\(folder)/\($0)", nil) },
                keys: Self.keys(of: coordinator.model))
            plan.seeds = new
            loaded += try Import(coordinator, plan).run().seeds
        }
        return loaded
    }

    private static func unloaded(
        _ names: [String], _ store: any PersistentStore
    ) throws -> [String] {
        let reader = try store.reader()
        defer { reader.close() }
        return try names.filter { try reader.receipt(ImportReceipts.key(ofSeed: $0)) == nil }
    }

    /// The keys by which seeds refer to objects: `name`, for entities without a uniqueness
    /// constraint.
    public static func keys(of model: Model) -> [(entity: String, attribute: String)] {
        model.entities.filter {
            $0.uniquenessConstraints.isEmpty && $0.attribute(named: "name") != nil
        }.map { ($0.name, "name") }
    }

    private static func names(in folder: String) throws -> [String] {
        guard let directory = opendir(folder) else {
            throw ImportError("cannot be read: \(String(cString: strerror(errno)))", file: folder)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.sorted()
    }
}
