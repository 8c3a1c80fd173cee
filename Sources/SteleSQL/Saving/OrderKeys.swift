/// Sparse order keys of ordered relationships, as Core Data spaces them.

/// Chooses order keys: the first is 2048, steps are 1024, and a move takes one from the gap.
enum OrderKeys {
    static let first: Int64 = 2048
    static let step: Int64 = 1024

    /// The keys to write so that the members stand in that order.
    /// - Parameters:
    ///   - existing: the keys that members have now.
    ///   - order: all members in their new order.
    /// - Returns: the members whose key changes, with the new one.
    static func changes(
        from existing: [Int64: Int64], to order: [Int64]
    ) -> [(member: Int64, key: Int64)] {
        let keys = order.map { existing[$0] }
        let kept = longestRise(keys)
        var result: [(member: Int64, key: Int64)] = []
        var index = 0
        var before: Int64?
        while index < order.count {
            if kept.contains(index) {
                before = keys[index]
                index += 1
                continue
            }
            var end = index
            while end < order.count && !kept.contains(end) { end += 1 }
            let after = end < order.count ? keys[end] : nil
            guard let filled = fill(end - index, between: before, and: after) else {
                return order.enumerated().map { ($0.element, first + Int64($0.offset) * step) }
                    .filter { existing[$0.0] != $0.1 }
            }
            for (offset, key) in filled.enumerated() {
                result.append((order[index + offset], key))
            }
            before = filled.last
            index = end
        }
        return result
    }

    /// That many keys between two, or nil where there is no room.
    private static func fill(_ count: Int, between low: Int64?, and high: Int64?) -> [Int64]? {
        // A file may hold any number; far from these, keys are written anew.
        let sane = -(Int64(1) << 60)...(Int64(1) << 60)
        guard low.map(sane.contains) ?? true, high.map(sane.contains) ?? true else { return nil }
        guard let high else {
            let start = low.map { $0 + step } ?? first
            return (0..<Int64(count)).map { start + $0 * step }
        }
        guard let low else {
            let gap = min(step, (high - 1) / Int64(count + 1))
            guard gap > 0 else { return nil }
            return (0..<Int64(count)).map { high - gap * (Int64(count) - $0) }
        }
        let gap = (high - low) / Int64(count + 1)
        guard gap > 0 else { return nil }
        return (1...Int64(count)).map { low + $0 * gap }
    }

    /// The places of a longest strictly rising run, which need no new key.
    private static func longestRise(_ keys: [Int64?]) -> Set<Int> {
        var tails: [Int] = []
        var previous = [Int](repeating: -1, count: keys.count)
        for (index, key) in keys.enumerated() {
            guard let key else { continue }
            var (low, high) = (0, tails.count)
            while low < high {
                let middle = (low + high) / 2
                if let tail = keys[tails[middle]], tail < key { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = tails[low - 1] }
            if low == tails.count { tails.append(index) } else { tails[low] = index }
        }
        var rise = Set<Int>()
        var next = tails.last ?? -1
        while next >= 0 {
            rise.insert(next)
            next = previous[next]
        }
        return rise
    }
}
