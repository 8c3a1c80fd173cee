/// The order of version names, as in the Finder: case is ignored and numbers compare by value, so
/// that `M 2` precedes `M 10`.
enum FinderOrder {
    /// Whether `a` precedes `b`.
    static func precedes(_ a: String, _ b: String) -> Bool {
        let (left, right) = (pieces(of: a), pieces(of: b))
        for (x, y) in zip(left, right) where x != y {
            switch (x, y) {
            case (.text(let s), .text(let t)): return s < t
            case (.number(let s), .number(let t)):
                return s.count == t.count ? s < t : s.count < t.count
            case (.number, .text): return true
            case (.text, .number): return false
            }
        }
        return left.count == right.count ? a < b : left.count < right.count
    }

    private enum Piece: Equatable {
        case text(String)
        /// Digits without leading zeros, so that the longer one is the greater one.
        case number(String)
    }

    private static func pieces(of name: String) -> [Piece] {
        var result: [Piece] = []
        var rest = name.lowercased()[...]
        while let first = rest.first {
            let isDigit = isDigit(first)
            let run = rest.prefix { Self.isDigit($0) == isDigit }
            result.append(
                isDigit ? .number(String(run.drop { $0 == "0" })) : .text(String(run)))
            rest = rest.dropFirst(run.count)
        }
        return result
    }

    private static func isDigit(_ character: Character) -> Bool {
        character >= "0" && character <= "9"
    }
}
