import Glibc

/// The value of a Binary attribute in a file of its own beside the store ("Allows External
/// Storage"). The file is never modified: a new value has a new file. So the value can be read for
/// as long as the store keeps the file.
public final class ExternalData: Sendable, Hashable {
    /// The file's name.
    public let identifier: UUID
    /// The file's path.
    public let path: String

    /// Refers to the file of that name in a folder.
    public init(_ identifier: UUID, in folder: String) {
        self.identifier = identifier
        path = "\(folder)/\(identifier.uuidString)"
    }

    /// The size of the file in bytes, read from the file system at each call; nil if the file does
    /// not exist, and for what is no file: a link could lead to any file that the program may read.
    public var count: Int? {
        var found = stat()
        guard lstat(path, &found) == 0, found.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(found.st_size)
    }

    /// Whether there is nothing of that name.
    package var isMissing: Bool {
        var found = stat()
        return lstat(path, &found) != 0 && (errno == ENOENT || errno == ENOTDIR)
    }

    /// Opens the file for reading; nil as `count`. A link is not followed, and a pipe not waited for.
    /// - Returns: a descriptor, which the caller closes.
    public func open() -> Int32? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        var found = stat()
        guard fstat(descriptor, &found) == 0, found.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// The most bytes that are read into memory: those that SQLite allows for a value in a row. A
    /// sparse file may claim to be of any size.
    public static let mostInMemory = 1_000_000_000

    /// The contents of the file; nil as `count`, if it cannot be read, and for more than
    /// `mostInMemory` bytes, which are read from the file.
    public var bytes: [UInt8]? {
        guard let descriptor = open() else { return nil }
        guard let file = fdopen(descriptor, "rb") else {
            close(descriptor)
            return nil
        }
        defer { fclose(file) }
        guard let count, count <= Self.mostInMemory else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
            read = fread(buffer.baseAddress, 1, count, file)
        }
        return bytes.count == count ? bytes : nil
    }

    /// Whether both refer to the same file name.
    public static func == (a: ExternalData, b: ExternalData) -> Bool {
        a.identifier == b.identifier
    }

    /// Hashes the file's name.
    public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}
