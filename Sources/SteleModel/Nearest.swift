/// The name that was probably meant.

/// Finds the known name nearest to one that is not known; every hint of Stele's asks here.
public enum Nearest {
    /// The name with the fewest letters to change, where they are few: at most a third of the
    /// length, and one at least. Two neighbours that changed places are one change, and case does
    /// not count. The first of equally near ones.
    public static func name(to name: String, among known: some Sequence<String>) -> String? {
        let given = letters(of: name)
        let bound = max(1, given.count / 3)
        var best: (name: String, distance: Int)?
        for candidate in known {
            let letters = letters(of: candidate)
            guard abs(letters.count - given.count) <= bound else { continue }
            let found = distance(given, letters)
            if found <= bound, found < best?.distance ?? .max { best = (candidate, found) }
        }
        // One change in a name of one letter makes any other name.
        guard let best, best.distance < given.count else { return nil }
        return best.name
    }

    /// `did you mean X?`, or nil where nothing is near.
    public static func hint(to name: String, among known: some Sequence<String>) -> String? {
        Self.name(to: name, among: known).map { "did you mean \($0)?" }
    }

    /// What is longer is compared by its beginning, so that a megabyte of name takes no time.
    private static func letters(of name: String) -> [Unicode.Scalar] {
        let beginning = String(String.UnicodeScalarView(name.unicodeScalars.prefix(64)))
        return Array(beginning.lowercased().unicodeScalars)
    }

    /// Letters changed, left out, added and swapped (optimal string alignment).
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
