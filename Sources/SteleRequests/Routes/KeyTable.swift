/// A table of names, looked up by their UTF-8 without making a String.

/// A hash table from names to values, with open addressing.
package struct KeyTable<Entry: Sendable>: Sendable {
    private struct Place: Sendable {
        let name: [UInt8]
        let entry: Entry
    }

    private let places: [Place]
    /// Indexes into `places` plus one; 0 is free. A power of two long, at most half full.
    private let buckets: [Int32]

    init(_ entries: [(name: String, entry: Entry)]) {
        places = entries.map { Place(name: Array($0.name.utf8), entry: $0.entry) }
        var size = 4
        while size < entries.count * 2 { size *= 2 }
        var buckets = [Int32](repeating: 0, count: size)
        for (index, place) in places.enumerated() {
            var at = place.name.withUnsafeBufferPointer { Self.hash($0) } & (size - 1)
            while buckets[at] != 0 { at = (at + 1) & (size - 1) }
            buckets[at] = Int32(index + 1)
        }
        self.buckets = buckets
    }

    package subscript(name: UnsafeBufferPointer<UInt8>) -> Entry? {
        var at = Self.hash(name) & (buckets.count - 1)
        while buckets[at] != 0 {
            let place = places[Int(buckets[at]) - 1]
            if place.name.count == name.count, place.name.elementsEqual(name) { return place.entry }
            at = (at + 1) & (buckets.count - 1)
        }
        return nil
    }

    subscript(name: String) -> Entry? {
        var name = name
        return name.withUTF8 { self[$0] }
    }

    private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        var value: UInt32 = 0x811c_9dc5
        for byte in name { value = (value ^ UInt32(byte)) &* 0x0100_0193 }
        return Int(value ^ value >> 15)
    }
}
