/// A table of values by short names, faster than a dictionary. As for `String`, composed and
/// decomposed characters are equal.
struct NameTable<Value: Sendable>: Sendable {
    private let all: [String: Value]
    private let names: [String]
    private let values: [Value]
    /// An open-addressing hash table: the index of a name, or -1 for a free slot.
    private let places: [Int32]

    init(_ all: [String: Value]) {
        self.all = all
        names = Array(all.keys)
        values = Array(all.values)
        var size = 4
        while size < 2 * names.count { size *= 2 }
        var places = [Int32](repeating: -1, count: size)
        for (index, name) in names.enumerated() {
            var place = Self.hash(name) & (size - 1)
            while places[place] >= 0 { place = (place + 1) & (size - 1) }
            places[place] = Int32(index)
        }
        self.places = places
    }

    /// The value of that name; nil if there is none.
    func value(of name: String) -> Value? {
        var place = Self.hash(name) & (places.count - 1)
        while places[place] >= 0 {
            let index = Int(places[place])
            if names[index] == name { return values[index] }
            place = (place + 1) & (places.count - 1)
        }
        // An equal name may have other bytes, in composed or decomposed form.
        return name.utf8.allSatisfy { $0 < 0x80 } ? nil : all[name]
    }

    private static func hash(_ name: String) -> Int {
        var name = name
        return name.withUTF8 { UnsafeRawBufferPointer($0).quickHash }
    }
}
