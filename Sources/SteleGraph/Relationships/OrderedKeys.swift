/// Different keys in the order in which they were added.
///
/// Each change takes constant time on average. A removed key leaves a gap, and the gaps are closed
/// once they are more than the keys.
struct OrderedKeys {
    private var slots: [Int64?] = []
    private var places: [Int64: Int] = [:]

    init() {}
    init(_ keys: some Sequence<Int64>) {
        for key in keys { append(key) }
    }

    var isEmpty: Bool { places.isEmpty }
    var count: Int { places.count }

    func contains(_ key: Int64) -> Bool { places[key] != nil }

    /// Adds the key at the end, unless it is there already.
    mutating func append(_ key: Int64) {
        if contains(key) { return }
        places[key] = slots.count
        slots.append(key)
    }

    /// Removes the key.
    /// - Returns: whether it was there.
    @discardableResult mutating func remove(_ key: Int64) -> Bool {
        guard let place = places.removeValue(forKey: key) else { return false }
        slots[place] = nil
        if slots.count > 2 * places.count { self = OrderedKeys(self) }
        return true
    }

    mutating func removeAll(where isRemoved: (Int64) -> Bool) {
        self = OrderedKeys(filter { !isRemoved($0) })
    }
}

extension OrderedKeys: Sequence {
    func makeIterator() -> some IteratorProtocol<Int64> {
        slots.lazy.compactMap { $0 }.makeIterator()
    }
    var underestimatedCount: Int { count }
}
