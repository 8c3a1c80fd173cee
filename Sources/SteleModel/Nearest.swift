/// The name that was probably meant.

/// Finds the known name nearest to one that is not known.
public enum Nearest {
    /// The name with the fewest letters to change, where they are few: at most a third of the
    /// length, and two at least. Case does not count. The first of equally near ones.
    public static func name(to name: String, in known: [String]) -> String? {
        let given = Array(name.lowercased().unicodeScalars.prefix(64))
        let limit = max(2, given.count / 3)
        var best: (name: String, distance: Int)?
        for candidate in known {
            let letters = Array(candidate.lowercased().unicodeScalars.prefix(64))
            guard abs(letters.count - given.count) <= limit else { continue }
            let found = distance(given, letters)
            if found <= limit, found < best?.distance ?? .max { best = (candidate, found) }
        }
        // Two changes in a name of two letters make any other name.
        guard let best, best.distance < given.count else { return nil }
        return best.name
    }

    /// Insertions, deletions and changes from one to the other (Levenshtein).
    private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        var row = Array(0...b.count)
        for (i, letter) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in b.enumerated() {
                let above = row[j + 1]
                row[j + 1] = min(above + 1, row[j] + 1, diagonal + (letter == other ? 0 : 1))
                diagonal = above
            }
        }
        return row[b.count]
    }
}
