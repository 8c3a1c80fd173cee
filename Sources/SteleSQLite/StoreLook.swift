import FoundationEssentials
import Glibc
import StelePersistence
import SteleModel
import SteleSQL
import SteleSystem

/// Looks into a store's file before it is opened, without a change to its folder: a file that is
/// refused stays as it was, and so do its `-wal` and `-shm`.
///
/// SQLite makes these two files when it reads, and writes them back when it closes. So a file
/// without a log is read as immutable. One with both is read through them, and nothing is written.
/// One with a log alone, as in a copy, is read with an index in memory.
enum StoreLook {
    /// The turn of looking and of opening. A connection that reads through `-shm` without writing
    /// to it shares it with the others of this process, so none may begin meanwhile.
    private static let turn = Mutex(())

    /// Calls a function that opens a store, after a look that may refuse the file.
    /// - Throws: the errors of both.
    static func before<Result>(
        opening path: String, _ look: (Connection) throws(StoreError) -> Void,
        _ open: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try held { () throws(StoreError) in
            if hasContents(path) { try read(path, as: path, look) }
            return try open()
        }
    }

    /// Reads a store's file that exists.
    /// - Throws: the errors of `body`, and `StoreError` for a file that cannot be opened.
    static func at<Result>(
        _ path: String, _ body: (Connection) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try held { () throws(StoreError) in try read(path, as: path, body) }
    }

    private static func held<Value>(
        _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let result = turn.withLock { _ -> Result<Value, StoreError> in
            do throws(StoreError) { return .success(try body()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Whether there is a file with bytes at a path.
    static func hasContents(_ path: String) -> Bool {
        var found = stat()
        return stat(path, &found) == 0 && found.st_size > 0
    }

    /// Reads a file within a look.
    /// - Parameter path: the file in messages.
    static func read<Result>(
        _ file: String, as path: String, _ body: (Connection) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        // The log is beside the file that a link leads to.
        let file = resolved(file)
        if hasContents(file + "-journal") { return try copied(file, path, body) }
        guard hasContents(file + "-wal") else {
            return try body(Connection(uri: uri(file, "mode=ro&immutable=1"), of: path))
        }
        let hasIndex = access(file + "-shm", F_OK) == 0
        let connection = try Connection(
            uri: uri(file, hasIndex ? "mode=ro&readonly_shm=1" : "mode=rw"), of: path)
        connection.leaveLog()
        // No program has the file open. SQLite needs no index of a log that it has for itself.
        if !hasIndex { try connection.run("PRAGMA locking_mode = EXCLUSIVE") }
        return try body(connection)
    }

    /// Reads a private copy of a file with its rollback journal, because SQLite rolls back what
    /// it has left in the file.
    private static func copied<Result>(
        _ file: String, _ path: String, _ body: (Connection) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let folder =
            FileManager.default.temporaryDirectory.path + "/stele-look-\(UUID().uuidString)"
        let copy = folder + "/store"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false)
            for ending in ["", "-journal"] {
                try FileManager.default.copyItem(atPath: file + ending, toPath: copy + ending)
            }
        } catch {
            throw .failed(
                "\(path) cannot be read: it has a rollback journal, and the two cannot be copied to "
                    + "\(folder) (set TMPDIR to a folder that has room)")
        }
        do throws(StoreError) {
            return try body(Connection(uri: uri(copy, "mode=rw"), of: path))
        } catch {
            throw error.replacing(copy, with: path)
        }
    }

    /// The path of the file that a link leads to.
    static func resolved(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    /// The URI of a file with SQLite's parameters.
    private static func uri(_ file: String, _ parameters: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes = Array("file://".utf8)
        for byte in absolute(file).utf8 {
            switch byte {
            case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"):
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self) + "?" + parameters
    }
}

extension StoreError {
    /// The same error with another path in its sentence.
    fileprivate func replacing(_ path: String, with other: String) -> StoreError {
        switch self {
        case .incompatible(let code, let text):
            .incompatible(code: code, text.replacing(path, with: other))
        case .failed(let text): .failed(text.replacing(path, with: other))
        default: self
        }
    }
}
