/// What a model looks up by name, at each key of each predicate.

/// Values by short names, found with less work than a dictionary's hash takes. Names are the same
/// where `String` says so, composed or not.
struct NameTable<Value: Sendable>: Sendable {
    private let all: [String: Value]
    private let names: [String]
    private let values: [Value]
    /// Where a name stands among them, or -1: at the first free place from its hash on.
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

    /// The value of that name, or nil.
    func value(of name: String) -> Value? {
        var place = Self.hash(name) & (places.count - 1)
        while places[place] >= 0 {
            let index = Int(places[place])
            if names[index] == name { return values[index] }
            place = (place + 1) & (places.count - 1)
        }
        // The same letters may be written in other bytes.
        return name.utf8.allSatisfy { $0 < 0x80 } ? nil : all[name]
    }

    private static func hash(_ name: String) -> Int {
        var name = name
        return name.withUTF8 { UnsafeRawBufferPointer($0).quickHash }
    }
}
