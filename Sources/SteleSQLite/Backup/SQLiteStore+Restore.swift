import FoundationEssentials
import Glibc
import SteleModel
import StelePersistence
import SteleSystem

/// Putting a backup in the place of a store.
extension SQLiteStore {
    /// Puts a copy of a backup in the place of a store's file. The backup stays.
    ///
    /// The copy is made in a folder beside the store and brought to the disk. Then all that belongs
    /// to the present store moves to a folder beside it, its file last: that is replaced in one
    /// step, so the path has the one file or the other at any moment. A call after one that was
    /// killed goes on with the same folder.
    /// - Parameters:
    ///   - backup: the file of a store, which no program changes.
    ///   - path: the store's file, which need not exist.
    /// - Returns: the folder with what was at the store's place; nil where there was nothing.
    /// - Throws: `StoreError`: `.incompatible` for a backup that is damaged, incomplete or no store,
    ///   or of another store than that at `path`, and for a file at `path` that is no store; `.busy`
    ///   where a program has the store open; `.noRoom` and `.failed`. The store is then as it was.
    public static func restore(
        _ backup: String, to path: String
    ) throws(StoreError) -> String? {
        let backup = StoreLook.place(of: backup)
        let identifier = try check(backup)
        let replacement = try Replacement(path)
        // Under the lock it is not known whether another program uses the log.
        if let text = DamageMark.finding(path) { DamageMark.leave(beside: path, text) }
        guard let lock = try StoreLock(store: path, whileAlone: {}) else {
            throw StoreLock.failure(of: path)
        }
        defer { lock.leave() }
        guard lock.excludeOthers() else { throw isOpenElsewhere(path) }
        let mode = try replacement.check(identifier, backup)
        do throws(StoreError) {
            let staging = try Staging(beside: replacement.target)
            defer { staging.remove() }
            let copy = "\(staging.path)/\(replacement.name)"
            var external: [UUID: ExternalFolder.FileState] = [:]
            try ExternalFolder(store: backup).copyFiles(
                to: ExternalFolder(store: copy), &external)
            let model = StoreLook.hasContents(replacement.target) ? replacement.target : backup
            for ending in ["", StoreFile.historyEnding]
            where StoreLook.hasContents(backup + ending) {
                try StoreLook.copy(backup + ending, to: copy + ending)
                try give(copy + ending, theModeOf: model)
                try sync(copy + ending)
                // SQLite has made none, or empty ones.
                for rest in ["-wal", "-shm"] { unlink(copy + ending + rest) }
            }
            try ExternalFolder.sync(folder: staging.path)
            return try replacement.replace(by: copy)
        } catch {
            if let mode, mode.isRollback { restore(mode, of: replacement.target) }
            throw error
        }
    }

    /// Checks that a file is a whole store with its external files.
    /// - Returns: its identifier.
    private static func check(_ backup: String) throws(StoreError) -> String {
        let history = backup + StoreFile.historyEnding
        for file in [backup, history] where file == backup || StoreLook.hasContents(file) {
            try StoreLook.at(file) { (connection) throws(StoreError) in
                guard try connection.single("PRAGMA quick_check(1)") == .string("ok") else {
                    throw .incompatible(
                        code: 259, "\(file) is damaged (stele check says where): use another backup"
                    )
                }
            }
        }
        return try StoreLook.at(backup) { (connection) throws(StoreError) in
            let identifier = try StoreFile.look(connection, backup).identifier
            let external = ExternalFolder(store: backup)
            let missing = try external.missing(connection)
            guard missing == 0 else {
                throw .incompatible(
                    code: 134080,
                    "\(missing) external files of \(backup) are missing: \(external.support) must "
                        + "be copied with it")
            }
            return identifier
        }
    }
}

/// A new folder beside a store, for a copy that is to take its place.
private struct Staging {
    let path: String

    init(beside target: String) throws(StoreError) {
        var template = Array("\(target).restoring-XXXXXX".utf8CString)
        guard
            let made = template.withUnsafeMutableBufferPointer({
                $0.baseAddress.flatMap { mkdtemp($0) }
            })
        else {
            throw ExternalFolder.failure("creating a folder beside \(target)")
        }
        path = String(cString: made)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

/// A store's file that is to be replaced, with all that belongs to it.
private struct Replacement {
    /// The store's file, after links.
    let target: String
    let folder: String
    let name: String
    private let external: ExternalFolder

    /// - Throws: `StoreError.incompatible` for a link that leads to nothing, and for what is no file.
    init(_ path: String) throws(StoreError) {
        let target = StoreLook.place(of: path)
        var found = stat()
        if lstat(target, &found) == 0, found.st_mode & S_IFMT == S_IFLNK {
            throw .incompatible(
                code: 134080, "\(path) is a link that leads to nothing: name the file itself")
        }
        if let other = FileKind.otherThanFile(target) {
            throw .incompatible(code: 134080, "\(path) is \(other), and a store is a file")
        }
        let cut = target.lastIndex(of: "/").map { target.index(after: $0) } ?? target.startIndex
        (folder, name) = (String(target[..<cut]), String(target[cut...]))
        self.target = target
        external = ExternalFolder(store: target)
    }

    /// Checks that no program has the store open, that it is the one that the backup is of, and that
    /// its external files are its own. A store whose metadata cannot be read may be replaced by any.
    /// - Returns: the mode that the file had; nil where there is none, or it cannot be opened.
    func check(
        _ identifier: String, _ backup: String
    ) throws(StoreError) -> SQLiteStore.JournalMode? {
        var found = stat()
        if lstat(external.support, &found) == 0, found.st_mode & S_IFMT == S_IFLNK {
            throw .incompatible(
                code: 134080, "\(external.support) is a link: put the folder itself there")
        }
        try checkIsNotShared()
        guard StoreLook.hasContents(target) else { return nil }
        let present: String?
        do throws(StoreError) {
            present = try StoreLook.at(target) { (connection) throws(StoreError) in
                try StoreFile.look(connection, target).identifier
            }
        } catch {
            switch error {
            // A store whose log is damaged, in which its tables were.
            case .incompatible(code: 134020, _) where DamageMark.finding(target) != nil:
                return nil
            // A database of another program.
            case .incompatible(code: 134020, _): throw error
            case .incompatible, .failed:
                // A store that is damaged.
                if Self.isSQLite(target) { return nil }
                throw .incompatible(
                    code: 134020, "\(target) is not a store: move it away first")
            default: throw error
            }
        }
        guard present == identifier else {
            throw .incompatible(
                code: 134020,
                "\(backup) is a backup of the store \(identifier), and \(target) is the store "
                    + "\(present ?? "without a UUID"): move that one away first")
        }
        return try SQLiteStore.checkIsClosed(path: target)
    }

    private static func isSQLite(_ file: String) -> Bool {
        guard let file = fopen(file, "rbe") else { return false }
        defer { fclose(file) }
        var start = [UInt8](repeating: 0, count: 16)
        return fread(&start, 1, 16, file) == 16 && start.elementsEqual("SQLite format 3\0".utf8)
    }

    /// Two stores in a folder whose names differ in their extensions share a folder of external
    /// files, and what of it is whose is not known without both.
    private func checkIsNotShared() throws(StoreError) {
        guard external.exists else { return }
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder))
            ?? []
        for other in names where other != name && !other.hasPrefix("\(name)-") {
            let path = folder + other
            guard ExternalFolder(store: path).support == external.support,
                FileKind.otherThanFile(path) == nil, Self.isSQLite(path)
            else { continue }
            throw .incompatible(
                code: 134080,
                "\(target) and \(path) share the folder of external files \(external.support): move "
                    + "one of them to another folder first")
        }
    }

    /// The files and folders that belong to the store, besides its file.
    private var companions: [String] {
        let history = StoreFile.historyEnding
        let endings =
            ["-wal", "-shm", "-journal", "-seal", DamageMark.ending, history]
            + ["-wal", "-shm", "-journal"].map { history + $0 }
        return endings.map { name + $0 } + [Self.last(external.support)]
    }

    private static func last(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// Puts a copy in the store's place.
    /// - Parameter copy: the copy's file, with its companions beside it.
    /// - Returns: the folder with what was there; nil where there was nothing.
    func replace(by copy: String) throws(StoreError) -> String? {
        let staging = String(copy.dropLast(name.utf8.count + 1))
        let unfinished = "\(target)-replaced.part"
        let isThere = access(target, F_OK) == 0
        let present = companions.filter { access(folder + $0, F_OK) == 0 }
        let goesOn = access(unfinished, F_OK) == 0
        if isThere || !present.isEmpty, !goesOn, mkdir(unfinished, 0o700) != 0 {
            throw ExternalFolder.failure("creating \(unfinished)")
        }
        var moves: [(from: String, to: String)] = []
        var isLinked = false
        do throws(StoreError) {
            for item in present {
                try move(folder + item, Self.free("\(unfinished)/\(item)"), &moves)
            }
            for item in companions where access("\(staging)/\(item)", F_OK) == 0 {
                try move("\(staging)/\(item)", folder + item, &moves)
            }
            if isThere { isLinked = try keep("\(unfinished)/\(name)", &moves) }
            guard rename(copy, target) == 0 else {
                throw ExternalFolder.failure("moving the copy to \(target)")
            }
        } catch {
            for (from, to) in moves.reversed() { rename(to, from) }
            if isLinked { unlink("\(unfinished)/\(name)") }
            if !goesOn { rmdir(unfinished) }
            throw error
        }
        try ExternalFolder.sync(folder: folder.isEmpty ? "." : folder)
        guard isThere || !present.isEmpty || goesOn else { return nil }
        try ExternalFolder.sync(folder: unfinished)
        var number = 1
        while access("\(target)-replaced-\(number)", F_OK) == 0 { number += 1 }
        let kept = "\(target)-replaced-\(number)"
        guard rename(unfinished, kept) == 0 else {
            throw ExternalFolder.failure("moving \(unfinished) to \(kept)")
        }
        return kept
    }

    /// A name that no file has: what a killed call has moved stays.
    private static func free(_ path: String) -> String {
        var (name, number) = (path, 1)
        while access(name, F_OK) == 0 {
            number += 1
            name = "\(path)-\(number)"
        }
        return name
    }

    private func move(
        _ from: String, _ to: String, _ moves: inout [(from: String, to: String)]
    ) throws(StoreError) {
        guard rename(from, to) == 0 else {
            throw ExternalFolder.failure("moving \(from) to \(to)")
        }
        moves.append((from, to))
    }

    /// Gives the store's file a second name, so that the first always leads to a file. Where a killed
    /// call has done so, the file of that name is the old store, and the present one may be the copy.
    /// - Returns: whether there is a new name, which an error takes back.
    private func keep(
        _ name: String, _ moves: inout [(from: String, to: String)]
    ) throws(StoreError) -> Bool {
        if access(name, F_OK) == 0 { return false }
        if link(target, name) == 0 { return true }
        // The file system has no second names.
        try move(target, name, &moves)
        return false
    }
}
