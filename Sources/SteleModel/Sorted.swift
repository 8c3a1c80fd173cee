/// Algorithms on sorted collections.

extension RandomAccessCollection where Index == Int {
    /// The first index whose element satisfies the condition; the end index if none does. The
    /// condition must be false for a prefix and true for the rest. It is called about log2(`count`)
    /// times.
    package func firstPlace(where fulfils: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if fulfils(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Array {
    /// Marks a longest increasing subsequence of the keys: the elements that can stay in place
    /// while the others move. Elements without a key are not part of it. It takes n log n steps.
    /// - Returns: for each element whether it is part of the subsequence.
    package func longestRise<Key: Comparable>() -> [Bool] where Element == Key? {
        // For each length the least key that a subsequence of that length can end with, and its
        // place.
        var ends: [(place: Int, key: Key)] = []
        var before = [Int](repeating: -1, count: count)
        for (place, key) in enumerated() {
            guard let key else { continue }
            let length = ends.firstPlace { $0.key >= key }
            if length > 0 { before[place] = ends[length - 1].place }
            if length == ends.count {
                ends.append((place, key))
            } else {
                ends[length] = (place, key)
            }
        }
        var rise = [Bool](repeating: false, count: count)
        var next = ends.last?.place ?? -1
        while next >= 0 {
            rise[next] = true
            next = before[next]
        }
        return rise
    }
}
