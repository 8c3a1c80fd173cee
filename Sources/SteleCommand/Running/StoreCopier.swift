/// Copying a store to another path or type.

import FoundationEssentials
import Glibc
import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite

/// Makes a new store in a folder beside its path, and moves it there when it is whole.
struct StoreCopier {
    let from: any CommandStore
    let to: StoreOpening
    let package: ModelPackage

    /// The place and type of a store that does not exist yet.
    /// - Throws: `Failure` for a path that has a file, and for a store in memory.
    static func destination(_ path: String, type: String?, _ model: Model) throws -> StoreOpening {
        // Before its type is looked for, because an existing file would decide on it.
        for file in [path, path + "-wal"] where isThere(file) {
            throw Failure("\(file) exists: remove it, or choose another name")
        }
        let opening = try StoreOpening(path, type: type, model)
        if opening.place.type.isMemory {
            throw Failure("a store in memory ends with the command: name a file")
        }
        return opening
    }

    /// Copies the store completely or not at all.
    /// - Returns: the number of objects.
    func run(_ report: @escaping (MigrationProgress) -> Void) throws -> Int {
        let source = try from.open(package, .refuse)
        defer { source.close() }
        let folder = to.path + ".migration"
        let lock = try Self.lock(folder)
        defer { close(lock) }
        let files = FileManager.default
        defer { try? files.removeItem(atPath: folder) }
        // A killed command leaves its files behind.
        for left in try files.contentsOfDirectory(atPath: folder) {
            try files.removeItem(atPath: "\(folder)/\(left)")
        }
        let place = "\(folder)/\(Self.name(to.path))"
        do {
            let count = try copy(source, to: place, report)
            try publish(place)
            return count
        } catch let error as StoreError {
            throw to.located(error)
        }
    }

    private func copy(
        _ source: any PersistentStore, to place: String,
        _ report: @escaping (MigrationProgress) -> Void
    ) throws -> Int {
        let copy = try to.place.make(place, package.model, identifier: source.identifier)
        let count: Int
        do {
            try MigrationManager.copy(source, to: copy, progress: report)
            count = try copy.objectCount()
        } catch {
            copy.close()
            throw error
        }
        copy.close()
        if let from = from as? StoreOpening, from.isSQLite, to.isSQLite {
            try SQLiteStore.carry(from: from.path, to: place)
        }
        if Self.isThere(place + "-wal") {
            throw Failure("\(place) has a write-ahead log that cannot be written back")
        }
        return count
    }

    /// Moves the finished store to its path, which it does not replace.
    private func publish(_ place: String) throws {
        if to.isSQLite { try SQLiteStore.moveExternalFiles(from: place, to: to.path) }
        var old = stat()
        if let from = from as? StoreOpening, stat(from.path, &old) == 0 {
            chmod(place, old.st_mode & 0o777)
        }
        // A link does not replace a file. Not every file system has links.
        if link(place, to.path) != 0 {
            guard errno != EEXIST, !Self.isThere(to.path) else {
                throw Failure("\(to.path) exists: remove it, or choose another name")
            }
            guard rename(place, to.path) == 0 else {
                throw Failure("\(to.path) cannot be written: \(String(cString: strerror(errno)))")
            }
        }
        let folder = open(Self.folder(of: to.path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0, fsync(folder) == 0 else {
            throw Failure("the folder of \(to.path) cannot be brought to the disk")
        }
        close(folder)
        if to.isSQLite { SQLiteStore.finishMovingExternalFiles(to: to.path) }
    }

    /// Makes the folder, which is not readable by others, and locks it.
    private static func lock(_ folder: String) throws -> Int32 {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw Failure("\(folder) cannot be made: \(String(cString: strerror(errno)))")
        }
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            if descriptor >= 0 { close(descriptor) }
            throw Failure("\(folder) is in use by another command")
        }
        return descriptor
    }

    /// Whether there is anything at a path, also a link that leads nowhere.
    private static func isThere(_ path: String) -> Bool {
        var found = stat()
        return lstat(path, &found) == 0
    }

    private static func name(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

extension PersistentStore {
    /// Returns the number of all objects.
    func objectCount() throws -> Int {
        let reader = try reader()
        defer { reader.close() }
        let roots = model.entities.filter { $0.parent == nil }
        return try roots.reduce(0) { try $0 + reader.count(FetchRequest(entity: $1)) }
    }
}
