/// Copies of stores as they were at one moment.

import FoundationEssentials
import Glibc
import SteleSystem

/// What a backup has.
public struct StoreBackup: Sendable, Hashable {
    /// The paths of the copied files of the store, without those of external values.
    public var files: [String]
    /// The bytes of all files.
    public var bytes: Int64
    /// The number of files of external values.
    public var externalFiles: Int
    /// The number of the last transaction in it; nil where that is not known.
    public var transaction: Int64?

    /// A backup.
    public init(
        files: [String], bytes: Int64, externalFiles: Int = 0, transaction: Int64? = nil
    ) {
        self.files = files
        self.bytes = bytes
        self.externalFiles = externalFiles
        self.transaction = transaction
    }
}

/// A folder of backups. Each backup is a folder named by its time, such as `20260501T093000.125Z`.
public struct BackupFolder: Sendable {
    /// The path of the folder.
    public let path: String

    private static let unfinishedEnding = ".unfinished"
    /// Seconds after which a backup that is not whole is one of a process that has ended.
    private static let abandonedSeconds = 86_400

    /// A folder, which is created with the first backup.
    public init(_ path: String) { self.path = path }

    /// Whether it has no backup that is whole.
    public var isEmpty: Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.allSatisfy { $0.hasSuffix(Self.unfinishedEnding) }
    }

    /// Makes a backup. Its folder has another name until all of it is on disk.
    /// - Parameter copy: copies a store into a folder.
    /// - Returns: the path of the new folder, and what is in it.
    /// - Throws: the error of `copy`; `StoreError.invalid` where the folder cannot be created, and
    ///   `.failed`. Nothing is left then.
    public func make(
        _ copy: (String) throws -> StoreBackup
    ) throws -> (folder: String, backup: StoreBackup) {
        let folder = "\(path)/\(Self.name)"
        let unfinished = folder + Self.unfinishedEnding
        let isNew = access(path, F_OK) != 0
        do {
            try FileManager.default.createDirectory(
                atPath: unfinished, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            let reason =
                switch (error as? CocoaError)?.code {
                case .fileWriteNoPermission?: "the user of the service may not write there"
                case .fileWriteVolumeReadOnly?: "the disk is read-only"
                case .fileWriteOutOfSpace?: "the disk is full"
                default: "there may be no folders below \(path)"
                }
            throw StoreError.invalid("the folder \(unfinished) cannot be created: \(reason)")
        }
        if isNew { _ = Self.sync(path + "/..") }
        removeAbandoned()
        do {
            var backup = try copy(unfinished)
            // The names in the folder are on disk before its own.
            guard Self.sync(unfinished), rename(unfinished, folder) == 0, Self.sync(path) else {
                throw StoreError.failed(
                    "\(folder) cannot be made: \(String(cString: strerror(errno)))")
            }
            backup.files = backup.files.map { folder + $0.dropFirst(unfinished.count) }
            return (folder, backup)
        } catch {
            try? FileManager.default.removeItem(atPath: unfinished)
            throw error
        }
    }

    /// The time now, as `20260501T093000.125Z`.
    private static var name: String {
        var (clock, parts) = (timespec(), tm())
        clock_gettime(CLOCK_REALTIME, &clock)
        gmtime_r(&clock.tv_sec, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%Y%m%dT%H%M%S", &parts)
        let digits = String(clock.tv_nsec / 1_000_000)
        return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
            + "." + String(repeating: "0", count: 3 - digits.count) + digits + "Z"
    }

    /// Removes what a killed process has left.
    private func removeAbandoned() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        where Self.isUnfinished(name) {
            var found = stat()
            guard stat("\(path)/\(name)", &found) == 0, found.st_mode & S_IFMT == S_IFDIR,
                found.st_mtim.tv_sec < time(nil) - Self.abandonedSeconds
            else { continue }
            try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
    }

    /// Whether a name is that of a backup which is being made.
    private static func isUnfinished(_ name: String) -> Bool {
        let form = "00000000T000000.000Z" + unfinishedEnding
        return name.utf8.count == form.utf8.count
            && zip(name.utf8, form.utf8).allSatisfy { byte, wanted in
                wanted == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == wanted
            }
    }

    private static func sync(_ folder: String) -> Bool {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return fsync(descriptor) == 0
    }
}
