import Glibc
import StelePersistence
import SteleSystem

/// Reads files whole, and replaces them whole.
enum WholeFile {
    /// Returns the bytes of a file; nil where there is none.
    /// - Throws: `StoreError.incompatible` (134080) where it cannot be read.
    static func bytes(_ path: String) throws(StoreError) -> [UInt8]? {
        try read(path, limit: .max)
    }

    /// Returns the first 512 bytes of a file; none where there is no file.
    static func start(_ path: String) throws(StoreError) -> [UInt8] {
        try read(path, limit: 512) ?? []
    }

    private static func read(_ path: String, limit: Int) throws(StoreError) -> [UInt8]? {
        if let other = FileKind.otherThanFile(path) { throw notAFile(path, other) }
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw unreadable(path)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw unreadable(path) }
        if let other = FileKind.words(status.st_mode) { throw notAFile(path, other) }
        var bytes = [UInt8](repeating: 0, count: min(limit, Int(status.st_size)))
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(file, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            }
            if more < 0, errno == EINTR { continue }
            if more < 0 { throw unreadable(path) }
            if more == 0 { break }
            count += more
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    private static func notAFile(_ path: String, _ other: String) -> StoreError {
        .incompatible(code: 134080, "\(path) is \(other), and a store is a file")
    }

    private static func unreadable(_ path: String) -> StoreError {
        .incompatible(code: 134080, "\(path) cannot be read: \(reason(errno))")
    }

    /// Replaces a file, or creates it. When the function returns, the bytes are on disk under that
    /// name. When it throws, the old file is as it was, unless `isReplaced` is set: then the name
    /// may lead to either file after a failure of power.
    static func replace(
        _ path: String, with bytes: [UInt8], isReplaced: inout Bool
    ) throws(StoreError) {
        let folder = open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw unwritable(path) }
        defer { close(folder) }
        let beside = path + newEnding
        try write(bytes, to: beside, instead: path)
        guard rename(beside, path) == 0 else {
            let error = unwritable(path)
            unlink(beside)
            throw error
        }
        isReplaced = true
        guard fsync(folder) == 0 else { throw unwritable(path) }
    }

    /// Replaces a file by another one, by a rename.
    static func replace(_ path: String, byFile other: String) throws(StoreError) {
        let folder = open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw unwritable(path) }
        defer { close(folder) }
        var old = stat()
        guard stat(path, &old) == 0, chmod(other, old.st_mode & 0o777) == 0,
            old.st_uid == geteuid() || chown(other, old.st_uid, old.st_gid) == 0,
            rename(other, path) == 0, fsync(folder) == 0
        else { throw unwritable(path) }
    }

    private static func write(
        _ bytes: [UInt8], to beside: String, instead path: String
    ) throws(StoreError) {
        var old = stat()
        let mode = stat(path, &old) == 0 ? old.st_mode & 0o777 : 0o644
        let file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard file >= 0 else { throw unwritable(path) }
        var isWritten = writeAll(bytes, to: file) && fsync(file) == 0
        let error = unwritable(path)
        isWritten = close(file) == 0 && isWritten
        if isWritten { return }
        unlink(beside)
        throw error
    }

    private static func writeAll(_ bytes: [UInt8], to file: Int32) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = Glibc.write(
                    file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// The error for the value of `errno`.
    private static func unwritable(_ path: String) -> StoreError {
        switch errno {
        case ENOSPC, EDQUOT, EFBIG:
            .noRoom("\(path) cannot be written: \(reason(errno))")
        default: .failed("\(path) cannot be written: \(reason(errno))")
        }
    }

    /// What is appended to a path for the file that replaces it.
    static let newEnding = "-new"

    static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The path without symbolic links, so that replacing the file does not replace a link to it.
    static func resolved(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }
}
