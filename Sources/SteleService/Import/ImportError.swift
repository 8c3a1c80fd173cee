/// Why an import stops, in a sentence that names file, line, key and value.

/// What is wrong with an import's files, or with what is asked of them.
public struct ImportError: Error, Sendable, CustomStringConvertible {
    /// The file, or nil where no single one is meant.
    public var file: String?
    /// The line in it, from 1.
    public var line: Int?
    /// What is wrong, and the way out.
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
