/// The known word that a mistyped one comes nearest to.

/// Finds what was probably meant.
enum NearestWord {
    /// The word fewest changes away, without regard to case; nil where none is near enough.
    static func to(_ word: String, among words: some Sequence<String>) -> String? {
        let typed = lowered(word)
        guard !typed.isEmpty, typed.count <= 64 else { return nil }
        let bound = Swift.max(1, typed.count / 3)
        var best: (word: String, distance: Int)?
        for candidate in words {
            let known = lowered(candidate)
            guard abs(known.count - typed.count) <= bound else { continue }
            let distance = Self.distance(typed, known)
            if distance <= bound, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.word
    }

    private static func lowered(_ word: String) -> [UInt8] {
        word.utf8.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
    }

    /// Changed, left out, added and swapped letters (optimal string alignment).
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        guard !a.isEmpty, !b.isEmpty else { return Swift.max(a.count, b.count) }
        var before = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in 1...a.count {
            var row = [i]
            row.reserveCapacity(b.count + 1)
            for j in 1...b.count {
                let changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
                var least = Swift.min(changed, last[j] + 1, row[j - 1] + 1)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    least = Swift.min(least, before[j - 2] + 1)
                }
                row.append(least)
            }
            before = last
            last = row
        }
        return last[b.count]
    }
}
