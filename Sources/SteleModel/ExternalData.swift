/// A Binary attribute's bytes that live in a file of their own beside the store.

import Glibc

/// A value in a file ("Allows External Storage"). The file never changes: another value is another
/// file, so who holds the reference can read it for as long as the store keeps the file.
public final class ExternalData: Sendable, Hashable {
    /// What the file is called.
    public let identifier: UUID
    /// Where the file lies.
    public let path: String

    /// The file of that name in a folder.
    public init(_ identifier: UUID, in folder: String) {
        self.identifier = identifier
        path = "\(folder)/\(identifier.uuidString)"
    }

    /// How many bytes it has, asked of the system at each call; nil where the file is gone.
    public var count: Int? {
        var found = stat()
        guard stat(path, &found) == 0 else { return nil }
        return Int(found.st_size)
    }

    /// All of its bytes; nil where the file is gone or cannot be read.
    public var bytes: [UInt8]? {
        guard let file = fopen(path, "rbe") else { return nil }
        defer { fclose(file) }
        guard let count else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
            read = fread(buffer.baseAddress, 1, count, file)
        }
        return bytes.count == count ? bytes : nil
    }

    public static func == (a: ExternalData, b: ExternalData) -> Bool {
        a.identifier == b.identifier
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}
