import SteleModel
import StelePersistence

/// Writes the payload of a binary file: identifier, metadata, the names of entities and properties,
/// the next keys, then the objects. A link is written once, except where both its ends are ordered.
struct BinaryStoreWriter {
    private let model: Model
    private var out: [UInt8] = []

    init(_ model: Model) { self.model = model }

    mutating func write(_ contents: StoreContents) throws(StoreError) -> [UInt8] {
        text(contents.identifier ?? "")
        data(contents.metadata ?? [])
        count(model.entities.count)
        for entity in model.entities {
            text(entity.name)
            let toManys = entity.toManys.filter(isWritten)
            count(entity.slots.count)
            for property in entity.slots { text(property.name) }
            count(toManys.count)
            for relationship in toManys { text(relationship.name) }
            number(UInt64(bitPattern: contents.nextKeys[entity.index] ?? 0))
        }
        count(contents.objects.count)
        for object in contents.objects { try write(object) }
        return out
    }

    /// Whether the members of a relationship are written: its inverse does not imply them.
    private func isWritten(_ it: Relationship) -> Bool {
        guard let inverse = model.inverse(of: it), !it.isOrdered else { return true }
        return inverse.isToMany && !inverse.isOrdered && it.index <= inverse.index
    }

    private mutating func write(_ object: StoredObject) throws(StoreError) {
        let row = object.snapshot
        let entity = model.entities[row.entity]
        count(row.entity)
        number(UInt64(bitPattern: row.key))
        number(UInt64(bitPattern: row.version))
        for (property, value) in zip(entity.slots, row.values) {
            try write(value, property.name)
        }
        for (relationship, keys) in zip(entity.toManys, object.toManys)
        where isWritten(relationship) {
            count(keys.count)
            for key in keys { number(UInt64(bitPattern: key)) }
        }
    }

    private mutating func write(_ value: Value, _ name: String) throws(StoreError) {
        switch value {
        case .null: tag(.null)
        case .bool(let it): tag(it ? .yes : .no)
        case .int(let it):
            tag(.integer)
            // Zigzag: numbers near 0 are short, of either sign.
            number(UInt64(bitPattern: it << 1 ^ it >> 63))
        case .double(let it):
            tag(.double)
            fixed(it.bitPattern)
        case .date(let it):
            tag(.date)
            fixed(it.bitPattern)
        case .decimal(let it):
            tag(.decimal)
            text(DecimalText.text(it))
        case .string(let it):
            tag(.string)
            text(it)
        case .data(let it):
            tag(.data)
            data(it)
        case .uuid(let it):
            tag(.uuid)
            withUnsafeBytes(of: it.uuid) { out.append(contentsOf: $0) }
        case .key(let it):
            tag(.key)
            number(UInt64(bitPattern: it))
        case .external:
            throw .invalid("the value of \(name) is in a file of another store")
        }
    }

    private mutating func tag(_ tag: BinaryTag) { out.append(tag.rawValue) }

    private mutating func count(_ count: Int) { number(UInt64(count)) }

    /// LEB128: seven bits a byte, the lowest first.
    private mutating func number(_ number: UInt64) {
        var rest = number
        while rest > 0x7F {
            out.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        out.append(UInt8(rest))
    }

    private mutating func fixed(_ bits: UInt64) {
        withUnsafeBytes(of: bits.littleEndian) { out.append(contentsOf: $0) }
    }

    private mutating func text(_ text: String) {
        count(text.utf8.count)
        out.append(contentsOf: text.utf8)
    }

    private mutating func data(_ bytes: [UInt8]) {
        count(bytes.count)
        out.append(contentsOf: bytes)
    }
}
