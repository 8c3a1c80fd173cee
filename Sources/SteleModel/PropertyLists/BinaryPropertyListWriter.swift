/// Writing the binary form of property lists, `bplist00`.

/// Writes a property list. A text, number or reference that occurs more than once is written once.
package struct BinaryPropertyListWriter {
    private enum Flat {
        case scalar([UInt8])
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    private var objects: [Flat] = []
    /// The place of each text, of which the keys of dictionaries occur most often.
    private var texts: [ExactText: Int] = [:]
    /// The place of each other scalar by its bytes: by `==`, zeros of either sign would be equal.
    private var known: [[UInt8]: Int] = [:]
    /// The place of each reference, of which an archive has the most.
    private var references: [Int: Int] = [:]

    /// The bytes of a list.
    package static func bytes(_ root: PropertyList) -> [UInt8] {
        var writer = BinaryPropertyListWriter()
        let place = writer.add(root)
        return writer.assemble(root: place)
    }

    private mutating func add(_ value: PropertyList) -> Int {
        switch value {
        case .array(let elements):
            let place = reserve()
            objects[place] = .array(elements.map { add($0) })
            return place
        case .dictionary(let entries):
            let place = reserve()
            objects[place] = .dictionary(
                keys: entries.map { add(.string($0.key)) }, values: entries.map { add($0.value) })
            return place
        case .uid(let number):
            if let place = references[number] { return place }
            let place = add(scalar: Self.scalar(value))
            references[number] = place
            return place
        case .string(let text):
            if let place = texts[ExactText(text)] { return place }
            let place = add(scalar: Self.scalar(value))
            texts[ExactText(text)] = place
            return place
        default:
            let bytes = Self.scalar(value)
            if let place = known[bytes] { return place }
            let place = add(scalar: bytes)
            known[bytes] = place
            return place
        }
    }

    private mutating func add(scalar bytes: [UInt8]) -> Int {
        objects.append(.scalar(bytes))
        return objects.count - 1
    }

    private mutating func reserve() -> Int { add(scalar: []) }

    /// The bytes of a value without elements.
    package static func scalar(_ value: PropertyList) -> [UInt8] {
        switch value {
        case .bool(let it): return [it ? 0x09 : 0x08]
        case .integer(let it): return integer(it)
        case .unsigned(let it):
            return it > Int64.max
                ? [0x14] + bigEndian(0, 8) + bigEndian(it, 8) : integer(Int64(it))
        case .real(let it): return [0x23] + bigEndian(it.bitPattern, 8)
        case .date(let it): return [0x33] + bigEndian(it.bitPattern, 8)
        case .data(let it): return head(0x4, it.count) + it
        case .string(let it):
            if it.utf8.allSatisfy({ $0 < 0x80 }) {
                return head(0x5, it.utf8.count) + it.utf8
            }
            let units = Array(it.utf16)
            var bytes = head(0x6, units.count)
            for unit in units { append(UInt64(unit), 2, to: &bytes) }
            return bytes
        case .uid(let it):
            let size = width(UInt64(max(it, 0)))
            return [0x80 | UInt8(size - 1)] + bigEndian(UInt64(max(it, 0)), size)
        case .array, .dictionary: return []
        }
    }

    /// An unsigned number of 1, 2 or 4 bytes, or a signed one of 8.
    private static func integer(_ value: Int64) -> [UInt8] {
        let bits = UInt64(bitPattern: value)
        if value >= 0, value <= 0xFF { return [0x10] + bigEndian(bits, 1) }
        if value >= 0, value <= 0xFFFF { return [0x11] + bigEndian(bits, 2) }
        if value >= 0, value <= 0xFFFF_FFFF { return [0x12] + bigEndian(bits, 4) }
        return [0x13] + bigEndian(bits, 8)
    }

    private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 0x0F] + integer(Int64(count))
    }

    private static func bigEndian(_ value: UInt64, _ size: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, size, to: &bytes)
        return bytes
    }

    private static func append(_ value: UInt64, _ size: Int, to bytes: inout [UInt8]) {
        for place in (0..<size).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * place)))
        }
    }

    /// The size of a number: 1, 2, 4 or 8 bytes.
    private static func width(_ value: UInt64) -> Int {
        value <= 0xFF ? 1 : value <= 0xFFFF ? 2 : value <= 0xFFFF_FFFF ? 4 : 8
    }

    private func assemble(root: Int) -> [UInt8] {
        let referenceSize = Self.width(UInt64(objects.count))
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        func refer(to places: [Int]) {
            for place in places { Self.append(UInt64(place), referenceSize, to: &bytes) }
        }
        for object in objects {
            offsets.append(bytes.count)
            switch object {
            case .scalar(let scalar): bytes += scalar
            case .array(let places):
                bytes += Self.head(0xA, places.count)
                refer(to: places)
            case .dictionary(let keys, let values):
                bytes += Self.head(0xD, keys.count)
                refer(to: keys)
                refer(to: values)
            }
        }
        let table = bytes.count
        let offsetSize = Self.width(UInt64(table))
        for offset in offsets { Self.append(UInt64(offset), offsetSize, to: &bytes) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for number in [objects.count, root, table] { Self.append(UInt64(number), 8, to: &bytes) }
        return bytes
    }
}
