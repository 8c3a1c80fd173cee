/// Finds the known name nearest to an unknown one, for the hints of error messages.
package enum Nearest {
    /// The known name with the smallest edit distance, ignoring case: at most a third of the name's
    /// length, and at least 1. Swapping two adjacent characters counts as one edit. Of equally near
    /// names the first one is returned; nil if none is near.
    package static func name(to name: String, among known: some Sequence<String>) -> String? {
        let given = letters(of: name)
        let bound = max(1, given.count / 3)
        var best: (name: String, distance: Int)?
        for candidate in known {
            let letters = letters(of: candidate)
            guard abs(letters.count - given.count) <= bound else { continue }
            let found = distance(given, letters)
            if found <= bound, found < best?.distance ?? .max { best = (candidate, found) }
        }
        // One edit turns a name of one character into any other.
        guard let best, best.distance < given.count else { return nil }
        return best.name
    }

    /// The hint `did you mean X?`; nil if no name is near.
    package static func hint(to name: String, among known: some Sequence<String>) -> String? {
        Self.name(to: name, among: known).map { "did you mean \($0)?" }
    }

    /// Only the first 64 characters are compared, so that a very long name takes no time.
    private static func letters(of name: String) -> [Unicode.Scalar] {
        let beginning = String(String.UnicodeScalarView(name.unicodeScalars.prefix(64)))
        return Array(beginning.lowercased().unicodeScalars)
    }

    /// The optimal string alignment distance: substitutions, deletions, insertions and swaps.
    private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        var before = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            row.reserveCapacity(b.count + 1)
            for j in b.indices {
                let changed = last[j] + (a[i] == b[j] ? 0 : 1)
                var least = min(changed, last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    least = min(least, before[j - 1] + 1)
                }
                row.append(least)
            }
            (before, last) = (last, row)
        }
        return last[b.count]
    }
}
