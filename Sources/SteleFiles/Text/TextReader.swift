import SteleJSON
import SteleModel
import StelePersistence

/// Reads the objects of a store from lines of text. An error names the line.
struct TextReader {
    private let model: Model
    private var contents = StoreContents()
    private var line = 0
    /// The number of objects that the file says it has.
    private var count: Int?

    init(_ model: Model) { self.model = model }

    mutating func read(_ bytes: [UInt8]) throws(StoreError) -> StoreContents {
        for text in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            line += 1
            let text = text.last == UInt8(ascii: "\r") ? text.dropLast() : text
            if text.isEmpty { continue }
            if text.first == UInt8(ascii: "#") { try readNote(text) } else { try readObject(text) }
        }
        if let count, count != contents.objects.count {
            throw .incompatible(
                code: 134080,
                "the file has \(contents.objects.count) objects and should have \(count): it is "
                    + "cut off or changed")
        }
        if let count, bytes.last != UInt8(ascii: "\n") {
            throw damage("the line is cut off: the file of \(count) objects does not end with it")
        }
        return contents
    }

    private func damage(_ text: String) -> StoreError {
        .incompatible(code: 134080, "line \(line): \(text)")
    }

    // MARK: The file

    private mutating func readNote(_ bytes: ArraySlice<UInt8>) throws(StoreError) {
        let parts = try text(bytes).split(separator: "|", omittingEmptySubsequences: false)
        switch parts[0] {
        case "#uuid" where parts.count == 2: contents.identifier = String(parts[1])
        case Self.metadataNote where parts.count == 2:
            guard let metadata = Base64.decode(String(parts[1])) else {
                throw damage(Self.notBase64)
            }
            contents.metadata = metadata
            try contents.check(model)
        case "#next" where parts.count == 3:
            contents.nextKeys[try entity(parts[1]).root] = try key(parts[2])
        case "#objects" where parts.count == 2:
            guard let number = Int(parts[1]) else {
                throw damage("\(excerpt(parts[1])) is not a number")
            }
            count = number
        default:
            if line == 1, parts[0].hasPrefix("#stele text "), parts[0] != "#stele text 1" {
                throw damage("the file has a newer form of text than this program knows")
            }
        }
    }

    private static let metadataNote = "#metadata"
    private static let notBase64 = "the metadata is not base64"

    /// Reads the metadata, which is before the objects.
    static func metadata(of bytes: [UInt8]) throws(StoreError) -> [UInt8]? {
        let start = Array("\(metadataNote)|".utf8)
        var rest = bytes[...]
        while rest.first == UInt8(ascii: "#") {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            if line.starts(with: start) {
                let text = String(decoding: line.dropFirst(start.count), as: UTF8.self)
                guard let metadata = Base64.decode(text.filter { $0 != "\r" }) else {
                    throw .incompatible(code: 134080, notBase64)
                }
                return metadata
            }
            rest = rest.dropFirst(line.count + 1)
        }
        return nil
    }

    private func text(_ bytes: some Sequence<UInt8>) throws(StoreError) -> String {
        guard let text = String(validating: Array(bytes), as: UTF8.self) else {
            throw damage("the text is not UTF-8")
        }
        return text
    }

    private func entity(_ name: some StringProtocol) throws(StoreError) -> Entity {
        if let entity = model.entity(named: String(name)) { return entity }
        let name = excerpt(name)
        let hint = Nearest.hint(to: name, among: model.entities.map(\.name))
        throw damage("there is no entity \(name)" + (hint.map { " (\($0))" } ?? ""))
    }

    private func key(_ text: some StringProtocol) throws(StoreError) -> Int64 {
        try number(text, "key", from: 1)
    }

    private func number(
        _ text: some StringProtocol, _ kind: String, from least: Int64
    ) throws(StoreError) -> Int64 {
        guard let number = Int64(text), number >= least else {
            throw damage("\(excerpt(text)) is not a \(kind), which is a whole number from \(least)")
        }
        return number
    }

    // MARK: Objects

    private mutating func readObject(_ bytes: ArraySlice<UInt8>) throws(StoreError) {
        let fields = Self.parts(of: bytes, at: UInt8(ascii: "|"))
        let entity = try entity(try text(fields[0]))
        guard fields.count > 1 else { throw damage("a line is Entity|key|property=value") }
        var object = StoredObject(entity, key: try key(try text(fields[1])))
        var seen = Set<String>()
        for field in fields.dropFirst(2) {
            guard let equals = field.firstIndex(of: UInt8(ascii: "=")) else {
                throw damage("\(excerpt(try text(field))) has no =")
            }
            let name = try text(field[..<equals])
            guard seen.insert(name).inserted else {
                throw damage("\(excerpt(name)) is there twice")
            }
            try set(name, field[(equals + 1)...], &object, entity)
        }
        contents.objects.append(object)
    }

    private func set(
        _ name: String, _ bytes: ArraySlice<UInt8>, _ object: inout StoredObject, _ entity: Entity
    ) throws(StoreError) {
        if name == "_version" {
            object.snapshot.version = try number(try text(bytes), "version", from: 0)
            return
        }
        switch entity.property(named: name) {
        case .attribute(let it) where !it.isComposite:
            let text = try text(try unescaped(bytes))
            guard let value = Value(fileText: text, it.type) else {
                throw damage(
                    "\(excerpt(text)) is not a value of \(name), whose type is \(it.type.name)")
            }
            object.snapshot.values[it.slot] = value
        case .relationship(let it):
            if bytes.isEmpty { return }
            let keys = try text(bytes).split(separator: ",", omittingEmptySubsequences: false)
                .map { part throws(StoreError) in try key(part) }
            if it.isToMany {
                object.toManys[it.slot] = keys
            } else if keys.count == 1 {
                object.snapshot.values[it.slot] = .key(keys[0])
            } else {
                throw damage("\(name) can have one destination only")
            }
        case .attribute, .fetchedProperty, .transientRelationship, nil:
            let names = entity.slots.map(\.name) + entity.toManys.map(\.name)
            let name = excerpt(name)
            let hint = Nearest.hint(to: name, among: names)
            throw damage(
                "\(entity.name) has no property \(name)" + (hint.map { " (\($0))" } ?? ""))
        }
    }

    // MARK: Escapes

    /// Splits a line at the separators that have no `\` before them.
    static func parts(of bytes: ArraySlice<UInt8>, at separator: UInt8) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var start = bytes.startIndex
        var isEscaped = false
        for (index, byte) in zip(bytes.indices, bytes) {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == separator {
                parts.append(bytes[start..<index])
                start = index + 1
            }
        }
        return parts + [bytes[start...]]
    }

    private func unescaped(_ bytes: ArraySlice<UInt8>) throws(StoreError) -> [UInt8] {
        if !bytes.contains(UInt8(ascii: "\\")) { return Array(bytes) }
        var out: [UInt8] = []
        var rest = bytes.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "\\") else {
                out.append(byte)
                continue
            }
            switch rest.next() {
            case UInt8(ascii: "n"): out.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "r"): out.append(UInt8(ascii: "\r"))
            case let escaped?
            where [UInt8(ascii: "\\"), UInt8(ascii: "|"), UInt8(ascii: "="), UInt8(ascii: ",")]
                .contains(escaped):
                out.append(escaped)
            default:
                throw damage(
                    "a \\ in a value comes before \\, |, =, a comma, n or r: "
                        + excerpt(try text(bytes)))
            }
        }
        return out
    }
}
