/// What a model looks up by name, at each key of each predicate.

/// Values by short names, found with less work than a dictionary's hash takes. Names are the same
/// where `String` says so, composed or not.
struct NameTable<Value: Sendable>: Sendable {
    private let all: [String: Value]
    private let names: [String]
    private let values: [Value]
    /// Where an ASCII name stands among them, or -1: at the first free place from its hash on.
    private let places: [Int32]

    init(_ all: [String: Value]) {
        self.all = all
        let ascii = all.filter { Self.hash($0.key) != nil }
        names = Array(ascii.keys)
        values = Array(ascii.values)
        var size = 4
        while size < 2 * names.count { size *= 2 }
        var places = [Int32](repeating: -1, count: size)
        for (index, name) in names.enumerated() {
            guard let hash = Self.hash(name) else { continue }
            var place = hash & (size - 1)
            while places[place] >= 0 { place = (place + 1) & (size - 1) }
            places[place] = Int32(index)
        }
        self.places = places
    }

    /// The value of that name, or nil.
    func value(of name: String) -> Value? {
        guard let hash = Self.hash(name) else { return all[name] }
        var place = hash & (places.count - 1)
        while places[place] >= 0 {
            let index = Int(places[place])
            if names[index] == name { return values[index] }
            place = (place + 1) & (places.count - 1)
        }
        return nil
    }

    /// Of the name's bytes, eight at a time; nil where one is not ASCII.
    private static func hash(_ name: String) -> Int? {
        let hash = name.utf8.withContiguousStorageIfAvailable { bytes -> Int? in
            var hash = UInt64(bytes.count)
            var seen: UInt64 = 0
            func mix(_ word: UInt64) {
                seen |= word
                hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
                hash ^= hash >> 32
            }
            var place = 0
            while place + 8 <= bytes.count {
                mix(
                    UnsafeRawBufferPointer(bytes).loadUnaligned(
                        fromByteOffset: place, as: UInt64.self))
                place += 8
            }
            var rest: UInt64 = 0
            while place < bytes.count {
                rest = rest << 8 | UInt64(bytes[place])
                place += 1
            }
            mix(rest)
            return seen & 0x8080_8080_8080_8080 == 0 ? Int(truncatingIfNeeded: hash >> 1) : nil
        }
        // A text that is not in one piece is looked up as one that is not ASCII.
        return hash ?? nil
    }
}
