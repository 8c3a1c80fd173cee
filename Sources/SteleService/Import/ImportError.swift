/// The error that ends an import, with file and line.

/// An error in the files of an import, or in its plan.
public struct ImportError: Error, Sendable, CustomStringConvertible {
    /// The file; nil if the error is not in a single file.
    public var file: String?
    /// The line in the file, from 1.
    public var line: Int?
    /// What is wrong, and how to correct it.
    public var message: String

    init(_ message: String, file: String? = nil, line: Int? = nil) {
        self.message = message
        self.file = file
        self.line = line
    }

    /// `cities.ndjson line 12: …`
    public var description: String {
        guard let file else { return message }
        return line.map { "\(file) line \($0): \(message)" } ?? "\(file): \(message)"
    }
}
