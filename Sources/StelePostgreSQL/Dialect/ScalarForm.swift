import SteleJSON
import StelePredicates

/// What the scalars of texts become in one function, for those that change.
struct ScalarForm: Sendable {
    /// The value of the column `form`.
    let name: String
    /// A JSON object with a scalar's text as each key.
    let json: String

    private init(_ name: String, _ map: (String) -> String) {
        self.name = name
        var writer = ByteWriter(capacity: 1 << 16)
        writer.byte(UInt8(ascii: "{"))
        for scalar in Self.ranges.joined().compactMap(Unicode.Scalar.init) {
            let text = String(scalar)
            let mapped = map(text)
            if mapped.unicodeScalars.elementsEqual(CollectionOfOne(scalar)) { continue }
            if writer.bytes.count > 1 { writer.byte(UInt8(ascii: ",")) }
            writer.string(text)
            writer.byte(UInt8(ascii: ":"))
            writer.string(mapped)
        }
        writer.byte(UInt8(ascii: "}"))
        json = String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The scalars that may change, but for Hangul syllables, which PostgreSQL decomposes itself.
    /// The others are ideographs, private or not assigned; a test checks all of them.
    static let ranges: [Range<UInt32>] = [
        0x1..<0x3400, 0xA000..<0xAC00, 0xD7A4..<0xD800, 0xF900..<0x2_0000, 0x2_F800..<0x2_FA20,
        0xE_0000..<0xE_0200,
    ]

    /// Case folding, canonical decomposition without marks, uppercase and lowercase.
    static let all = [
        ScalarForm("c") { TextComparison.fold($0, options: .caseInsensitive) },
        ScalarForm("d") { TextComparison.fold($0, options: .diacriticInsensitive) },
        ScalarForm("u") { mapped(.uppercase, $0) },
        ScalarForm("l") { mapped(.lowercase, $0) },
    ]

    private static func mapped(_ function: PredicateFunction, _ text: String) -> String {
        guard case .string(let it) = PredicateCalls.apply(function, .string(text), nil) else {
            return text
        }
        return it
    }
}
