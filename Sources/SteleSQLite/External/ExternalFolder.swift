import Glibc
import SteleModel
import StelePersistence
import SteleSQL

/// The folder of a store's external files, as Core Data has it: `.NAME_SUPPORT/_EXTERNAL_DATA`
/// beside `NAME.sqlite`. Each file has one value and a UUID as its name. The file and the folder
/// are synced before the row that refers to the file is committed.
struct ExternalFolder: Sendable {
    /// The folder of the files.
    let path: String
    /// Its parent folder.
    let support: String

    init(store: String) {
        let store = StoreLook.place(of: store)
        let cut = store.lastIndex(of: "/").map { store.index(after: $0) } ?? store.startIndex
        let file = store[cut...]
        let name = file.dropFirst().lastIndex(of: ".").map { file[..<$0] } ?? file
        support = "\(store[..<cut]).\(name)_SUPPORT"
        path = "\(support)/_EXTERNAL_DATA"
    }

    /// Creates an empty file with a new name and opens it for writing.
    /// - Throws: `StoreError`: `.failed` or `.noRoom`.
    func create() throws(StoreError) -> (data: ExternalData, descriptor: Int32) {
        let data = ExternalData(UUID(), in: path)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        var descriptor = open(data.path, flags, 0o644)
        if descriptor < 0, errno == ENOENT {
            try make(support)
            try make(path)
            descriptor = open(data.path, flags, 0o644)
        }
        guard descriptor >= 0 else { throw Self.failure("creating \(data.path)") }
        return (data, descriptor)
    }

    /// Writes a value to a new file, which is on disk when this returns.
    /// - Throws: `StoreError`: `.failed` or `.noRoom`; no file remains then.
    func write(_ bytes: [UInt8]) throws(StoreError) -> ExternalData {
        let (data, descriptor) = try create()
        do {
            try Self.append(bytes, to: descriptor, data.path)
            try finish(descriptor, data.path)
        } catch {
            unlink(data.path)
            throw error
        }
        return data
    }

    /// Whether a file is in the folder.
    func has(_ data: ExternalData) -> Bool {
        data.path == ExternalData(data.identifier, in: path).path
    }

    /// Makes a file of another folder a new file of this folder, without reading it into memory: by
    /// a hard link, of the same name unless this folder has one, or by a copy where the file system
    /// has no links. The caller syncs the folder.
    /// - Throws: `StoreError`: `.failed` or `.noRoom`.
    func adopt(_ other: ExternalData) throws(StoreError) -> ExternalData {
        if access(path, F_OK) != 0 {
            try make(support)
            try make(path)
        }
        // Before its row is committed it must not be old, nor have the name of an old file: a sweep
        // may be about to remove that one. What is made in a private copy changes nothing of the store.
        if PrivateCopy.contains(path) || utimes(other.path, nil) == 0 {
            for name in [other.identifier, UUID()] {
                let data = ExternalData(name, in: path)
                if link(other.path, data.path) == 0 { return data }
            }
        }
        return try copy(other)
    }

    /// The number of bytes that a copy reads at once.
    private static let step = 1 << 20

    private func copy(_ other: ExternalData) throws(StoreError) -> ExternalData {
        guard let source = other.open() else { throw Self.failure("reading \(other.path)") }
        defer { close(source) }
        let (data, descriptor) = try create()
        do throws(StoreError) {
            var bytes = [UInt8](repeating: 0, count: Self.step)
            while true {
                let count = read(source, &bytes, bytes.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw Self.failure("reading \(other.path)") }
                if count == 0 { break }
                try Self.append(Array(bytes.prefix(count)), to: descriptor, data.path)
            }
        } catch {
            close(descriptor)
            unlink(data.path)
            throw error
        }
        do { try finish(descriptor, data.path) } catch {
            unlink(data.path)
            throw error
        }
        return data
    }

    /// Writes all bytes.
    static func append(
        _ bytes: [UInt8], to descriptor: Int32, _ path: String
    ) throws(StoreError) {
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw failure("writing \(path)") }
            done += written
        }
    }

    /// Syncs and closes a file, and syncs its folder.
    func finish(_ descriptor: Int32, _ path: String) throws(StoreError) {
        let synced = fsync(descriptor) == 0
        let failure = Self.failure("syncing \(path)")
        close(descriptor)
        guard synced else { throw failure }
        try Self.sync(folder: self.path)
    }

    /// Makes the folders, where they are not there, without an owner.
    func makeFolders() throws(StoreError) {
        try make(support)
        try make(path)
    }

    private func make(_ folder: String) throws(StoreError) {
        guard mkdir(folder, 0o755) == 0 else {
            if errno == EEXIST { return }
            throw Self.failure("creating the folder \(folder)")
        }
        let cut = folder.lastIndex(of: "/")
        try Self.sync(folder: cut.map { String(folder[..<$0]) } ?? ".")
    }

    static func sync(folder: String) throws(StoreError) {
        let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("opening \(folder)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("syncing \(folder)") }
    }

    static func failure(_ action: String) -> StoreError {
        let reason = errno
        let sentence = "\(action): \(String(cString: strerror(reason)))"
        return SQLiteFailure.hasNoRoom(reason) ? .noRoom(sentence) : .failed(sentence)
    }

    // MARK: Ownership

    /// The file with the identifier of the store that owns the folder. Stores named `a.sqlite` and
    /// `a.db` share one folder.
    private var ownerPath: String { "\(support)/STELE_STORE" }

    /// The identifier of the store that owns the folder; empty without an owner file.
    var owner: String { StoreSeal.contents(of: ownerPath) }

    /// The folders and the owner file.
    var places: [String] { [support, path, ownerPath] }

    /// Returns whether the folder belongs to that store alone.
    func isOwned(by identifier: String) -> Bool {
        owner == identifier
    }

    /// Creates the folder and makes the store its owner, unless the folder exists. A folder without
    /// an owner file was created by another program, and no store may remove its files.
    func claim(for identifier: String) throws(StoreError) {
        var found = stat()
        if stat(path, &found) == 0 { return }
        try make(support)
        let descriptor = open(ownerPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        if descriptor < 0, errno == EEXIST { return try make(path) }
        guard descriptor >= 0 else { throw Self.failure("creating \(ownerPath)") }
        defer { close(descriptor) }
        try Self.append(Array(identifier.utf8), to: descriptor, ownerPath)
        try make(path)
        try Self.sync(folder: support)
    }
}
