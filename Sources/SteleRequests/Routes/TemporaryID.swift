/// Ids of objects that are not saved yet: t1, t2, … in the editing context that made them.

import SteleJSON
import SteleModel
import StelePersistence

/// Reads and writes ids: numbers for stored objects, a t before the number for unsaved ones.
package enum TemporaryID {
    /// The key of a text such as `t1`; nil for every other text.
    package static func key(_ text: some StringProtocol) -> Int64? {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "t"), let first = digits.first, first != 0x30,
            digits.count < 19, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(String(decoding: digits, as: UTF8.self))
        else { return nil }
        return -number
    }

    /// A key as clients see it.
    package static func text(_ key: Int64) -> String { key < 0 ? "t\(key.magnitude)" : String(key) }
}

extension ByteWriter {
    /// Appends an id: a number, or for an unsaved object its temporary id as a string.
    package mutating func key(_ key: Int64) {
        if key >= 0 { return integer(key) }
        byte(UInt8(ascii: "\""))
        self.key(unquoted: key)
        byte(UInt8(ascii: "\""))
    }

    /// Appends an id without quotes, as in addresses and in CSV.
    package mutating func key(unquoted key: Int64) {
        if key < 0 { byte(UInt8(ascii: "t")) }
        integer(key < 0 ? 0 &- key : key)
    }
}
