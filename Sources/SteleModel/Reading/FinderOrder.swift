/// The order of version names, as in the Finder: case is ignored and numbers compare by value, so
/// that `M 2` precedes `M 10`.
package enum FinderOrder {
    /// Whether `a` precedes `b`.
    package static func precedes(_ a: String, _ b: String) -> Bool {
        let (left, right) = (pieces(of: a), pieces(of: b))
        for (x, y) in zip(left, right) where x != y { return x < y }
        return left.count == right.count ? a < b : left.count < right.count
    }

    /// Runs of digits and of other characters. Numbers sort before text, and by the length and the
    /// digits without leading zeros.
    private static func pieces(of name: String) -> [(isText: Int, length: Int, content: String)] {
        var result: [(isText: Int, length: Int, content: String)] = []
        var rest = name.lowercased()[...]
        while let first = rest.first {
            let isDigit = ("0"..."9").contains(first)
            let run = rest.prefix { ("0"..."9").contains($0) == isDigit }
            let digits = run.drop { $0 == "0" }
            result.append(isDigit ? (0, digits.count, String(digits)) : (1, 0, String(run)))
            rest = rest.dropFirst(run.count)
        }
        return result
    }
}
