/// The error that ends an import, with file and line.

/// An error in the files of an import, or in its plan.
public struct ImportError: Error, Sendable, CustomStringConvertible {
    /// The file; nil if the error is not in a single file.
    public var file: String?
    /// The line in the file, from 1.
    public var line: Int?
    /// The last line, where it is not known which one from `line` on is meant; nil for one line.
    public internal(set) var lastLine: Int?
    /// The name of the column, in a file of cells.
    public var column: String?
    /// What is wrong, and how to correct it.
    public var message: String
    /// Further errors in the files, in their order.
    public internal(set) var others: [ImportError] = []
    /// Whether the files may have more errors, which were not looked for.
    var hasMore = false

    init(_ message: String, file: String? = nil, line: Int? = nil) {
        self.message = message
        self.file = file
        self.line = line
    }

    /// One error of several.
    /// - Parameter all: at least one error.
    init?(_ all: [ImportError]) {
        let flat = all.flatMap { one in
            var alone = one
            alone.others = []
            return [alone] + one.others
        }
        guard let first = flat.first else { return nil }
        self = first
        others = Array(flat.dropFirst())
    }

    /// The number of errors.
    var count: Int { 1 + others.count }

    /// `cities.csv line 12, column people: …`, a line for each error.
    public var description: String {
        let lines = ([sentence] + others.map(\.sentence)).joined(separator: "\n")
        return hasMore
            ? "\(lines)\n(the first \(count.counted("error")): --errors \(count * 10) lists more)"
            : lines
    }

    private var sentence: String {
        guard let file else { return message }
        let lines = lastLine.map { " to \($0)" }
        let place = line.map { " line\(lines == nil ? "" : "s") \($0)\(lines ?? "")" } ?? ""
        return "\(file)\(place)\(column.map { ", column \($0)" } ?? ""): \(message)"
    }

    /// The error, and its others, at a line.
    func placed(_ file: String, _ line: Int) -> ImportError {
        var placed = self
        if placed.file == nil { (placed.file, placed.line) = (file, line) }
        placed.others = others.map { $0.placed(file, line) }
        return placed
    }
}
