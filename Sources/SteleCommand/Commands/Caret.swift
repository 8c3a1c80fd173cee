/// Showing a mistake in a text: its line, with a caret under the place.

/// A line of a text for a terminal, with one place marked.
struct Caret {
    /// How many columns of a long line are shown.
    static let width = 76

    /// The line, cut to a window around the place where it is long, and the caret below it.
    /// - Parameter position: in Unicode scalars from the start of the text, up to its length.
    static func picture(of text: String, at position: Int) -> String {
        let scalars = Array(text.unicodeScalars)
        let place = min(max(position, 0), scalars.count)
        var start = place
        while start > 0, !isLineEnd(scalars[start - 1]) { start -= 1 }
        var end = place
        while end < scalars.count, !isLineEnd(scalars[end]) { end += 1 }
        // The place at the end of a line is after its last character.
        let line = scalars[start..<end]
        let shown = window(line, around: place)
        var above = shown.lowerBound > start ? "…" : ""
        var column = above.isEmpty ? 0 : 1
        for index in shown {
            if index < place { column += columns(of: line[index]) }
            above.unicodeScalars.append(visible(line[index]))
        }
        if shown.upperBound < end { above += "…" }
        return "  \(above)\n  \(String(repeating: " ", count: column))^"
    }

    /// A position in a text of several lines: `line 2, column 5`; nil for a text of one line.
    static func line(of position: Int, in text: String) -> String? {
        let scalars = Array(text.unicodeScalars)
        let before = scalars.prefix(max(position, 0))
        guard scalars.contains(where: isLineEnd) else { return nil }
        let last = before.lastIndex(where: isLineEnd).map { $0 + 1 } ?? 0
        let number = 1 + before.filter { $0 == "\n" }.count
        return "line \(number), column \(before.count - last + 1)"
    }

    private static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\n" || scalar == "\r"
    }

    /// The part of a line that fits, with the place in its middle unless an end of the line is
    /// near.
    private static func window(
        _ line: ArraySlice<Unicode.Scalar>, around place: Int
    ) -> Range<Int> {
        var (low, high) = (place, place)
        var used = 1
        while true {
            let before = low > line.startIndex ? columns(of: line[low - 1]) : nil
            let after = high < line.endIndex ? columns(of: line[high]) : nil
            // The shorter side first, so that both grow equally.
            let takesBefore = before != nil && (after == nil || place - low <= high - place)
            guard let next = takesBefore ? before : after, used + next <= width else {
                return low..<high
            }
            used += next
            if takesBefore { low -= 1 } else { high += 1 }
        }
    }

    /// Replaces a tab by one space, so that columns can be counted, and controls by a mark.
    private static func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.properties.generalCategory {
        case .control: scalar == "\t" ? " " : "\u{FFFD}"
        case .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: "\u{FFFD}"
        default: scalar
        }
    }

    /// How many columns it takes: none for a mark, two for East Asian letters and emoji.
    static func columns(of scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: break
        }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
