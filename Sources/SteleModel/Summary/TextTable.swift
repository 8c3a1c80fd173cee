/// Text in aligned columns for a terminal. The last column wraps.
struct TextTable {
    /// The maximum width of a line, in characters.
    static let width = 100
    /// The widest column that is padded. A wider cell shifts the rest of its row.
    private static let columnLimit = 36

    private var rows: [(cells: [String], details: [String])] = []
    private let indent: Int

    init(indent: Int) { self.indent = indent }

    /// Adds a row. The details are its last column, separated by commas.
    mutating func add(_ cells: String..., details: [String]) { rows.append((cells, details)) }

    /// The lines, without trailing spaces.
    func lines() -> [String] {
        let count = rows.map(\.cells.count).max() ?? 0
        let widths = (0..<count).map { column -> Int in
            let cells = rows.lazy.map(\.cells).filter { column < $0.count }
            return cells.map { $0[column].count }.filter { $0 <= Self.columnLimit }.max() ?? 0
        }
        return rows.flatMap { row in
            var line = String(repeating: " ", count: indent)
            for (column, cell) in row.cells.enumerated() {
                line += cell
                let space = max(widths[column] - cell.count, 0) + 2
                line += String(repeating: " ", count: space)
            }
            return Self.wrap(Self.words(of: row.details), after: line)
        }
    }

    /// The words that a line can break between. Short details are not broken.
    private static func words(of details: [String]) -> [String] {
        details.enumerated().flatMap { index, detail -> [String] in
            let text = index < details.count - 1 ? detail + "," : detail
            return text.count <= columnLimit ? [text] : text.split(separator: " ").map(String.init)
        }
    }

    /// A text after a beginning, broken between words. Continuation lines are indented to its
    /// start.
    static func wrap(_ text: String, after beginning: String) -> [String] {
        wrap(text.split(separator: " ").map(String.init), after: beginning)
    }

    private static func wrap(_ words: [String], after beginning: String) -> [String] {
        let hanging = String(repeating: " ", count: min(beginning.count, width * 6 / 10))
        var lines: [String] = []
        var line = beginning
        var isFresh = true
        for word in words {
            if !isFresh, line.count + 1 + word.count > width {
                lines.append(line)
                line = hanging
                isFresh = true
            }
            line += (isFresh ? "" : " ") + word
            isFresh = false
        }
        lines.append(line)
        return lines.map { line in
            var line = line
            while line.hasSuffix(" ") { line.removeLast() }
            return line
        }
    }
}
