import SteleModel

/// Chooses the order keys of an ordered relationship as Core Data spaces them: the first is 2048,
/// steps are 1024, and a moved member takes a key from the gap. Where a gap is used up, only as
/// many neighbours as necessary get new keys.
enum OrderKeys {
    static let first: Int64 = 2048
    static let step: Int64 = 1024

    /// Returns the members whose key changes, with the new key.
    /// - Parameters:
    ///   - existing: the keys of the present members.
    ///   - order: all members in their new order.
    static func changes(
        from existing: [Int64: Int64], to order: [Int64]
    ) -> [(member: Int64, key: Int64)] {
        var keys = order.map { existing[$0] }
        let kept = keys.longestRise()
        var index = 0
        while index < order.count {
            if kept[index] {
                index += 1
                continue
            }
            var end = index
            while end < order.count && !kept[end] { end += 1 }
            guard let spread = spread(index..<end, &keys, kept) else {
                for place in keys.indices { keys[place] = first + Int64(place) * step }
                break
            }
            index = spread
        }
        return zip(order, keys).compactMap { member, key in
            key.flatMap { existing[member] == $0 ? nil : (member, $0) }
        }
    }

    /// Gives a run of members keys between those of its neighbours. Where the gap is too small, the
    /// neighbours get new keys too, twice as many in each attempt.
    /// - Returns: the index after the last member with a new key; nil where no gap is large enough.
    private static func spread(
        _ run: Range<Int>, _ keys: inout [Int64?], _ kept: [Bool]
    ) -> Int? {
        var (start, end) = (run.lowerBound, run.upperBound)
        var more = 1
        while true {
            let low = start > 0 ? keys[start - 1] : nil
            let high = end < keys.count ? keys[end] : nil
            // Neighbours are moved only to a gap with room for later insertions.
            let room: Int64 = end - start == run.count ? 1 : 32
            if let filled = fill(end - start, between: low, and: high, gap: room) {
                for (offset, key) in filled.enumerated() { keys[start + offset] = key }
                return end
            }
            if start == 0, end == keys.count { return nil }
            start = max(0, start - more)
            end = min(keys.count, end + more)
            // The member at `end` must be one that keeps its key.
            while end < keys.count && !kept[end] { end += 1 }
            more *= 2
        }
    }

    /// Returns keys between two others, with a gap of at least `least`; nil where there is not
    /// enough room.
    private static func fill(
        _ count: Int, between low: Int64?, and high: Int64?, gap least: Int64
    ) -> [Int64]? {
        // A file may have any keys. Where they are near the limits of 64 bits, all are renumbered.
        let sane = -(Int64(1) << 60)...(Int64(1) << 60)
        guard low.map(sane.contains) ?? true, high.map(sane.contains) ?? true else { return nil }
        guard let high else {
            let start = low.map { $0 + step } ?? first
            return (0..<Int64(count)).map { start + $0 * step }
        }
        guard let low else {
            let gap = min(step, (high - 1) / Int64(count + 1))
            guard gap >= least else { return nil }
            return (0..<Int64(count)).map { high - gap * (Int64(count) - $0) }
        }
        let gap = (high - low) / Int64(count + 1)
        guard gap >= least else { return nil }
        return (1...Int64(count)).map { low + $0 * gap }
    }
}
