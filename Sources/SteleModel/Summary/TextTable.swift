/// Lines in aligned columns, for a terminal.

/// Rows of text whose columns are as wide as their widest cell; the last one wraps.
struct TextTable {
    /// How wide a line may be, in characters.
    static let width = 100
    /// No column but the last is padded beyond this; a wider cell pushes its row's rest along.
    private static let columnLimit = 36

    private var rows: [[String]] = []
    private let indent: Int

    init(indent: Int) { self.indent = indent }

    mutating func add(_ cells: String...) { rows.append(cells) }

    /// The lines, without spaces at their ends.
    func lines() -> [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.compactMap { column < $0.count - 1 ? $0[column].count : nil }
                .filter { $0 <= Self.columnLimit }.max() ?? 0
        }
        return rows.flatMap { row in
            var line = String(repeating: " ", count: indent)
            for (column, cell) in row.dropLast().enumerated() {
                line += cell
                let space = max(widths[column] - cell.count, 0) + 2
                line += String(repeating: " ", count: space)
            }
            return Self.wrap(row.last ?? "", after: line)
        }
    }

    /// A text behind a beginning, broken between words; further lines stand below its start.
    static func wrap(_ text: String, after beginning: String) -> [String] {
        let hanging = String(repeating: " ", count: min(beginning.count, width / 2))
        var lines: [String] = []
        var line = beginning
        var isFresh = true
        for word in text.split(separator: " ") {
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
