// The name that a misspelt one may have meant.

/// The candidate nearest to a name by edit distance (with swaps of neighbours counted once), case
/// aside, or nil where none is near: a third of the name's length may differ, one at least.
func nearestName(to name: String, among candidates: some Sequence<String>) -> String? {
    let wanted = Array(name.lowercased().unicodeScalars.prefix(64))
    let bound = max(1, wanted.count / 3)
    var best: (distance: Int, name: String)?
    for candidate in candidates {
        let other = Array(candidate.lowercased().unicodeScalars.prefix(64))
        guard abs(other.count - wanted.count) <= bound else { continue }
        let distance = editDistance(wanted, other)
        if distance <= bound, distance < best?.distance ?? .max { best = (distance, candidate) }
    }
    return best?.name
}

/// `did you mean X?`, or nil where nothing is near.
func nearestHint(to name: String, among candidates: some Sequence<String>) -> String? {
    nearestName(to: name, among: candidates).map { "did you mean \($0)?" }
}

private func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var rows = [[Int]](
        repeating: [Int](repeating: 0, count: right.count + 1), count: left.count + 1)
    for i in 0...left.count { rows[i][0] = i }
    for j in 0...right.count { rows[0][j] = j }
    for i in left.indices {
        for j in right.indices {
            let cost = left[i] == right[j] ? 0 : 1
            var least = min(rows[i][j + 1] + 1, rows[i + 1][j] + 1, rows[i][j] + cost)
            if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                least = min(least, rows[i - 1][j - 1] + 1)
            }
            rows[i + 1][j + 1] = least
        }
    }
    return rows[left.count][right.count]
}
