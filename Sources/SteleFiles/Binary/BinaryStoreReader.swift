import FoundationEssentials
import SteleModel
import StelePersistence

/// Reads the payload of a binary file. It trusts no byte: a file with a right checksum may still
/// have been made to do harm.
struct BinaryStoreReader {
    /// An entity of the file, with the places of its properties in the model.
    private struct Table {
        let name: String
        /// Nil for one that the store does not have.
        let entity: Entity?
        let slots: [Int]
        let toManys: [Int]
    }

    /// Nil for a file of which the head alone is read.
    private let model: Model?
    /// The entities that the store has. A file of several stores has tables of the others, too,
    /// which may have changed since.
    private let stored: Set<Int>
    private let bytes: ArraySlice<UInt8>
    private var place: Int

    init(_ bytes: ArraySlice<UInt8>, _ model: Model? = nil) {
        self.bytes = bytes
        self.model = model
        stored = Set(model?.storedEntities.map(\.index) ?? [])
        place = bytes.startIndex
    }

    /// Reads the identifier and the metadata, with which a file begins.
    mutating func readHead() throws(StoreError) -> StoreContents {
        var contents = StoreContents()
        let identifier = try text()
        contents.identifier = identifier.isEmpty ? nil : identifier
        let metadata = try data()
        if !metadata.isEmpty { contents.metadata = Array(metadata) }
        return contents
    }

    mutating func read() throws(StoreError) -> StoreContents {
        var contents = try readHead()
        if let model { try contents.check(model) }
        var tables: [Table] = []
        for _ in 0..<(try count()) { tables.append(try table(&contents)) }
        for _ in 0..<(try count()) { contents.objects.append(try object(tables)) }
        guard place == bytes.endIndex else { throw damage("something follows the last object") }
        return contents
    }

    private func damage(_ text: String) -> StoreError {
        .incompatible(code: 134080, "byte \(place): \(text)")
    }

    // MARK: Tables and objects

    private mutating func table(_ contents: inout StoreContents) throws(StoreError) -> Table {
        let name = try text()
        let entity = model?.entity(named: name).flatMap { stored.contains($0.index) ? $0 : nil }
        var slots: [Int] = []
        for _ in 0..<(try count()) {
            let name = try text()
            guard let entity else { continue }
            guard let slot = entity.slots.firstIndex(where: { $0.name == name }) else {
                throw damage("\(entity.name) has no property \(excerpt(name))")
            }
            slots.append(slot)
        }
        var toManys: [Int] = []
        for _ in 0..<(try count()) {
            let name = try text()
            guard let entity else { continue }
            guard let slot = entity.toManys.firstIndex(where: { $0.name == name }) else {
                throw damage("\(entity.name) has no to-many relationship \(excerpt(name))")
            }
            toManys.append(slot)
        }
        let next = try key()
        if next > 0, let entity { contents.nextKeys[entity.index] = next }
        return Table(name: name, entity: entity, slots: slots, toManys: toManys)
    }

    private mutating func object(_ tables: [Table]) throws(StoreError) -> StoredObject {
        let index = try number()
        guard index < tables.count else { throw damage("there is no entity number \(index)") }
        let table = tables[Int(index)]
        guard let entity = table.entity else {
            throw damage(
                "there is an object of \(excerpt(table.name)), which the store does not have")
        }
        var object = StoredObject(entity, key: try key())
        object.snapshot.version = try key()
        for slot in table.slots { object.snapshot.values[slot] = try value() }
        for slot in table.toManys {
            for _ in 0..<(try count()) { object.toManys[slot].append(try key()) }
        }
        return object
    }

    private mutating func value() throws(StoreError) -> Value {
        let tag = try byte()
        switch BinaryTag(rawValue: tag) {
        case .null: return .null
        case .no: return .bool(false)
        case .yes: return .bool(true)
        case .integer:
            let number = try number()
            return .int(Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1))
        case .double: return .double(Double(bitPattern: try fixed()))
        case .date: return .date(Double(bitPattern: try fixed()))
        case .decimal:
            let text = try text()
            guard let decimal = DecimalText.parse(stored: Array(text.utf8)) else {
                throw damage("\(excerpt(text)) is not a decimal")
            }
            return .decimal(decimal)
        case .string: return .string(try text())
        case .data: return .data(Array(try data()))
        case .uuid:
            let bytes = try take(16)
            return .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
        case .key: return .key(try key())
        case nil: throw damage("there is no kind of value \(tag)")
        }
    }

    // MARK: Parts

    private mutating func take(_ count: Int) throws(StoreError) -> ArraySlice<UInt8> {
        guard count <= bytes.endIndex - place else { throw damage("the file ends too early") }
        defer { place += count }
        return bytes[place..<place + count]
    }

    private mutating func byte() throws(StoreError) -> UInt8 {
        guard place < bytes.endIndex else { throw damage("the file ends too early") }
        defer { place += 1 }
        return bytes[place]
    }

    private mutating func number() throws(StoreError) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            let byte = try byte()
            // The tenth byte has one bit.
            if shift == 63, byte > 1 { break }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        throw damage("a number has more than 64 bits")
    }

    /// The number of items that follow. Each takes a byte at least.
    private mutating func count() throws(StoreError) -> Int {
        let number = try number()
        guard number <= bytes.endIndex - place else {
            throw damage("\(number) items cannot follow")
        }
        return Int(number)
    }

    private mutating func key() throws(StoreError) -> Int64 {
        let number = try number()
        guard let key = Int64(exactly: number) else { throw damage("\(number) is too large") }
        return key
    }

    private mutating func fixed() throws(StoreError) -> UInt64 {
        try take(8).withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    private mutating func data() throws(StoreError) -> ArraySlice<UInt8> { try take(try count()) }

    private mutating func text() throws(StoreError) -> String {
        let bytes = try data()
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw damage("a text is not UTF-8")
        }
        return text
    }
}
