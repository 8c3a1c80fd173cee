/// Reading an SQLite file that must stay as it is.

import CSQLite
import FoundationEssentials
import StelePersistence

/// A connection that reads a file and changes neither the file nor its folder.
///
/// Without a log or journal beside it the file is opened as immutable, which takes no locks and
/// creates no files. With one, a private copy of the files is opened in a temporary folder.
final class UntouchedFile {
    let handle: OpaquePointer
    /// The folder of the copy; nil where there is none.
    private let folder: URL?

    /// Opens the file.
    /// - Throws: `StoreError`.
    init(_ path: String) throws(StoreError) {
        let files = FileManager.default
        let pending = ["-wal", "-journal"].filter { Self.size(path + $0) > 0 }
        guard !pending.isEmpty else {
            folder = nil
            handle = try Self.open(Self.immutable(path), path)
            return
        }
        let folder = files.temporaryDirectory.appending(
            path: "stele-\(String(UInt64.random(in: 0 ... .max), radix: 36))")
        let copy = folder.appending(path: "store").path
        do {
            try files.createDirectory(
                at: folder, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            // The log first: what a checkpoint moves meanwhile is then in both copies.
            for ending in pending {
                try files.copyItem(atPath: path + ending, toPath: copy + ending)
            }
            try files.copyItem(atPath: path, toPath: copy)
            self.handle = try Self.open(copy, path)
            self.folder = folder
        } catch let error {
            try? files.removeItem(at: folder)
            throw error as? StoreError
                ?? .failed("\(path) cannot be copied to \(folder.path), to be read there")
        }
    }

    deinit {
        sqlite3_close_v2(handle)
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }

    private static func size(_ path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? any BinaryInteger).map { Int(clamping: $0) } ?? 0
    }

    /// The address of a file that is opened as immutable.
    private static func immutable(_ path: String) -> String {
        var address = "file:"
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"):
                address += "%" + String(byte, radix: 16)
            default: address.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return address + "?immutable=1"
    }

    private static func open(
        _ address: String, _ path: String
    ) throws(StoreError) -> OpaquePointer {
        let isAddress = address.hasPrefix("file:")
        let flags =
            SQLITE_OPEN_NOMUTEX
            | (isAddress ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE)
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(address, &opened, flags, nil)
        guard let opened else { throw .failed("out of memory while opening \(path)") }
        guard code == SQLITE_OK else {
            let error = SQLiteFailure.error(code, opened, path)
            sqlite3_close_v2(opened)
            throw error
        }
        // Views and triggers of a foreign file call no functions.
        sqlite3_exec(opened, "PRAGMA trusted_schema = OFF", nil, nil, nil)
        return opened
    }

    /// The first column of a statement's first row, which is a BLOB; nil where there is no row.
    /// - Throws: `StoreError`.
    func bytes(_ sql: String) throws(StoreError) -> [UInt8]? {
        var prepared: OpaquePointer?
        var code = sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw SQLiteFailure.error(code, handle, sql) }
        defer { sqlite3_finalize(prepared) }
        code = sqlite3_step(prepared)
        guard code == SQLITE_ROW else {
            if code == SQLITE_DONE { return nil }
            throw SQLiteFailure.error(code, handle, sql)
        }
        guard let start = sqlite3_column_blob(prepared, 0) else { return [] }
        let count = Int(sqlite3_column_bytes(prepared, 0))
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Whether the file has a table.
    /// - Throws: `StoreError`.
    func hasTable(_ name: String) throws(StoreError) -> Bool {
        try bytes("SELECT 'x' FROM sqlite_master WHERE type = 'table' AND name = '\(name)'") != nil
    }
}
