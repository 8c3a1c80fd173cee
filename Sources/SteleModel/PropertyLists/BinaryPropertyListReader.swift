/// Reading the binary form of property lists, `bplist00`.

/// Reads a binary property list. Every offset, count and reference is checked: the bytes are not
/// trusted. Docs/Dependencies.md has the reason why it is not libplist.
package struct BinaryPropertyListReader {
    private let bytes: [UInt8]
    private let offsets: [Int]
    private let referenceSize: Int
    /// How many more values may be created: with references few bytes can describe a very large
    /// tree. Values are counted where they are referred to, before room is made for them.
    private var budget: PropertyList.Budget
    private static let depthLimit = 128

    /// Reads the root of a list.
    /// - Throws: `Malformed`.
    package static func read(_ bytes: [UInt8]) throws(Malformed) -> PropertyList {
        guard bytes.count >= 8 + 32, bytes.starts(with: "bplist0".utf8) else { throw Malformed() }
        let trailer = bytes.count - 32
        let offsetSize = Int(bytes[trailer + 6])
        let referenceSize = Int(bytes[trailer + 7])
        let count = try number(bytes, at: trailer + 8, size: 8)
        let root = try number(bytes, at: trailer + 16, size: 8)
        let table = try number(bytes, at: trailer + 24, size: 8)
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), count > 0,
            count <= bytes.count, table <= trailer, count * offsetSize <= trailer - table,
            // Each object has a byte of its own, at least.
            count <= table - 8
        else { throw Malformed() }
        var offsets: [Int] = []
        offsets.reserveCapacity(count)
        for index in 0..<count {
            let offset = try number(bytes, at: table + index * offsetSize, size: offsetSize)
            guard offset >= 8, offset < table else { throw Malformed() }
            offsets.append(offset)
        }
        var reader = BinaryPropertyListReader(
            bytes: bytes, offsets: offsets, referenceSize: referenceSize)
        return try reader.object(root, depth: 0)
    }

    /// The error for bytes that are not a binary property list, or one beyond the bounds.
    package struct Malformed: Error {}

    private init(bytes: [UInt8], offsets: [Int], referenceSize: Int) {
        self.bytes = bytes
        self.offsets = offsets
        self.referenceSize = referenceSize
        budget = PropertyList.Budget(size: bytes.count)
    }

    /// Reads an unsigned number, most significant byte first, that fits an Int.
    private static func number(
        _ bytes: [UInt8], at place: Int, size: Int
    ) throws(Malformed) -> Int {
        guard place >= 0, size > 0, size <= 8, place <= bytes.count - size else {
            throw Malformed()
        }
        guard let number = Int(exactly: bits(bytes[place..<place + size])) else {
            throw Malformed()
        }
        return number
    }

    /// Up to eight bytes, most significant first.
    private static func bits(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func object(_ index: Int, depth: Int) throws(Malformed) -> PropertyList {
        guard offsets.indices.contains(index), depth < Self.depthLimit else { throw Malformed() }
        let place = offsets[index]
        let marker = bytes[place]
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0 where marker == 0x08: return .bool(false)
        case 0x0 where marker == 0x09: return .bool(true)
        case 0x1: return try integer(at: place + 1, size: 1 << low)
        case 0x2: return .real(try real(at: place + 1, size: 1 << low))
        case 0x3 where low == 3: return .date(try real(at: place + 1, size: 8))
        case 0x4: return .data(Array(try block(place, unit: 1)))
        case 0x5:
            let text = try block(place, unit: 1)
            guard text.allSatisfy({ $0 < 0x80 }) else { throw Malformed() }
            return .string(String(decoding: text, as: UTF8.self))
        case 0x6: return .string(try wideText(try block(place, unit: 2)))
        case 0x8: return .uid(try Self.number(bytes, at: place + 1, size: low + 1))
        case 0xA, 0xC:
            var elements: [PropertyList] = []
            for reference in try references(place, groups: 1) {
                elements.append(try object(reference, depth: depth + 1))
            }
            return .array(elements)
        case 0xD: return try dictionary(place, depth: depth)
        default: throw Malformed()
        }
    }

    private mutating func dictionary(
        _ place: Int, depth: Int
    ) throws(Malformed) -> PropertyList {
        let all = try references(place, groups: 2)
        let count = all.count / 2
        var entries: [PropertyList.Entry] = []
        for index in 0..<count {
            guard case .string(let key) = try object(all[index], depth: depth + 1) else {
                throw Malformed()
            }
            entries.append(
                PropertyList.Entry(
                    key: key, value: try object(all[count + index], depth: depth + 1)))
        }
        return .dictionary(entries)
    }

    private func integer(at place: Int, size: Int) throws(Malformed) -> PropertyList {
        // 16 bytes are used for numbers beyond Int64.max; those beyond 64 bits are refused.
        let start = size == 16 ? place + 8 : place
        let width = size == 16 ? 8 : size
        guard width <= 8, start <= bytes.count - width, place >= 0 else { throw Malformed() }
        if size == 16, bytes[place..<place + 8].contains(where: { $0 != 0 && $0 != 0xFF }) {
            throw Malformed()
        }
        let value = Self.bits(bytes[start..<start + width])
        let signed = Int64(bitPattern: value)
        // Numbers of 1, 2 and 4 bytes are unsigned, those of 8 and 16 signed.
        if size == 16, (bytes[place] == 0) != (signed >= 0) {
            guard bytes[place] == 0 else { throw Malformed() }
            return .unsigned(value)
        }
        return .integer(signed)
    }

    private func real(at place: Int, size: Int) throws(Malformed) -> Double {
        guard size == 4 || size == 8, place <= bytes.count - size else { throw Malformed() }
        let bits = Self.bits(bytes[place..<place + size])
        return size == 8
            ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    }

    /// The count of units after a marker, and the place of the first.
    private func length(_ place: Int) throws(Malformed) -> (count: Int, start: Int) {
        let low = Int(bytes[place] & 0x0F)
        if low < 0x0F { return (low, place + 1) }
        guard place + 1 < bytes.count, bytes[place + 1] >> 4 == 0x1 else { throw Malformed() }
        let size = 1 << Int(bytes[place + 1] & 0x0F)
        let count = try Self.number(bytes, at: place + 2, size: size)
        return (count, place + 2 + size)
    }

    private mutating func block(_ place: Int, unit: Int) throws(Malformed) -> ArraySlice<UInt8> {
        let (count, start) = try length(place)
        guard count <= bytes.count / unit, start <= bytes.count - count * unit,
            budget.spend(bytes: count * unit)
        else { throw Malformed() }
        return bytes[start..<start + count * unit]
    }

    private mutating func references(_ place: Int, groups: Int) throws(Malformed) -> [Int] {
        let (count, start) = try length(place)
        guard count <= bytes.count, start <= bytes.count - count * groups * referenceSize,
            budget.spend(values: count * groups)
        else { throw Malformed() }
        var found: [Int] = []
        found.reserveCapacity(count * groups)
        for index in 0..<count * groups {
            found.append(
                try Self.number(bytes, at: start + index * referenceSize, size: referenceSize))
        }
        return found
    }

    private func wideText(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> String {
        let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        guard let text = String(validating: units, as: UTF16.self) else { throw Malformed() }
        return text
    }
}
