/// Searching in what is sorted.

extension RandomAccessCollection where Index == Int {
    /// The first place whose element fulfils a condition that all after it fulfil, and none before
    /// it; the end where none does. It looks at about log2 of `count`.
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
    /// Of the elements that have a key, those of a longest part whose keys rise already: what can
    /// stay where it is when the others are moved. It takes n log n.
    /// - Returns: for each element whether it is of that part.
    package func longestRise<Key: Comparable>() -> [Bool] where Element == Key? {
        // For each length the place of the least key that such a part can end with.
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
